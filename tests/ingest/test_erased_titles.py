"""A file that is imported again brings back neither an erased conversation nor what it was called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.ingest.entities import find_entity
from memory.ingest.importing import import_file
from memory.models import Entity, Message, Session
from memory.stewardship.actors import Actor
from memory.stewardship.erasing import Scope, erase, plan_erasure
from tests.factories import make_workspace

pytestmark = pytest.mark.django_db(transaction=True)

SAID = ("My badge is kwokkalotl.", "I drink tea.")
OPERATOR = Actor(name="boss")


def export_of(path: Path, said: Sequence[str] = SAID) -> Path:
    """One conversation as Claude exports it, under a title that repeats its first words."""
    told = [
        {"uuid": f"m{place}", "text": text, "sender": "human", "created_at": "2026-01-01T00:00:00Z"}
        for place, text in enumerate(said)
    ]
    path.write_text(json.dumps([{"uuid": "u1", "name": "Kwokkalotl badge", "chat_messages": told}]))
    return path


def imported(path: Path) -> Entity:
    import_file(workspace=make_workspace(), path=path, entity="agent.alice")
    entity = find_entity(workspace=make_workspace(), name="agent.alice")
    assert entity is not None
    return entity


def forget(entity: Entity, scope: Scope) -> None:
    erase(erasure=plan_erasure(entity=entity, scope=scope, actor=OPERATOR), actor=OPERATOR)


def titles() -> list[str]:
    return list(Session.objects.values_list("title", flat=True))


def test_a_title_that_was_erased_is_not_given_again(tmp_path: Path) -> None:
    path = export_of(tmp_path / "claude.json")
    entity = imported(path)
    assert titles() == ["Kwokkalotl badge"]
    said = Message.objects.for_entity(entity).get(text=SAID[0])
    forget(entity, Scope("messages", messages=(said.pk,)))
    imported(path)
    assert titles() == [""]


def test_a_title_is_not_given_before_the_whole_conversation_was_read(tmp_path: Path) -> None:
    path = export_of(tmp_path / "claude.json", [*(f"Word {place}." for place in range(120)), SAID[0]])
    entity = imported(path)
    said = Message.objects.for_entity(entity).get(text=SAID[0])
    forget(entity, Scope("messages", messages=(said.pk,)))
    imported(path)
    assert titles() == [""]


@pytest.mark.parametrize("kind", ["session", "entity"])
def test_a_conversation_that_was_erased_whole_leaves_no_shell(kind: str, tmp_path: Path) -> None:
    path = export_of(tmp_path / "claude.json")
    entity = imported(path)
    sessions = tuple(Session.objects.values_list("pk", flat=True))
    forget(entity, Scope("session", sessions=sessions) if kind == "session" else Scope("entity"))
    imported(path)
    assert titles() == []
    imported(export_of(path, [*SAID, "What is new?"]))
    assert titles() == [""]
