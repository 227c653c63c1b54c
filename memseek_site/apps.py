"""The site as a Django application: its checks and Celery's application are there once it is loaded."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig
from django.db.backends.signals import connection_created


class SiteConfig(AppConfig):
    """Loads what has to be known to every process."""

    name = "memseek_site"
    label = "memseek_site"
    verbose_name = "Memseek"

    def ready(self) -> None:
        """Register the checks, have tasks of this process go to the configured broker, and statements end."""
        from memseek_site import celery, checks  # noqa: F401
        from memseek_site.statement_limits import apply_limit

        connection_created.connect(apply_limit)


class AdminConfig(DjangoAdminConfig):
    """Django's admin on the site that has our theme, dashboard and policy."""

    default_site = "memseek_site.admin_site.MemseekAdminSite"
