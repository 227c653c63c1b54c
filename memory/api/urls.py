"""Addresses of the API: at the root as its clients expect them, and all under `/api/v1/`."""

from __future__ import annotations

from django.urls import include, path, re_path

from memory.api.views import HealthView, NoSuchView, RecordsView, TimelineView

endpoints = [
    path("health", HealthView.as_view(), name="health"),
    path("timeline", TimelineView.as_view(), name="timeline"),
    path("records", RecordsView.as_view(), name="records"),
]

urlpatterns = [
    *endpoints,
    path("api/v1/", include((endpoints, "api"), namespace="v1")),
    re_path(r"^api/", NoSuchView.as_view()),
]
