"""The map of addresses: the API under /api/v1/, the back-office under /admin/, pages at the root."""

from django.contrib import admin
from django.urls import path

urlpatterns = [
    path("admin/", admin.site.urls),
]
