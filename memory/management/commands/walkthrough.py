"""`manage.py walkthrough`: the tour, then a prompt with the commands."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, TextIO

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memory.ingest.entities import ensure_entity, refuse_name
from memory.ingest.problems import IngestError
from memory.ingest.workspaces import WORKSPACE_NAME_LIMIT
from memory.llm.embedders.registry import query_embedding
from memory.measuring.only_words import ONLY_WORDS
from memory.models import Entity, Workspace
from memory.walkthrough.local import LocalMemory
from memory.walkthrough.naming import entity_name, greeting, new_run_id
from memory.walkthrough.screen import Screen
from memory.walkthrough.walking import add_walking_arguments, leaving_quietly, walk_of, walk_through
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed
from memseek_site.workers import ensure_worker


class Command(MemseekCommand):
    """Piped input runs as a script."""

    help = "Walk through a four-layer memory: the tour, then a prompt. AGENT_MEMORY_RUN_ID names the run."

    def add_arguments(self, parser: CommandParser) -> None:
        """--workspace, --json, --no-input, --no-tour and --timeout."""
        parser.add_argument("--workspace", default="demo", metavar="NAME", help="workspace to use (demo)")
        add_walking_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Prepare the entity and a worker, tell the story, answer commands."""
        # What Django's wrapper writes to: the wrapper itself would add line breaks.
        out: TextIO = self.stdout.__dict__["_out"]
        walk = walk_of(options, out)
        migrate_if_needed()
        with leaving_quietly(), ExitStack() as ended:
            entity = self.prepare(options["workspace"], walk.screen)
            if not settings.MEMSEEK.is_llm_fake:
                ended.enter_context(ensure_worker(walk.screen.notice))
            # By the first question the embedder is there.
            query_embedding().warm_up()
            walk_through(LocalMemory(entity, timeout_seconds=walk.timeout_seconds), walk)

    def prepare(self, workspace: str, screen: Screen) -> Entity:
        """The entity of the run, with a word about how to come back to it."""
        run_id = settings.MEMSEEK.agent_memory_run_id
        chosen = run_id or new_run_id()
        place = _workspace(workspace)
        entity = ensure_entity(workspace=place, name=entity_name(chosen))
        screen.write(greeting(entity.name, f"in workspace {place.name}", "" if run_id else chosen))
        if settings.MEMSEEK.is_llm_fake:
            screen.write(f"{ONLY_WORDS}\n")
        return entity


def _workspace(name: str) -> Workspace:
    """The workspace of this name, made when missing."""
    try:
        refuse_name(name)
    except IngestError as problem:
        raise CommandError(f"--workspace {problem.problems[0].problem}") from problem
    if len(name) > WORKSPACE_NAME_LIMIT:
        raise CommandError(f"--workspace has more than {WORKSPACE_NAME_LIMIT} characters")
    return Workspace.objects.get_or_create(name=name)[0]
