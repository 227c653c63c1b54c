"""The composer in each place in which memories are looked at."""

from django.urls import path

from showcase.composer import views
from showcase.live.signing_in import signed_in

urlpatterns = [
    path("composer/", views.composer, {"place": "demo"}, name="composer"),
    path(
        "live/<uuid:entity_id>/composer/", signed_in(views.composer), {"place": "live"}, name="live_composer"
    ),
    path("try/composer/", views.composer, {"place": "sandbox"}, name="sandbox_composer"),
]
