"""`manage.py walkthrough`: the tour, then a prompt with the commands."""

from __future__ import annotations

import math
import os
import sys
from contextlib import ExitStack
from typing import Any, TextIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.ingest.entities import ensure_entity, refuse_name
from memory.ingest.problems import IngestError
from memory.ingest.workspaces import WORKSPACE_NAME_LIMIT
from memory.llm.embedders.registry import query_embedding
from memory.models import Entity, Workspace
from memory.walkthrough.access import MemoryProblemError
from memory.walkthrough.local import ONLY_WORDS, LocalMemory
from memory.walkthrough.naming import entity_name, new_run_id
from memory.walkthrough.screen import JsonScreen, Screen, TextScreen
from memory.walkthrough.shell import asked_at_terminal, run_shell
from memory.walkthrough.tour import TourUnfinishedError, run_tour
from memseek_site.serving import migrate_if_needed
from memseek_site.workers import ensure_worker

DEFAULT_TIMEOUT_SECONDS = 120.0
EXIT_INTERRUPTED = 130


class Command(BaseCommand):
    """Piped input runs as a script."""

    help = "Walk through a four-layer memory: the tour, then a prompt. AGENT_MEMORY_RUN_ID names the run."

    def add_arguments(self, parser: CommandParser) -> None:
        """--workspace, --json, --no-input, --no-tour and --timeout."""
        parser.add_argument("--workspace", default="demo", metavar="NAME", help="workspace to use (demo)")
        parser.add_argument("--json", action="store_true", help="one JSON object for each command")
        parser.add_argument(
            "--no-input", action="store_true", help="ask nothing; what waits for approval goes on waiting"
        )
        parser.add_argument("--no-tour", action="store_true", help="go to the prompt at once")
        parser.add_argument(
            "--timeout",
            type=_seconds,
            default=DEFAULT_TIMEOUT_SECONDS,
            metavar="S",
            help=f"longest wait for the cascade, in seconds ({DEFAULT_TIMEOUT_SECONDS:.0f})",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Prepare the entity and a worker, tell the story, answer commands."""
        source, out, notices = _streams(self)
        screen: Screen = (JsonScreen if options["json"] else TextScreen)(out, notices)
        migrate_if_needed()
        try:
            with ExitStack() as ended:
                entity = self.prepare(options["workspace"], screen)
                if not settings.MEMSEEK.is_llm_fake:
                    ended.enter_context(ensure_worker(screen.notice))
                self.walk(entity, screen, source, options)
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)
        except BrokenPipeError:
            # Whoever read the pages has seen enough; the interpreter must not flush into the closed pipe.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def prepare(self, workspace: str, screen: Screen) -> Entity:
        """The entity of the run, with a word about how to come back to it."""
        run_id = settings.MEMSEEK.agent_memory_run_id
        chosen = run_id or new_run_id()
        place = _workspace(workspace)
        entity = ensure_entity(workspace=place, name=entity_name(chosen))
        hint = "" if run_id else f" (AGENT_MEMORY_RUN_ID={chosen} comes back to it)"
        screen.write(f"Memory of {entity.name} in workspace {place.name}{hint}\n")
        if settings.MEMSEEK.is_llm_fake:
            screen.write(f"{ONLY_WORDS}\n")
        return entity

    def walk(self, entity: Entity, screen: Screen, source: TextIO, options: dict[str, Any]) -> None:
        """The tour, unless it is not wanted, and the prompt."""
        timeout = options["timeout"]
        is_prompting = source.isatty() and not options["json"]
        ask = asked_at_terminal if is_prompting and not options["no_input"] else None
        # By the first question the embedder is there.
        query_embedding().warm_up()
        if not options["no_tour"]:
            try:
                run_tour(
                    workspace=entity.workspace,
                    entity=entity,
                    output=screen,
                    timeout_seconds=timeout,
                    ask=ask,
                )
            except TourUnfinishedError as problem:
                screen.write(f"The tour stopped: {problem}.\nA second start goes on from here.\n")
        memory = LocalMemory(entity, timeout_seconds=timeout)
        if is_prompting:
            screen.write("\nType help to see the commands, quit to leave.\n")
        run_shell(memory=memory, screen=screen, source=source, is_prompting=is_prompting)
        try:
            memory.close()
        except MemoryProblemError as problem:
            screen.notice(str(problem))


def _seconds(text: str) -> float:
    """A length of time for argparse, which tells about a ValueError."""
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise ValueError(text)
    return seconds


_seconds.__name__ = "number of seconds"


def _workspace(name: str) -> Workspace:
    """The workspace of this name, made when missing."""
    try:
        refuse_name(name)
    except IngestError as problem:
        raise CommandError(f"--workspace {problem.problems[0].problem}") from problem
    if len(name) > WORKSPACE_NAME_LIMIT:
        raise CommandError(f"--workspace has more than {WORKSPACE_NAME_LIMIT} characters")
    return Workspace.objects.get_or_create(name=name)[0]


def _streams(command: BaseCommand) -> tuple[TextIO, TextIO, TextIO]:
    """Input, output and notices; bytes that are no text, and characters that cannot be shown, do no harm."""
    # What Django's wrapper writes to: the wrapper itself would add line breaks.
    out: TextIO = command.stdout.__dict__["_out"]
    for stream, errors in ((sys.stdin, "surrogateescape"), (out, "replace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)
    return sys.stdin, out, sys.stderr
