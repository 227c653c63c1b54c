"""`manage.py create_workspace NAME`: a workspace and its first key, as one JSON object."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.ingest.problems import IngestError
from memory.ingest.workspaces import DEFAULT_SCOPES, create_workspace
from memory.management.lifetimes import add_lifetime_argument, end_of
from memory.models import Key
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """Standard output holds the object and nothing else, so that a script can read it."""

    help = "Create a workspace and print it with its API key, which is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        """NAME, --label, --scope and --lifetime."""
        parser.add_argument("name", help="name of the workspace, up to 64 characters")
        parser.add_argument("--label", default="first key", help="what the key is for")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Key.Scope.values,
            help=f"what the key may do; repeat it for several ({' and '.join(DEFAULT_SCOPES)})",
        )
        add_lifetime_argument(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Create and print, or say why not on standard error."""
        migrate_if_needed()
        scopes = options["scope"] or DEFAULT_SCOPES
        try:
            made = create_workspace(
                name=options["name"],
                label=options["label"],
                scopes=scopes,
                expires_at=end_of(options["lifetime"]),
            )
        except IngestError as error:
            raise CommandError(str(error)) from error
        shown = {"workspace": made.workspace.name, "id": str(made.workspace.pk), "api_key": made.token}
        self.stdout.write(json.dumps(shown, ensure_ascii=False))
