"""The addresses of people/api.py under /api/v1/."""

from django.urls import path

from ella.people import api

app_name = "people"

urlpatterns = [
    path("auth/register", api.RegisterView.as_view(), name="register"),
    path("auth/login", api.LoginView.as_view(), name="login"),
    path("auth/logout", api.LogoutView.as_view(), name="logout"),
    path("auth/logoutall", api.LogoutAllView.as_view(), name="logoutall"),
    path("me", api.MeView.as_view(), name="me"),
]
