"""The addresses of the sandbox; records of it have theirs beside these."""

from django.urls import path

from showcase.access import Place
from showcase.sandbox import views

_OWN = {"place": Place.SANDBOX.value}

urlpatterns = [
    path("try/", views.sandbox, name="sandbox"),
    path("try/now/", views.now, _OWN, name="sandbox_now"),
    path("try/say/", views.say, name="sandbox_say"),
    path("try/finish/", views.finish, _OWN, name="sandbox_finish"),
    path("try/leave/", views.leave, _OWN, name="sandbox_leave"),
]
