"""Addresses of the API: some at the root as clients expect them, all under `/api/v1/`."""

from __future__ import annotations

from django.urls import include, path, re_path

from memory.api.catalog import CatalogView
from memory.api.list_views import AtomsView, ReplayView, RulesView, SessionsView
from memory.api.recall_views import AnswerView, ContextView, RecallView, TraceView
from memory.api.views import HealthView, NoSuchView, RecordsView, TimelineView

endpoints = [
    path("health", HealthView.as_view(), name="health"),
    path("timeline", TimelineView.as_view(), name="timeline"),
    path("records", RecordsView.as_view(), name="records"),
]
reads = [
    path("rules", RulesView.as_view(), name="rules"),
    path("sessions", SessionsView.as_view(), name="sessions"),
    # The name of a session is whatever it was stored under, slashes too.
    path("sessions/<path:session>/messages", ReplayView.as_view(), name="replay"),
    path("atoms", AtomsView.as_view(), name="atoms"),
    path("recall", RecallView.as_view(), name="recall"),
    path("context", ContextView.as_view(), name="context"),
    path("answer", AnswerView.as_view(), name="answer"),
    path("catalog", CatalogView.as_view(), name="catalog"),
    path("trace", TraceView.as_view(), name="trace"),
]

urlpatterns = [
    *endpoints,
    path("api/v1/", include(([*endpoints, *reads], "api"), namespace="v1")),
    re_path(r"^api/", NoSuchView.as_view()),
]
