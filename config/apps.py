"""The admin site of this house, in place of Django's default one."""

from django.contrib.admin.apps import AdminConfig


class EllaAdminConfig(AdminConfig):
    default_site = "ella.backoffice.BackOffice"
