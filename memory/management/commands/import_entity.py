"""`manage.py import_entity FILE --workspace W`: a memory out of a file that export_entity wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.models import Workspace
from memory.stewardship.exporting import UnreadableExportError, import_entity
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """What came in goes to standard output."""

    help = "Make a new entity out of an export: all of it, or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, where to, and under which name."""
        parser.add_argument("file", type=Path, help="what export_entity wrote")
        parser.add_argument("--workspace", required=True, metavar="NAME", help="an existing workspace")
        parser.add_argument("--name", metavar="NAME", help="of the entity; its own if not given")

    def handle(self, *_: Any, **options: Any) -> None:
        """Import, and say how much."""
        migrate_if_needed()
        workspace = Workspace.objects.filter(name=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}; create_workspace makes one.")
        try:
            with options["file"].open("rb") as source:
                imported = import_entity(workspace=workspace, source=source, name=options["name"])
        except (OSError, UnreadableExportError) as error:
            raise CommandError(f"{error}. Nothing was imported.") from error
        for kind, count in imported.counts.items():
            if count:
                self.stdout.write(f"{kind}: {count:,}")
        self.stdout.write(f"{imported.entity.name} is in {workspace.name}; the index and the graph follow.")
