"""Scenes and persona of the offline model in the real cascade: merged at the cap, alike for any split."""

from __future__ import annotations

import json
from datetime import datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.cascade.engine import settle_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.llm.offline import OfflineModel
from memory.models import Entity, Scene
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity
from tests.cascade.test_offline_ladder import memory

pytestmark = pytest.mark.django_db

CONVERSATION = Path(__file__).parents[2] / "examples" / "conversations" / "allotment.jsonl"


@cache
def turns() -> list[IncomingMessage]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in CONVERSATION.read_text("utf-8").splitlines()]
    return [
        IncomingMessage(
            **{**row, "occurred_at": datetime.fromisoformat(row["occurred_at"])}, dedupe_key=str(number)
        )
        for number, row in enumerate(rows)
    ]


def told(cuts: list[int]) -> Entity:
    """An entity that heard the conversation in parts, its memory settled after each."""
    entity = an_entity(f"agent.{uuid4().hex}")
    for start, end in pairwise(sorted({0, *cuts, len(turns())})):
        append_messages(entity=entity, messages=turns()[start:end])
        settle_entity(entity, model=OfflineModel())
    return entity


@pytest.fixture
def whole() -> Any:
    """What the conversation makes when it is heard at once."""
    return memory(told([]))


@given(cuts=st.lists(st.integers(1, 67), min_size=1, max_size=4))
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_split_of_a_conversation_gives_the_same_scenes_and_persona(whole: Any, cuts: list[int]) -> None:
    parted = told(cuts)
    assert memory(parted) == whole
    assert verify(parted, is_settled=True) == []


def test_scenes_that_are_merged_keep_every_line() -> None:
    entity = told([])
    scenes = Scene.objects.for_entity(entity)
    assert (scenes.live().count(), scenes.filter(status=Scene.Status.MERGED).exists()) == (15, True)
    assert verify(entity, is_settled=True) == []
