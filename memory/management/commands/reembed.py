"""`manage.py reembed`: vectors of the embedder in use for everything that has none."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from memory.indexing.reembedding import embed_missing, remove_other_vectors
from memory.indexing.step import queue_missing_vectors
from memory.llm.embedders.protocol import Embedder, EmbeddingError
from memory.llm.embedders.registry import configured_embedder
from memory.models import Entity
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """The report goes to standard output, progress to standard error."""

    help = (
        "Give everything a vector of the embedder in use. Search by words goes on meanwhile; "
        "stopping it loses nothing, the next run goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """--workspace, --entity and --remove-others."""
        parser.add_argument("--workspace", metavar="NAME", help="entities of this workspace only")
        parser.add_argument("--entity", metavar="NAME", help="entities of this name only")
        parser.add_argument(
            "--remove-others", action="store_true", help="then take away the vectors of other models"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Queue what lacks a vector, then embed it; the exit code is 1 when something is left."""
        embedder = configured_embedder()
        if embedder is None:
            raise CommandError("No embedder is in use: see MEMSEEK_EMBEDDING_PROVIDER.")
        migrate_if_needed()
        entities = list(_entities(options["workspace"], options["entity"]))
        if not entities:
            raise CommandError("There is no such entity.")
        try:
            self.embed(entities, embedder)
        except EmbeddingError as error:
            raise CommandError(
                f"The embedder does not answer ({error}). What lacks a vector stays in line: "
                "run this again, or leave it to the worker."
            ) from error
        if options["remove_others"]:
            removed = sum(remove_other_vectors(entity.pk, embedder.space) for entity in entities)
            self.stdout.write(f"{removed} vectors of other models are removed.")

    def embed(self, entities: list[Entity], embedder: Embedder) -> None:
        """Work through all entities under a bar that is drawn on a terminal only."""
        space = embedder.space
        queued = {entity.pk: queue_missing_vectors(entity, embedder) for entity in entities}
        total = sum(queued.values())
        self.stdout.write(f"{total} rows of {len(entities)} entities are in line for a vector in {space}.")
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        left = []
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("Embedding", total=total)
            for entity in entities:
                if queued[entity.pk]:
                    bar.update(task, description=entity.name)
                    if not embed_missing(entity.pk, embedder, progress=lambda done: bar.advance(task, done)):
                        left.append(entity.name)
        self.report(space, left)

    def report(self, space: str, left: list[str]) -> None:
        """The end: all done, or whose rows a worker has in hand."""
        if left:
            raise CommandError(f"Another process is indexing {', '.join(left)}; run this again to be sure.")
        self.stdout.write(f"Everything has a vector in {space}.")


def _entities(workspace: str | None, name: str | None) -> QuerySet[Entity]:
    entities = Entity.objects.visible().order_by("workspace", "name")
    if workspace is not None:
        entities = entities.filter(workspace__name=workspace)
    return entities if name is None else entities.filter(name=name)
