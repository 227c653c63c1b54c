"""Addresses of the API: some at the root as clients expect them, all under `/api/v1/`."""

from __future__ import annotations

from django.urls import include, path, re_path

from memory.api.catalog import CatalogView
from memory.api.claim_views import ClaimHistoryView, ClaimsView, PoliciesView, SessionClaimsView
from memory.api.compile_views import CompileView
from memory.api.graph_views import GraphRefreshView, GraphView
from memory.api.list_views import AtomsView, ReplayView, RulesView
from memory.api.recall_views import AnswerView, ContextView, RecallView, TraceView
from memory.api.session_views import (
    CompactView,
    DigestsView,
    EndView,
    OpeningView,
    SessionView,
    TurnsView,
)
from memory.api.views import HealthView, NoSuchView, RecordsView, TimelineView

endpoints = [
    path("health", HealthView.as_view(), name="health"),
    path("timeline", TimelineView.as_view(), name="timeline"),
    path("records", RecordsView.as_view(), name="records"),
]
reads = [
    path("rules", RulesView.as_view(), name="rules"),
    path("sessions", OpeningView.as_view(), name="sessions"),
    path("sessions/<uuid:session_id>", SessionView.as_view(), name="session"),
    path("sessions/<uuid:session_id>/turns", TurnsView.as_view(), name="turns"),
    path("sessions/<uuid:session_id>/context", CompileView.as_view(), name="compile"),
    path("sessions/<uuid:session_id>/compact", CompactView.as_view(), name="compact"),
    path("sessions/<uuid:session_id>/end", EndView.as_view(), name="end"),
    path("sessions/<uuid:session_id>/digests", DigestsView.as_view(), name="digests"),
    # The name of a session is whatever it was stored under, slashes too.
    path("sessions/<path:session>/messages", ReplayView.as_view(), name="replay"),
    path("atoms", AtomsView.as_view(), name="atoms"),
    path("recall", RecallView.as_view(), name="recall"),
    path("context", ContextView.as_view(), name="context"),
    path("answer", AnswerView.as_view(), name="answer"),
    path("catalog", CatalogView.as_view(), name="catalog"),
    path("trace", TraceView.as_view(), name="trace"),
    path("sessions/<uuid:session_id>/claims", SessionClaimsView.as_view(), name="session-claims"),
    path("claims", ClaimsView.as_view(), name="claims"),
    path("claims/<uuid:claim_id>/history", ClaimHistoryView.as_view(), name="claim-history"),
    path("policies", PoliciesView.as_view(), name="policies"),
    path("graph", GraphView.as_view(), name="graph"),
    path("graph/refresh", GraphRefreshView.as_view(), name="graph-refresh"),
]

urlpatterns = [
    *endpoints,
    path("api/v1/", include(([*endpoints, *reads], "api"), namespace="v1")),
    re_path(r"^api/", NoSuchView.as_view()),
]
