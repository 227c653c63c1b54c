"""The addresses of the live view; records of an entity have theirs beside these."""

from django.urls import path

from showcase.live import changing, forgetting, views

urlpatterns = [
    path("live/", views.live, name="live"),
    path("live/sign-in/", views.SignIn.as_view(), name="sign_in"),
    path("live/sign-out/", views.SignOut.as_view(), name="sign_out"),
    path("live/<uuid:entity_id>/", views.live_entity, name="live_entity"),
    path("live/<uuid:entity_id>/now/", views.live_now, name="live_now"),
    path("live/<uuid:entity_id>/retry/", views.retry, name="live_retry"),
    path("live/<uuid:entity_id>/forget/", forgetting.forget, name="live_forget"),
    path(
        "live/<uuid:entity_id>/change/<slug:table>/<uuid:id>/<slug:name>/",
        changing.change,
        name="live_change",
    ),
]
