"""The map of addresses: the API under /api/v1/, the back-office under /admin/, pages at the root."""

from django.contrib import admin
from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from ella.conversation.pages import ChatPage
from ella.health import live, ready
from ella.people.pages import LoginPage, LogoutPage, RegisterPage

handler400 = "ella.error_pages.bad_request"
handler403 = "ella.error_pages.permission_denied"
handler404 = "ella.error_pages.not_found"
handler500 = "ella.error_pages.server_error"

urlpatterns = [
    path("", ChatPage.as_view(), name="chat"),
    path("talk/<uuid:conversation_id>/", ChatPage.as_view(), name="talk"),
    path("api/v1/", include("ella.people.urls")),
    path("api/v1/", include("ella.conversation.urls")),
    path("api/v1/", include("ledger.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    path("login/", LoginPage.as_view(), name="login"),
    path("logout/", LogoutPage.as_view(), name="logout"),
    path("register/", RegisterPage.as_view(), name="register"),
    path("health/live", live, name="health-live"),
    path("health/ready", ready, name="health-ready"),
    path("admin/", admin.site.urls),
]
