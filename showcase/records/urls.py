"""Addresses of the records of one memory; included once for each place in which memories are looked at."""

from django.urls import path

from showcase.records import views

urlpatterns = [
    path("scenes/<uuid:id>/", views.scene, name="scene"),
    path("scenes/<uuid:id>/versions/<int:number>/", views.scene_version, name="scene_version"),
    path("scenes/<uuid:id>/difference/", views.scene_difference, name="scene_difference"),
    path("persona/", views.persona, name="persona"),
    path("atoms/<uuid:id>/", views.atom, name="atom"),
    path("messages/<uuid:id>/", views.message, name="message"),
    path("traces/<uuid:id>/", views.trace, name="trace"),
]
