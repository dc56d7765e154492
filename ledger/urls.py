"""Addresses of the ledgers under /api/v1/."""

from django.urls import path

from ledger import api

urlpatterns = [
    path("facts", api.Facts.as_view(), name="facts"),
]
