"""Addresses: pages, the admin, and the API at the root as its clients expect it."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("memory.api.urls")),
    path("", include("showcase.urls")),
]
