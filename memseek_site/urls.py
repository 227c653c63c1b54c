"""Addresses: pages, the admin, and the API at the root as its clients expect it."""

from django.contrib import admin
from django.urls import include, path

from memseek_site.framework_packages import load_framework_without_unused_packages

load_framework_without_unused_packages()

from memory.proxy.views import needs_asgi  # noqa: E402 - these load the framework
from memseek_site.metrics.door import metrics  # noqa: E402
from showcase.shared import shared  # noqa: E402

admin.autodiscover()

urlpatterns = [
    path("admin/", admin.site.urls),
    path("metrics", metrics, name="metrics"),
    path("v1/<path:rest>", needs_asgi, name="proxy"),
    path("shared/<str:token>/", shared, name="shared"),
    path("", include("memory.api.urls")),
    path("", include("showcase.urls")),
]

handler400 = "memory.api.failures.bad_request"
handler403 = "memory.api.failures.permission_denied"
handler404 = "memory.api.failures.not_found"
handler500 = "memory.api.failures.internal_error"
