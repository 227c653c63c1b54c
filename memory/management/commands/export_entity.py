"""`manage.py export_entity NAME FILE --workspace W`: one memory as a file of JSON lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.ingest.entities import find_entity
from memory.models import Entity, Workspace
from memory.stewardship.exporting import Export, open_export
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed

OWNER_ONLY = 0o600
UNFINISHED = ".part"


class Command(MemseekCommand):
    """What was written goes to standard output."""

    help = "Write everything that makes up the memory of an entity into a file; import_entity reads it."

    def add_arguments(self, parser: CommandParser) -> None:
        """NAME, FILE and the workspace."""
        parser.add_argument("entity", metavar="NAME", help="name of the entity")
        parser.add_argument("file", type=Path, help="the file to be written; it must not be there yet")
        parser.add_argument("--workspace", required=True, metavar="NAME")

    def handle(self, *_: Any, **options: Any) -> None:
        """Export, and say how much."""
        migrate_if_needed()
        entity = _entity(options["workspace"], options["entity"])
        path: Path = options["file"]
        if path.exists():
            raise CommandError(f"{path} is there already.")
        try:
            with open_export(entity=entity) as export:
                _write(export, path)
        except OSError as error:
            raise CommandError(str(error)) from error
        for kind, count in export.manifest.counts.items():
            if count:
                self.stdout.write(f"{kind}: {count:,}")
        self.stdout.write(f"SHA-256 of the rows: {export.manifest.sha256}")


def _write(export: Export, path: Path) -> None:
    """Under its name the file is whole or not there; only its owner may read what was said."""
    unfinished = path.with_name(path.name + UNFINISHED)
    opened = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    try:
        with os.fdopen(opened, "wb") as file:
            for chunk in export.chunks():
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _entity(workspace: str, name: str) -> Entity:
    found = Workspace.objects.filter(name=workspace).first()
    entity = find_entity(workspace=found, name=name) if found else None
    if entity is None:
        raise CommandError(f"There is no entity {name} in a workspace {workspace}.")
    return entity
