"""The admin site: Django's own, under this house's name and with its index page."""

from django.contrib.admin import AdminSite


class BackOffice(AdminSite):
    site_header = "Ella · back-office"
    site_title = "Ella"
    index_title = "What needs a person today"
