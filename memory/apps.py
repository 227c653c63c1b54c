"""The memory application."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Registers the tables, the admin and the commands of memory."""

    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"
