"""Addresses of the pages."""

from django.urls import path
from django.views.generic import RedirectView

from showcase import views

app_name = "showcase"

urlpatterns = [
    path("", views.home, name="home"),
    path("showcase/", RedirectView.as_view(pattern_name="showcase:agent_memory"), name="index"),
    path("showcase/agent-memory/", views.agent_memory, name="agent_memory"),
]
