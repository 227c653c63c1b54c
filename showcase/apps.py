"""The showcase application."""

from django.apps import AppConfig


class ShowcaseConfig(AppConfig):
    """Pages for people; it has no tables."""

    name = "showcase"
    default_auto_field = "django.db.models.BigAutoField"
