"""Sessions that take turns, and answers of a model that compacts them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.test import override_settings

from memory.ingest.incoming import IncomingTurn
from memory.ingest.sessions import open_session
from memory.ingest.turns import add_turns
from memory.models import Digest, Entity, Message, Session
from memseek_site.product import SessionSettings
from tests.cascade.story import START


@contextmanager
def folding(*, kept: int = 2, after: int = 4, idle_seconds: float = 0.0) -> Iterator[None]:
    """Other sizes of sessions."""
    sizes = SessionSettings(idle_seconds, kept, after)
    with override_settings(MEMSEEK=replace(settings.MEMSEEK, sessions=sizes)):
        yield


def open_talk(entity: Entity, name: str = "talk", **values: Any) -> Session:
    """A session of the entity that takes turns."""
    opened = open_session(workspace=entity.workspace, entity_name=entity.name, external_id=name, **values)
    return opened.session


def take(session: Session, text: str, *, role: Any = "assistant", **values: Any) -> UUID:
    """Store one turn, a minute after the one before; gives its id."""
    place = Message.objects.filter(session=session).count()
    turn = IncomingTurn(role=role, text=text, **{"occurred_at": START + timedelta(minutes=place), **values})
    return add_turns(session=session, turns=[turn]).messages[0].id


def talk_of(session: Session, count: int) -> list[UUID]:
    """So many turns of Alice and the assistant in turn."""
    first = Message.objects.filter(session=session).count()
    turns = [
        IncomingTurn(
            role="assistant" if place % 2 else "user",
            text=f"Turn {place} speaks of apples.",
            occurred_at=START + timedelta(minutes=place),
        )
        for place in range(first, first + count)
    ]
    calls = [turns[place : place + 100] for place in range(0, count, 100)]
    return [one.id for call in calls for one in add_turns(session=session, turns=call).messages]


def tool_call(call_id: str, name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """A call in OpenAI's shape."""
    function = {"name": name, "arguments": json.dumps(arguments or {})}
    return {"id": call_id, "type": "function", "function": function}


def digest_item(action: str, text: str) -> dict[str, Any]:
    """An item of an answer."""
    return {"action": action, "text": text}


def covered(digest: Digest) -> list[UUID]:
    """The messages that a digest covers, in the order of its evidence."""
    return [pk for pk in digest.evidence.order_by("id").values_list("message_id", flat=True) if pk]


def digests(session: Session) -> list[tuple[str, int, str, int, bool]]:
    """Kind, number, text, until and whether it is current, the first one first."""
    rows = Digest.objects.filter(session=session).order_by("kind", "number")
    return list(rows.values_list("kind", "number", "text", "until_ordinal", "is_head"))
