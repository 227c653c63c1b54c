"""Addresses of the reactor."""

from django.urls import path

from showcase.reactor.views import reactor

urlpatterns = [
    path("reactor/", reactor, name="reactor"),
    path("reactor/<slug:slug>/", reactor, name="reactor_stage"),
]
