"""The graph in each place in which memories are looked at."""

from django.urls import path

from showcase.graph import views
from showcase.live.signing_in import signed_in

urlpatterns = [
    path("graph/", views.graph, {"place": "demo"}, name="graph"),
    path("live/<uuid:entity_id>/graph/", signed_in(views.graph), {"place": "live"}, name="live_graph"),
]
