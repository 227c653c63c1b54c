"""The site as a Django application: its checks and Celery's application are there once it is loaded."""

from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks
from django.core.checks import CheckMessage
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


class AdminConfig(SimpleAdminConfig):
    """Django's admin on the site that has our theme, dashboard and policy.

    Its pages are loaded with the addresses (`memseek_site.urls`), not by every process: a worker has no use
    for them.
    """

    default_site = "memseek_site.admin_site.MemseekAdminSite"

    def ready(self) -> None:
        """Register the checks of the admin; they load its pages before they look."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_pages, checks.Tags.admin)


def check_pages(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Django's check of every page of the admin."""
    from django.contrib.admin import autodiscover

    autodiscover()
    return check_admin_app(app_configs, **options)
