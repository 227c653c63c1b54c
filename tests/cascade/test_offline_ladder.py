"""The offline model in the real cascade: any split of the same words gives the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memory.cascade.engine import settle_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.llm.offline import OfflineModel
from memory.models import Atom, Entity, Run, SceneVersion, TraitVersion
from memory.stewardship.verify import verify
from memory.walkthrough.incoming import incoming_messages
from memory.walkthrough.story import story
from tests.cascade.story import START, an_entity

pytestmark = pytest.mark.django_db

TALK = [
    "I live in Oslo.",
    "Never deploy without my approval.",
    "The freeze is on 2 May.",
    "I prefer window seats.",
    "The freeze moved to 9 May.",
    "My locker is number 12.",
    "As I said, never deploy without my approval.",
    "I live in Bergen now.",
    "The billing API stays on Express until July 15.",
    "Please answer briefly.",
    "I have worked at the mill for five years.",
    "Keep billing on Express until October 15.",
    "Thanks, see you tomorrow!",
    "I do not like window seats any more.",
]


def hear(entity: Entity, texts: Sequence[str], first: int) -> None:
    messages = [
        IncomingMessage(
            session="talk",
            role="user",
            speaker="Alice",
            text=text,
            occurred_at=START + timedelta(minutes=first + place),
            dedupe_key=f"{first + place}",
        )
        for place, text in enumerate(texts)
    ]
    append_messages(entity=entity, messages=messages)
    settle_entity(entity, model=OfflineModel())


def told(talk: Sequence[str], cuts: Sequence[int]) -> Entity:
    """An entity that heard the talk in parts, its memory settled after each."""
    entity = an_entity(f"agent.{uuid4().hex}")
    borders = [0, *sorted({cut for cut in cuts if 0 < cut < len(talk)}), len(talk)]
    for start, end in pairwise(borders):
        hear(entity, talk[start:end], start)
    return entity


def memory(entity: Entity) -> tuple[list[Any], list[Any], list[Any]]:
    """All three layers above the words, without ids or times of making."""
    return atoms(entity), scenes(entity), traits(entity)


def atoms(entity: Entity) -> list[tuple[Any, ...]]:
    fields = (
        "text",
        "kind",
        "status",
        "priority",
        "topic",
        "subject",
        "happened_from",
        "happened_until",
        "scope",
    )
    return sorted(Atom.objects.for_entity(entity).values_list(*fields), key=repr)


def scenes(entity: Entity) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    return sorted(
        (head.title, tuple(sorted(head.lines.values_list("section", "text"))))
        for head in SceneVersion.objects.for_entity(entity).live()
    )


def traits(entity: Entity) -> list[tuple[str, str]]:
    return sorted(TraitVersion.objects.for_entity(entity).live().values_list("trait__slot", "text"))


@given(
    talk=st.lists(st.sampled_from(TALK), min_size=2, max_size=6),
    cuts=st.lists(st.integers(1, 5), max_size=3),
)
@example(talk=TALK, cuts=list(range(1, len(TALK))))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_split_of_the_same_words_gives_the_same_memory(talk: list[str], cuts: list[int]) -> None:
    whole, parted = told(talk, []), told(talk, cuts)
    assert memory(parted) == memory(whole)
    assert [verify(entity, is_settled=True) for entity in (whole, parted)] == [[], []]


def test_the_tour_told_whole_or_message_by_message_gives_the_same_memory() -> None:
    whole, parted = an_entity("agent.whole"), an_entity("agent.parted")
    for session in story():
        append_messages(entity=whole, messages=incoming_messages(session))
        settle_entity(whole, model=OfflineModel())
        for message in incoming_messages(session):
            append_messages(entity=parted, messages=[message])
            settle_entity(parted, model=OfflineModel())
    assert memory(parted) == memory(whole)
    assert all(memory(whole))
    assert [verify(entity, is_settled=True) for entity in (whole, parted)] == [[], []]


def test_what_is_left_with_its_message_is_told_in_the_run() -> None:
    entity = an_entity()
    hear(entity, ["I live in Oslo. My password is correct-horse-9.", "Я живу в Казани и работаю врачом."], 0)
    assert [atom.text for atom in Atom.objects.for_entity(entity)] == ["Alice lives in Oslo."]
    decisions = [
        note for run in Run.objects.filter(entity=entity, step="l1_extract") for note in run.decisions
    ]
    reasons = [note["reason"] for note in decisions if note["outcome"] == "skip"]
    assert [("secret" in reason, "script" in reason) for reason in reasons] == [(True, False), (False, True)]
