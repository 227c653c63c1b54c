"""The site as a Django application: its checks and Celery's application are there once it is loaded."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Loads what has to be known to every process."""

    name = "memseek_site"
    label = "memseek_site"
    verbose_name = "Memseek"

    def ready(self) -> None:
        """Register the checks, and make tasks of this process go to the configured broker."""
        from memseek_site import celery, checks  # noqa: F401
