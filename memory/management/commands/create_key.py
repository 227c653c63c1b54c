"""`manage.py create_key WORKSPACE`: a further key, as one JSON object."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.ingest.entities import find_entity
from memory.ingest.problems import IngestError
from memory.ingest.workspaces import DEFAULT_SCOPES, create_key
from memory.management.lifetimes import add_lifetime_argument, end_of
from memory.models import Entity, Key, Workspace
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """Standard output holds the object and nothing else, so that a script can read it."""

    help = "Make a key of a workspace and print it, this once: for some of its entities, for some time."

    def add_arguments(self, parser: CommandParser) -> None:
        """WORKSPACE, --label, --scope, --entity and --lifetime."""
        parser.add_argument("workspace", help="name of the workspace")
        parser.add_argument("--label", default="", help="what the key is for, up to 64 characters")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Key.Scope.values,
            help=f"what the key may do; repeat it for several ({' and '.join(DEFAULT_SCOPES)})",
        )
        parser.add_argument(
            "--entity",
            action="append",
            default=[],
            metavar="NAME",
            help="an entity that it opens, and no other; repeat it for several (all of the workspace)",
        )
        add_lifetime_argument(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Make and print, or say why not on standard error."""
        migrate_if_needed()
        workspace = _workspace(options["workspace"])
        try:
            issued = create_key(
                workspace=workspace,
                label=_label(options["label"]),
                scopes=options["scope"] or DEFAULT_SCOPES,
                entities=[_entity(workspace, name) for name in dict.fromkeys(options["entity"])],
                expires_at=end_of(options["lifetime"]),
            )
        except IngestError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(_shown(issued.key, issued.token), ensure_ascii=False))


def _shown(key: Key, token: str) -> dict[str, Any]:
    return {
        "workspace": key.workspace.name,
        "id": str(key.pk),
        "scopes": key.scopes,
        "entities": sorted(key.entities.values_list("name", flat=True)),
        "expires_at": key.expires_at and key.expires_at.isoformat(),
        "api_key": token,
    }


def _workspace(name: str) -> Workspace:
    found = Workspace.objects.filter(name=name).first()
    if found is None:
        raise CommandError("There is no workspace of this name.")
    return found


def _entity(workspace: Workspace, name: str) -> Entity:
    found = find_entity(workspace=workspace, name=name)
    if found is None:
        raise CommandError(
            f"The workspace has no entity {name!r}. Its first words make it, or POST /api/v1/entities."
        )
    return found


def _label(text: str) -> str:
    limit = Key._meta.get_field("label").max_length
    if limit is not None and len(text) > limit:
        raise CommandError(f"--label has more than {limit} characters")
    return text
