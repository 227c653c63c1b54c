"""`manage.py migrate` as the schema's owner, and the application's rights afterwards."""

from typing import Any

from django.conf import settings
from django.core.management.commands import migrate

from memseek_site.databases import connected_as_owner, grant_to_application


class Command(migrate.Command):
    """Django's own command, run by the role of DATABASE_OWNER_URL (embedded: `memseek_owner`)."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate, then let the application's role read and write the rows."""
        with connected_as_owner():
            super().handle(*arguments, **options)
            if settings.DATABASE_OWNER is not None and not (options["plan"] or options["check_unapplied"]):
                grant_to_application()
