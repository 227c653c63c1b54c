"""Addresses: pages, the admin, and the API at the root as its clients expect it."""

from django.contrib import admin
from django.urls import include, path

from memseek_site.metrics.door import metrics

urlpatterns = [
    path("admin/", admin.site.urls),
    path("metrics", metrics, name="metrics"),
    path("", include("memory.api.urls")),
    path("", include("showcase.urls")),
]
