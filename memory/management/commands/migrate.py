"""`manage.py migrate` as the schema's owner, with the application's rights on what it makes."""

from typing import Any

from django.conf import settings
from django.core.management.commands import migrate

from memseek_site.databases import connected_as_owner, grant_to_application


class Command(migrate.Command):
    """Django's own command, run by the role of DATABASE_OWNER_URL (embedded: `memseek_owner`)."""

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Migrate; the application's role may read and write rows of each table from its first moment."""
        is_looking = options["plan"] or options["check_unapplied"]
        with connected_as_owner():
            if settings.DATABASE_OWNER is not None and not is_looking:
                grant_to_application()
            super().handle(*arguments, **options)
