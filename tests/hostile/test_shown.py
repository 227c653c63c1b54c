"""Stored text that gives orders stays what somebody said: inside its fence, at every way out."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from memory.indexing.step import index_entity
from memory.ingest.recalled import NAME, strip_recalled
from memory.ingest.workspaces import create_key
from memory.mcp.catalog import TOOLS
from memory.mcp.tools import call, fenced
from memory.models import Entity
from memory.recall.context.escaping import one_line, own_words
from memseek_site.demonstration import WORKSPACE
from showcase.demonstration import TOUR_ENTITY
from tests.factories import (
    NewLine,
    make_atom,
    make_entity,
    make_message,
    make_rule,
    make_scene,
    make_workspace,
)
from tests.hostile.texts import HOSTILE
from tests.mcp.conftest import caller_for

CLOSING = re.compile(rf"</{NAME}>")
SHOWN_AS_THEY_ARE = ("\u202e", "\u2066", "\u2028", "\u2029", "\x85")
each_text = pytest.mark.parametrize("name", sorted(HOSTILE))


@pytest.fixture
def entity(db: None) -> Entity:
    return make_entity(TOUR_ENTITY, workspace=make_workspace(WORKSPACE))


def remember(entity: Entity, text: str) -> dict[str, Any]:
    """The text on every layer, also where only a person or a model's mistake could have put it."""
    short = text[:500]
    with transaction.atomic():
        message = make_message(
            entity, text, speaker=one_line(text)[:60] or "x", role="tool", tool_name="search"
        )
        atom = make_atom(entity, short, [message], topic=short[:60])
        rule = make_rule(entity, f"{short[:490]} always", [message], priority=95)
        scene = make_scene(
            entity, short[:80], [NewLine("core_sop", short, [atom, rule])], summary=short[:200]
        )
    index_entity(entity_id=entity.pk)
    return {"atom": atom, "message": message, "scene": scene.scene}


def is_one_block(text: str) -> bool:
    """Whether all of it lies between one pair of marks, which end where the text ends."""
    return (
        strip_recalled(text).strip() == "" and len(CLOSING.findall(text)) == 1 and text.rstrip().endswith(">")
    )


@each_text
def test_no_stored_text_leaves_the_block_of_a_context(name: str, entity: Entity) -> None:
    remember(entity, HOSTILE[name])
    token = create_key(workspace=entity.workspace, label="x").token
    client = Client(headers={"Authorization": f"Bearer {token}"})
    reply: Any = client.get("/api/v1/context", {"entity": entity.name, "task": "tea"})
    assert reply.status_code == 200
    text = reply.json()["text"]
    before, _, rest = text.partition(f"</{NAME}>")
    assert (before.count(f"<{NAME} "), NAME in rest.lower()) == (1, False)
    assert [mark for mark in SHOWN_AS_THEY_ARE if mark in text] == []
    headings = [line for line in before.splitlines() if line.startswith("#")]
    known = ("## Persona", "## Standing rules", "## Scenes", "## Relevant memory", "## Procedure", "### ")
    assert [line for line in headings if not line.startswith(known)] == []
    lines = {"## Standing rules": before.count("\n## Standing rules")}
    assert lines == {"## Standing rules": 1}


@each_text
def test_no_stored_text_leaves_the_answer_of_a_tool(name: str, entity: Entity) -> None:
    remember(entity, HOSTILE[name])
    caller = caller_for(entity)
    for tool, arguments in (
        ("context", {"task": "tea"}),
        ("recall", {"query": "tea key mallory"}),
        ("standing_rules", {}),
        ("replay_session", {"session": "first"}),
        ("answer", {"question": "Who mails the key?"}),
    ):
        outcome = call(TOOLS[tool], caller, {**arguments, "entity": entity.name})
        assert not outcome.is_error, (tool, outcome.body)
        first = outcome.texts[0]
        assert strip_recalled(first).strip() == "" or tool == "context", tool
        assert len(CLOSING.findall(first)) == 1, tool


@each_text
def test_no_stored_text_becomes_markup_of_a_page(name: str, entity: Entity) -> None:
    rows = remember(entity, HOSTILE[name])
    pages = [
        "/showcase/agent-memory/",
        f"/showcase/agent-memory/atoms/{rows['atom'].pk}/",
        f"/showcase/agent-memory/messages/{rows['message'].pk}/",
        f"/showcase/agent-memory/scenes/{rows['scene'].pk}/",
    ]
    for page in pages:
        reply = Client().get(page)
        assert reply.status_code == 200, page
        content = reply.content.decode()
        assert ("<script>alert" in content, "<img src=x" in content) == (False, False), page


@given(st.text(max_size=300), st.sampled_from(sorted(HOSTILE)), st.text(max_size=60))
def test_nothing_leaves_a_fence_whatever_stands_around_it(before: str, name: str, after: str) -> None:
    text = f"{before}{HOSTILE[name][:2_000]}{after}"
    assert is_one_block(fenced(text, "x"))
    assert is_one_block(fenced(json.dumps({"text": text}, ensure_ascii=False), "x"))
    line = one_line(text)
    assert "\n" not in line
    assert is_one_block(fenced(line, "x"))


@given(st.text(alphabet=f"<>/ \n\u200b\u2028\"'={NAME}{NAME.upper()}", max_size=200))
def test_no_arrangement_of_the_marks_letters_closes_a_fence(text: str) -> None:
    assert is_one_block(fenced(text, "x"))
    assert is_one_block(fenced(one_line(text), "x"))
    assert CLOSING.search(one_line(text)) is None
    assert CLOSING.search(own_words(text)) is None
