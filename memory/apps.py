"""The memory application."""

from django.apps import AppConfig


class MemoryConfig(AppConfig):
    """Registers the tables, the admin and the commands of memory."""

    name = "memory"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the checks of what the settings name."""
        from memory.claims import checks as _of_claims  # noqa: F401
        from memory.llm import checks  # noqa: F401
