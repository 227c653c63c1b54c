"""`manage.py erase ENTITY --workspace W …`: what somebody said goes for good, with all that came of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from memory.ingest.entities import find_entity
from memory.models import Entity, Erasure, Workspace
from memory.stewardship.actors import RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure, planned, token_of
from memory.stewardship.erasures import sessions_named
from memory.walkthrough.procedures import terminal_actor
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """The counts go to standard output; a terminal asks for the entity's name before anything goes."""

    help = (
        "Count what an erase would take, then do it: at a terminal once the entity's name is typed, in a "
        "script by a second call with --token."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """ENTITY, which of its words, and the token of a preview."""
        parser.add_argument("entity", metavar="ENTITY", help="name of the entity")
        parser.add_argument("--workspace", required=True, metavar="NAME")
        parser.add_argument("--whole", action="store_true", help="the whole entity")
        parser.add_argument("--session", nargs="+", default=(), metavar="NAME", help="sessions, by name")
        parser.add_argument("--message", nargs="+", default=(), type=UUID, metavar="ID", help="messages")
        parser.add_argument("--since", type=_moment, metavar="TIME", help="said from then on (ISO 8601)")
        parser.add_argument("--until", type=_moment, metavar="TIME", help="said before then (ISO 8601)")
        parser.add_argument(
            "--reason", default="", metavar="TEXT", help="kept with the audit; no words of it"
        )
        parser.add_argument("--token", metavar="TOKEN", help="erase exactly what a preview counted")

    def handle(self, *_: Any, **options: Any) -> None:
        """Preview, confirm, erase."""
        migrate_if_needed()
        entity = _entity(options["workspace"], options["entity"])
        try:
            if options["token"]:
                self.erase(planned(entity=entity, token=options["token"]))
            else:
                self.preview(entity, options)
        except RefusedChangeError as error:
            raise CommandError(str(error)) from error

    def preview(self, entity: Entity, options: dict[str, Any]) -> None:
        """Count; a person at the terminal may go on at once."""
        scope = _scope(entity, options)
        plan = plan_erasure(entity=entity, scope=scope, actor=terminal_actor(), reason=options["reason"])
        self.stdout.write("Would go for good:")
        self.tell(plan)
        if not sys.stdin.isatty():
            self.stdout.write(f"Nothing has gone. To erase exactly this: --token {token_of(plan)}")
        elif _typed(f"Type {entity.name} to erase this for good: ") == entity.name:
            self.erase(plan)
        else:
            self.stdout.write("Nothing has gone.")

    def erase(self, plan: Erasure) -> None:
        """Do it."""
        done = erase(erasure=plan, actor=terminal_actor())
        self.stdout.write("Erased:")
        self.tell(done)

    def tell(self, erasure: Erasure) -> None:
        """The counts, a line each."""
        for name, count in erasure.counts.items():
            self.stdout.write(f"  {name.replace('_', ' ')}: {count:,}")
        if not erasure.counts:
            self.stdout.write("  nothing")


def _scope(entity: Entity, options: dict[str, Any]) -> Scope:
    """The one scope that the options name."""
    sessions: Sequence[str] = options["session"]
    scopes = {
        "entity": bool(options["whole"]),
        "session": bool(sessions),
        "messages": bool(options["message"]),
        "period": options["since"] is not None or options["until"] is not None,
    }
    named = [kind for kind, is_named in scopes.items() if is_named]
    if len(named) != 1:
        raise CommandError("Name one of --whole, --session, --message, or a period with --since and --until.")
    return Scope(
        named[0],  # type: ignore[arg-type]  # one of the keys above
        sessions=sessions_named(entity, sessions),
        messages=tuple(options["message"]),
        since=options["since"],
        until=options["until"],
    )


def _moment(text: str) -> datetime:
    """A time for argparse; without a zone it is read in UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_moment.__name__ = "time"


def _typed(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        return ""


def _entity(workspace: str, name: str) -> Entity:
    found = Workspace.objects.filter(name=workspace).first()
    entity = find_entity(workspace=found, name=name) if found else None
    if entity is None:
        raise CommandError(f"There is no entity {name} in a workspace {workspace}.")
    return entity
