"""A model that copies words it does not cite, wherever it may write: after the erase they are nowhere."""

from __future__ import annotations

import random
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.cascade.engine import settle_entity
from memory.indexing.step import index_entity
from memory.models import Entity, Message
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.verify import verify
from tests.cascade.story import NOTHING, an_entity, answer, create, say, store
from tests.scripted_model import ScriptedModel, by_task
from tests.stewardship.erasing.planting import BOSS
from tests.stewardship.erasing.scanning import words_found

pytestmark = pytest.mark.django_db(transaction=True)
PROPERTY = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FORMS = (str.lower, str.upper, str.title, lambda word: f"{word}s", lambda word: f"the{word}house")


class Gossip:
    """Writes words of other messages into whatever it makes: claims, topics, lines, titles, traits."""

    def __init__(self, words: list[str], seed: int) -> None:
        self._words = words
        self._chance = random.Random(seed)

    def answers(self) -> dict[str, Any]:
        return {"l1_extract": self._extract, "scene_synthesis": self._compose, "persona": self._portray}

    def _leak(self) -> str:
        word = self._chance.choice(self._words)
        return self._chance.choice(FORMS)(word)

    def _extract(self, request: Any) -> Any:
        return answer(
            *(
                store(
                    f"somebody spoke of {self._leak()} and {self._leak()}",
                    message.handle,
                    topic=self._leak(),
                    kind="episodic",
                )
                for message in request.payload.messages
            )
        )

    def _compose(self, request: Any) -> Any:
        new = [atom.handle for atom in request.payload.atoms if atom.is_new]
        if not new:
            return NOTHING
        lines = [
            ("work_context", f"this is about {self._leak()} and {self._leak()}", [handle]) for handle in new
        ]
        return answer(create(f"about {self._leak()}", *lines, summary=f"{self._leak()} " * 31))

    def _portray(self, request: Any) -> Any:
        lines = [line.handle for scene in request.payload.scenes for line in scene.lines or ()]
        if not lines:
            return NOTHING
        text = f"likes {self._leak()}"
        return answer({"action": "set", "slot": "archetype", "text": text, "lines": lines[:1]})


@PROPERTY
@given(
    count=st.integers(2, 5),
    erased=st.data(),
    seed=st.integers(0, 1_000_000),
    is_indexed=st.booleans(),
)
def test_words_that_a_model_copied_without_citing_go_too(
    count: int, erased: st.DataObject, seed: int, is_indexed: bool
) -> None:
    mark = "".join(chr(97 + int(digit, 16)) for digit in uuid4().hex[:6])
    words = [f"quokka{mark}{letter}" for letter in "abcdefg"[:count]]
    entity = an_entity(f"agent.{uuid4().hex[:12]}")
    said = say(entity, *(f"I told of {word} today." for word in words))
    settle_entity(entity, model=ScriptedModel(otherwise=by_task(Gossip(words, seed).answers())))
    if is_indexed:
        index_entity(entity_id=entity.pk)
    chosen = erased.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=count))
    forget(entity, [said[place] for place in chosen])
    gone = [words[place] for place in chosen]
    left = [word for word in words if word not in gone]
    assert words_found(gone) == set()
    assert verify(entity) == []
    settle_entity(entity, model=ScriptedModel(otherwise=by_task(Gossip(left or ["tea"], seed).answers())))
    index_entity(entity_id=entity.pk)
    assert words_found(gone) == set()
    assert [problem.kind for problem in verify(entity, is_settled=True)] == []


def forget(entity: Entity, messages: list[Message]) -> None:
    scope = Scope("messages", messages=tuple(message.pk for message in messages))
    erase(erasure=plan_erasure(entity=entity, scope=scope, actor=BOSS), actor=BOSS)
