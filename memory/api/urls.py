"""Addresses of the API: some at the root as clients expect them, all under `/api/v1/`."""

from __future__ import annotations

from django.urls import include, path, re_path
from django.views.generic import RedirectView

from memory.api import correction_views as views
from memory.api.catalog import CatalogView
from memory.api.claim_views import ClaimHistoryView, ClaimsView, PoliciesView, SessionClaimsView
from memory.api.compile_views import CompileView
from memory.api.entity_views import EntitiesView, EntityStatusView, EntityView, FlushView
from memory.api.event_views import EventsView
from memory.api.feedback_views import FeedbackView, UsesView, UseView
from memory.api.forget_views import (
    EraseConfirmView,
    EraseView,
    ErasuresView,
    ForgetConfirmView,
    ForgetView,
)
from memory.api.graph_views import GraphRefreshView, GraphView
from memory.api.key_views import KeyRevokeView, KeysView
from memory.api.link_views import LinksView
from memory.api.list_views import AtomsView, ReplayView, RulesView
from memory.api.operations.views import DocumentView, docs_page
from memory.api.portable_views import ExportView, ImportView
from memory.api.recall_views import AnswerView, ContextView, RecallView, TraceView
from memory.api.record_views import (
    ChangesView,
    ReadableAtomView,
    ReadableRecordsView,
    RecordChangesView,
    RecordView,
)
from memory.api.review_views import ApproveView, EditView, RejectView, RetireView, RollbackView
from memory.api.run_views import (
    ParkedView,
    RetryBatchView,
    RetryView,
    RunsView,
    RunView,
    WorkView,
)
from memory.api.scene_views import (
    PersonaView,
    SceneDifferenceView,
    SceneVersionsView,
    SceneVersionView,
    WordingsView,
)
from memory.api.session_views import (
    CompactView,
    DigestsView,
    EndView,
    OpeningView,
    SessionView,
    TurnsView,
)
from memory.api.share_views import SharesView, ShareView
from memory.api.skill_views import (
    DraftsView,
    ProceduresView,
    ProcedureView,
    TaskTraceView,
    TracesView,
    VersionsView,
    VersionView,
)
from memory.api.views import HealthView, NoSuchView, TimelineView

endpoints = [
    path("health", HealthView.as_view(), name="health"),
    path("timeline", TimelineView.as_view(), name="timeline"),
    path("records", ReadableRecordsView.as_view(), name="records"),
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
    path("openapi.json", DocumentView.as_view(), name="openapi"),
    path("trace", TraceView.as_view(), name="trace"),
    path("sessions/<uuid:session_id>/claims", SessionClaimsView.as_view(), name="session-claims"),
    path("claims", ClaimsView.as_view(), name="claims"),
    path("claims/<uuid:claim_id>/history", ClaimHistoryView.as_view(), name="claim-history"),
    path("policies", PoliciesView.as_view(), name="policies"),
    path("graph", GraphView.as_view(), name="graph"),
    path("forget", ForgetView.as_view(), name="forget"),
    path("forget/confirm", ForgetConfirmView.as_view(), name="forget-confirm"),
    path("erase", EraseView.as_view(), name="erase"),
    path("erase/confirm", EraseConfirmView.as_view(), name="erase-confirm"),
    path("erasures", ErasuresView.as_view(), name="erasures"),
    # The name of an entity may hold slashes too.
    path("entities/<path:name>/export", ExportView.as_view(), name="export"),
    path("entities/<path:name>/import", ImportView.as_view(), name="import"),
    path("graph/refresh", GraphRefreshView.as_view(), name="graph-refresh"),
]
skills = [
    path("traces", TracesView.as_view(), name="traces"),
    path("traces/<uuid:trace_id>", TaskTraceView.as_view(), name="task-trace"),
    path("procedures", ProceduresView.as_view(), name="procedures"),
    path("procedures/<uuid:procedure_id>", ProcedureView.as_view(), name="procedure"),
    path("procedures/<uuid:procedure_id>/versions", VersionsView.as_view(), name="versions"),
    path("procedures/<uuid:procedure_id>/rollback", RollbackView.as_view(), name="rollback"),
    path("procedures/<uuid:procedure_id>/retire", RetireView.as_view(), name="retire"),
    path("versions/<uuid:version_id>", VersionView.as_view(), name="version"),
    path("drafts", DraftsView.as_view(), name="drafts"),
    path("drafts/<uuid:version_id>", VersionView.as_view(), name="draft"),
    path("drafts/<uuid:version_id>/approve", ApproveView.as_view(), name="approve"),
    path("drafts/<uuid:version_id>/edit", EditView.as_view(), name="edit"),
    path("drafts/<uuid:version_id>/reject", RejectView.as_view(), name="reject"),
    path("uses", UsesView.as_view(), name="uses"),
    path("uses/<uuid:use_id>", UseView.as_view(), name="use"),
    path("feedback", FeedbackView.as_view(), name="feedback"),
]
corrections = [
    path("atoms/<uuid:atom_id>", ReadableAtomView.as_view(), name="atom"),
    path("atoms/<uuid:atom_id>/retract", views.AtomRetractView.as_view(), name="atom-retract"),
    path("atoms/<uuid:atom_id>/restore", views.AtomRestoreView.as_view(), name="atom-restore"),
    path("scenes", views.ScenesView.as_view(), name="scenes"),
    path("scenes/<uuid:scene_id>", views.SceneView.as_view(), name="scene"),
    path("scenes/<uuid:scene_id>/preview", views.ScenePreviewView.as_view(), name="scene-preview"),
    path("scenes/<uuid:scene_id>/pins", views.ScenePinsView.as_view(), name="scene-pins"),
    path("scenes/<uuid:scene_id>/merge", views.SceneMergeView.as_view(), name="scene-merge"),
    path("scenes/<uuid:scene_id>/retire", views.SceneRetireView.as_view(), name="scene-retire"),
    path("scenes/<uuid:scene_id>/restore", views.SceneRestoreView.as_view(), name="scene-restore"),
    path("traits", views.TraitsView.as_view(), name="traits"),
    path("traits/<uuid:trait_id>/retract", views.TraitRetractView.as_view(), name="trait-retract"),
    path("traits/<uuid:trait_id>/restore", views.TraitRestoreView.as_view(), name="trait-restore"),
]

doors = [
    path("records/changes", ChangesView.as_view(), name="changes"),
    path("records/<uuid:record_id>", RecordView.as_view(), name="record"),
    path("records/<uuid:record_id>/changes", RecordChangesView.as_view(), name="record-changes"),
    path("scenes/<uuid:scene_id>/versions", SceneVersionsView.as_view(), name="scene-versions"),
    path("scenes/<uuid:scene_id>/versions/<int:number>", SceneVersionView.as_view(), name="scene-version"),
    path("scenes/<uuid:scene_id>/difference", SceneDifferenceView.as_view(), name="scene-difference"),
    path("persona", PersonaView.as_view(), name="persona"),
    path("persona/<uuid:trait_id>/versions", WordingsView.as_view(), name="trait-versions"),
    path("runs", RunsView.as_view(), name="runs"),
    path("runs/<uuid:run_id>", RunView.as_view(), name="run"),
    path("work", WorkView.as_view(), name="work"),
    path("parked", ParkedView.as_view(), name="parked"),
    path("parked/retry", RetryView.as_view(), name="parked-retry"),
    path("parked/<uuid:run_id>/retry", RetryBatchView.as_view(), name="batch-retry"),
    path("keys", KeysView.as_view(), name="keys"),
    path("keys/<uuid:key_id>/revoke", KeyRevokeView.as_view(), name="key-revoke"),
    path("entities", EntitiesView.as_view(), name="entities"),
    # Names of entities may hold slashes, so that the longer addresses come first.
    path("entities/<path:name>/status", EntityStatusView.as_view(), name="entity-status"),
    path("entities/<path:name>/flush", FlushView.as_view(), name="entity-flush"),
    path("entities/<path:name>/shares/<path:reader>", ShareView.as_view(), name="share"),
    path("entities/<path:name>/shares", SharesView.as_view(), name="shares"),
    path("entities/<path:name>", EntityView.as_view(), name="entity"),
]

links = [path("links", LinksView.as_view(), name="links")]

streams = [path("events", EventsView.as_view(), name="events")]

urlpatterns = [
    *endpoints,
    path(
        "api/v1/",
        include(
            ([*endpoints, *reads, *skills, *corrections, *doors, *links, *streams], "api"), namespace="v1"
        ),
    ),
    path("api/docs/", docs_page, name="api-docs"),
    path("api/docs", RedirectView.as_view(pattern_name="api-docs")),
    re_path(r"^api/", NoSuchView.as_view()),
]
