"""Telling an entity something and settling its cascade with a scripted model, in a line or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from memory.cascade.engine import settle_entity
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Entity, Message, Run
from tests.factories import make_workspace
from tests.scripted_model import Script, ScriptedModel, by_task

START = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
NOTHING: Mapping[str, Any] = {"items": [], "nothing_reason": "nothing"}


def an_entity(name: str = "agent.alice", *, workspace: str = "demo", time_zone: str = "UTC") -> Entity:
    """An entity with its work rows, as ingest makes it."""
    return ensure_entity(workspace=make_workspace(workspace), name=name, time_zone=time_zone)


def say(
    entity: Entity,
    *texts: str,
    session: str = "s",
    role: Literal["user", "assistant", "tool", "system"] = "user",
    speaker: str = "Alice",
    at: datetime | None = START,
    **values: Any,
) -> list[Message]:
    """Store messages a minute apart and return their rows."""
    start = Message.objects.for_entity(entity).count()
    messages = [
        IncomingMessage(
            session=session,
            role=role,
            speaker=speaker,
            text=text,
            occurred_at=at and at + timedelta(minutes=start + place),
            **values,
        )
        for place, text in enumerate(texts)
    ]
    # Each alone: a batch that begins like the session would count as a resent transcript.
    stored = [append_messages(entity=entity, messages=[message]).messages[0] for message in messages]
    return [Message.objects.get(pk=message.id) for message in stored]


def settle(entity: Entity, *script: Script, **by_step: Script) -> ScriptedModel:
    """Settle with answers in order; or by step (`l1_extract=…`), where a step not named finds nothing."""
    steps = ("l1_extract", "scene_synthesis", "persona", "compaction", "skill_extract")
    answers = {**dict.fromkeys(steps, NOTHING), **by_step}
    model = ScriptedModel(script, otherwise=by_task(answers))
    settle_entity(entity, model=model)
    mistakes = (
        Run.objects.for_entity(entity).filter(error_kind="internal").values_list("error_text", flat=True)
    )
    assert list(mistakes) == []
    return model


def store(text: str, *messages: str, **values: Any) -> dict[str, Any]:
    """A decision to store a claim."""
    return {"action": "store", "text": text, "messages": list(messages or ["m1"]), **values}


def merge(text: str, targets: Sequence[str], *messages: str, **values: Any) -> dict[str, Any]:
    """A decision to replace claims."""
    return {
        "action": "merge",
        "text": text,
        "targets": list(targets),
        "messages": list(messages or ["m1"]),
        "reason": "value",
        **values,
    }


def skip(targets: Sequence[str], *messages: str, reason: str = "said already") -> dict[str, Any]:
    """A decision that nothing is new."""
    return {
        "action": "skip",
        "targets": list(targets),
        "messages": list(messages or ["m1"]),
        "reason": reason,
    }


def create(title: str, *lines: tuple[str, str, list[str]], **values: Any) -> dict[str, Any]:
    """A scene to open, with lines of (section, text, atoms)."""
    return {"action": "create", "title": title, "lines": [added(*line) for line in lines], **values}


def update(scene: str, *lines: Mapping[str, Any], **values: Any) -> dict[str, Any]:
    """Changed lines of a scene."""
    return {"action": "update", "scene": scene, "lines": list(lines), **values}


def added(section: str, text: str, atoms: list[str]) -> dict[str, Any]:
    """A line to add."""
    return {"op": "add", "section": section, "text": text, "atoms": atoms}


def replaced(line: str, section: str, text: str, atoms: list[str]) -> dict[str, Any]:
    """A line in place of another."""
    return {"op": "replace", "line": line, "section": section, "text": text, "atoms": atoms}


def answer(*items: Mapping[str, Any], nothing_reason: str | None = None) -> dict[str, Any]:
    """A whole answer."""
    return {"items": list(items), "nothing_reason": nothing_reason}


def runs(entity: Entity, step: str = "l1_extract") -> list[Run]:
    """The runs of a step, the first one first."""
    return list(Run.objects.for_entity(entity).filter(step=step).order_by("started_at"))
