"""Addresses of the skill loop."""

from django.urls import path

from showcase.skills.views import skills

urlpatterns = [
    path("skills/", skills, name="skills"),
    path("skills/<uuid:id>/", skills, name="skill"),
]
