"""`manage.py promote --once`: bring the graph up to date now, or for ever without `--once`."""

from __future__ import annotations

import json
import signal
import sys
import threading
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.claims.promotion import PAUSE_SECONDS, Promoted, PromotionWorker, rebuild_graph
from memory.models import Entity
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """The counts go to standard output, progress to standard error."""

    help = (
        "Project atoms that wait into the graph. Any number of these, and of workers, may run at once; "
        "stopped or killed, the next run goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """ENTITY, --workspace, --once, --rebuild, --pause, --json."""
        parser.add_argument("entity", nargs="?", help="one entity only")
        parser.add_argument("--workspace", metavar="NAME", help="where several workspaces have the entity")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--once", action="store_true", help="promote what waits, then end")
        how.add_argument(
            "--rebuild", action="store_true", help="drop the entity's graph and project it anew, then end"
        )
        parser.add_argument(
            "--pause", type=float, default=PAUSE_SECONDS, metavar="SECONDS", help="between two looks"
        )
        parser.add_argument("--json", action="store_true", help="the counts as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Promote; the exit code is 1 when a run failed."""
        migrate_if_needed()
        entity = _entity(options["entity"], options["workspace"])
        if options["rebuild"]:
            if entity is None:
                raise CommandError("--rebuild needs an ENTITY.")
            self.report(rebuild_graph(entity, progress=self.progress), is_json=options["json"])
        elif options["once"]:
            self.report(PromotionWorker(entity, self.progress).run_once(), is_json=options["json"])
        else:
            self.run(PromotionWorker(entity, self.progress), options["pause"])

    def run(self, worker: PromotionWorker, pause_seconds: float) -> None:
        """Go on until a signal comes."""
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        worker.run(stop, pause_seconds=pause_seconds)

    def progress(self, entity: Entity, done: Promoted) -> None:
        """A line after each batch, for whoever watches a terminal."""
        if sys.stderr.isatty():
            print(f"{entity.name}: {done.atoms} atoms, {done.edges_written} edges", file=sys.stderr)

    def report(self, done: Promoted, *, is_json: bool) -> None:
        """The counts, and what was left."""
        if is_json:
            self.stdout.write(json.dumps(asdict(done)))
        else:
            self.stdout.write(
                f"{done.atoms} atoms of {done.entities} entities: {done.edges_written} edges written, "
                f"{done.edges_removed} removed, {done.waiting} atoms still wait."
            )
        if done.failed:
            self.stderr.write("A run failed: see runs of the step promotion in the admin.")
            sys.exit(1)


def _entity(name: str | None, workspace: str | None) -> Entity | None:
    """The entity of this name; CommandError when there is none, or one in several workspaces."""
    if name is None:
        if workspace is not None:
            raise CommandError("--workspace is given together with an ENTITY.")
        return None
    named = Entity.objects.visible().select_related("workspace").filter(name=name)
    found = list(named.filter(workspace__name=workspace) if workspace else named)
    if not found:
        raise CommandError(f"There is no entity {name}.")
    if len(found) > 1:
        raise CommandError(f"Several workspaces have an entity {name}: name one with --workspace.")
    return found[0]
