"""
Logging in and out, and registering where that is open, with a form and a browser session.

The same services, throttles and audit rows as the API: there is no second, softer door.
"""

from __future__ import annotations

import math
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.generic import FormView, View
from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle

from ella.people import services
from ella.people.models import Person
from ella.people.registration import register
from ella.throttling import LoginThrottle, RegisterThrottle


class SlowedDown(View):
    """A page that answers 429 when its form is sent too often. Stands before the view class it slows down."""

    throttles: tuple[type[SimpleRateThrottle], ...] = ()

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST":
            for throttle in [one() for one in self.throttles]:
                # Typed for DRF's request, but they read only what both kinds of request have.
                if not throttle.allow_request(cast(Any, request), cast(Any, None)):
                    return _slow_down(request, max(math.ceil(throttle.wait() or 0), 1))
        return super().dispatch(request, *args, **kwargs)


def _slow_down(request: HttpRequest, wait_s: int) -> HttpResponse:
    response = render(request, "429.html", {"wait": wait_s}, status=429)
    response["Retry-After"] = str(wait_s)
    return response


class LoginForm(AuthenticationForm):
    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "This user name and password do not belong together, or may not log in.",
    }

    def __init__(self, request: HttpRequest | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, label_suffix="", **kwargs)


class LoginPage(SlowedDown, LoginView):
    form_class = LoginForm
    throttles = (LoginThrottle, AnonRateThrottle)
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(open_registration=settings.OPEN_REGISTRATION, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        person = form.get_user()
        services.log_in_page(actor=person.username, person=person)
        return response


class LogoutPage(LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, Person):
            services.log_out_page(actor=request.user.username, person=request.user)
        return super().post(request, *args, **kwargs)


class NewPasswordForm(AdminPasswordChangeForm):
    def save(self, commit: bool = True) -> Person:
        person = self.user
        services.change_password(actor=person.username, person=person, password=self.cleaned_data["new_password1"])
        return person


class PasswordPage(PasswordChangeView):
    """For people who work in the back-office; it shows the admin's own template."""

    form_class = NewPasswordForm


class RegisterForm(forms.Form):
    """Shapes only; what is right and what is taken the service says."""

    username = forms.CharField(label="User name", max_length=80)
    display_name = forms.CharField(label="What should Ella call you?", max_length=80, required=False)
    password = forms.CharField(
        label="Password",
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    timezone = forms.CharField(label="Time zone", max_length=64, initial="UTC", help_text="As in Europe/Lisbon.")


@method_decorator(sensitive_post_parameters("password"), name="dispatch")
class RegisterPage(SlowedDown, FormView[RegisterForm]):
    throttles = (RegisterThrottle,)
    form_class = RegisterForm
    template_name = "registration/register.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not settings.OPEN_REGISTRATION:
            raise Http404
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: RegisterForm) -> HttpResponse:
        try:
            person = register(actor=form.cleaned_data["username"], **form.cleaned_data)
        except ValidationError as exc:
            form.add_error(None, exc)
            return self.form_invalid(form)
        login(self.request, person)
        services.log_in_page(actor=person.username, person=person)
        return HttpResponseRedirect(resolve_url(settings.LOGIN_REDIRECT_URL))
