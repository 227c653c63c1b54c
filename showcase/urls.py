"""Addresses of the pages. Each page's own are in a module of its own, included here."""

from django.urls import include, path

from showcase import views
from showcase.records.urls import urlpatterns as records
from showcase.theme import choose_theme

app_name = "showcase"
MEMORY = "showcase/agent-memory/"

urlpatterns = [
    path("", views.home, name="home"),
    path("showcase/", views.index, name="index"),
    path("showcase/theme/", choose_theme, name="theme"),
    path(MEMORY, views.agent_memory, name="agent_memory"),
    path(MEMORY, include("showcase.composer.urls")),
    path(MEMORY, include("showcase.graph.urls")),
    path(MEMORY, include("showcase.reactor.urls")),
    path(MEMORY, include("showcase.skills.urls")),
    path(MEMORY, include("showcase.sandbox.urls")),
    path(MEMORY, include("showcase.live.urls")),
    path(MEMORY, include((records, "records"), namespace="demo"), {"place": "demo"}),
    path(
        f"{MEMORY}live/<uuid:entity_id>/",
        include((records, "records"), namespace="live"),
        {"place": "live"},
    ),
    path(f"{MEMORY}try/", include((records, "records"), namespace="sandbox"), {"place": "sandbox"}),
]
