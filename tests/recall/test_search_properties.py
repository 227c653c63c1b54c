"""Whatever happened to a memory, and however much of it is indexed, only what lives is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.indexing.step import index_terms, index_vectors
from memory.llm.embedders.queries import QueryVector
from memory.models import Atom, Entity, Evidence, Message, Scene, SceneVersion, Trait, TraitVersion
from memory.recall.hits import Found
from memory.recall.search import Request, search
from tests.factories import (
    NewLine,
    make_atom,
    make_entity,
    make_message,
    make_scene,
    make_trait,
    make_workspace,
)
from tests.indexing.embedders import ScriptedEmbedder

pytestmark = pytest.mark.django_db

EMBEDDER = ScriptedEmbedder("scripted", 4)
WORDS = ("billing", "deploy", "approval", "garden")
ACTIONS = (
    *("say", "claim", "supersede", "retract", "erase", "scene", "retire", "trait", "withdraw"),
    *("index some", "index all"),
)
PROPERTY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
HISTORIES = st.lists(
    st.tuples(
        st.sampled_from(("mine", "mine", "theirs")),
        st.sampled_from(ACTIONS),
        st.integers(min_value=0, max_value=5),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
    ),
    min_size=6,
    max_size=18,
)
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@dataclass
class Memory:
    """One entity and what can be done to it; every text says whose it is and is said once."""

    entity: Entity
    made: int = 0

    def text(self, words: Sequence[str]) -> str:
        self.made += 1
        return f"{' '.join(words)} {self.entity.name[:6]} {self.made}"

    def do(self, action: str, which: int, words: Sequence[str]) -> None:
        """Do something to the row that the number picks; nothing where there is none."""
        getattr(self, action.replace(" ", "_"))(which, self.text(words))

    def say(self, which: int, text: str) -> None:
        make_message(self.entity, text, session=f"session-{which % 2}")

    def claim(self, which: int, text: str) -> None:
        self.say(which, text)
        make_atom(self.entity, f"Claim: {text}", list(Message.objects.for_entity(self.entity))[-1:])

    def supersede(self, which: int, text: str) -> None:
        if atom := pick(Atom.objects.for_entity(self.entity).live(), which):
            self.say(which, text)
            said = list(Message.objects.for_entity(self.entity))[-1:]
            make_atom(self.entity, f"Claim: {text}", said, replaces=atom)

    def retract(self, which: int, text: str) -> None:
        if atom := pick(Atom.objects.for_entity(self.entity).live(), which):
            Atom.objects.filter(pk=atom.pk).update(status=Atom.Status.RETRACTED)

    def erase(self, which: int, text: str) -> None:
        """A message that nothing rests on goes, as erasing removes it."""
        cited = Evidence.objects.filter(message__isnull=False).values("message")
        if message := pick(Message.objects.for_entity(self.entity).exclude(pk__in=cited), which):
            message.delete()

    def scene(self, which: int, text: str) -> None:
        atom = pick(Atom.objects.for_entity(self.entity).live(), which)
        if atom and Scene.objects.for_entity(self.entity).count() < 4:
            make_scene(self.entity, f"Scene {self.made}", [NewLine("work_context", f"Line: {text}", [atom])])

    def retire(self, which: int, text: str) -> None:
        if scene := pick(Scene.objects.for_entity(self.entity).filter(status="live"), which):
            Scene.objects.filter(pk=scene.pk).update(status="retired", slot=None)

    def trait(self, which: int, text: str) -> None:
        version = pick(SceneVersion.objects.for_entity(self.entity), which)
        slots = ("archetype", "role", "technical_preferences")
        count = Trait.objects.for_entity(self.entity).count()
        if version and count < len(slots):
            make_trait(self.entity, slots[count], f"Trait: {text}", list(version.lines.all()))

    def withdraw(self, which: int, text: str) -> None:
        if trait := pick(Trait.objects.for_entity(self.entity).filter(status="live"), which):
            Trait.objects.filter(pk=trait.pk).update(status="retracted")

    def index_some(self, which: int, text: str) -> None:
        index_terms(self.entity, wants_vectors=True)

    def index_all(self, which: int, text: str) -> None:
        while index_terms(self.entity, wants_vectors=True) or index_vectors(self.entity, EMBEDDER):
            pass

    def living(self) -> set[tuple[str, UUID]]:
        """What may be found."""
        lines = SceneVersion.objects.for_entity(self.entity).live()
        traits = TraitVersion.objects.for_entity(self.entity).live()
        return {
            *(("message", row.pk) for row in Message.objects.for_entity(self.entity)),
            *(("atom", row.pk) for row in Atom.objects.for_entity(self.entity).live()),
            *(("section", row.scene_id) for row in lines),
            *(("trait", row.trait_id) for row in traits),
        }


def pick(rows: Any, which: int) -> Any:
    found = list(rows)
    return found[which % len(found)] if found else None


def remembered(history: Sequence[tuple[str, str, int, list[str]]]) -> Memory:
    """A memory after its history, beside another one whose history ran between."""
    memories = {
        name: Memory(make_entity(f"{name}-{uuid4()}", workspace=make_workspace(name)))
        for name in ("mine", "theirs")
    }
    for whose, action, which, words in history:
        memories[whose].do(action, which, words)
    return memories["mine"]


def asked(entity: Entity, query: str) -> Found:
    vector = QueryVector(EMBEDDER.embed_query(query), EMBEDDER.space)
    return search(entity, Request(query, limit=100, vector=vector))


def texts(found: Found) -> list[str]:
    return [hit.text for hit in found.hits] + [said.text for hit in found.hits for said in hit.messages]


@PROPERTY
@given(HISTORIES, QUERIES)
def test_only_what_lives_is_found_and_never_another_entitys(history: Any, query: str) -> None:
    memory = remembered(history)
    found = asked(memory.entity, query)
    assert {(hit.layer, hit.id) for hit in found.hits} <= memory.living()
    assert not any("theirs" in text for text in texts(found))
    assert set(found.arms.values()) == {"answered"}


@PROPERTY
@given(HISTORIES, QUERIES)
def test_the_same_data_gives_the_same_results_in_the_same_order(history: Any, query: str) -> None:
    memory = remembered(history)
    assert asked(memory.entity, query) == asked(memory.entity, query)


@PROPERTY
@given(HISTORIES, st.sampled_from(WORDS))
def test_every_living_claim_with_the_word_is_found_indexed_or_not(history: Any, word: str) -> None:
    memory = remembered(history)
    claims = Atom.objects.for_entity(memory.entity).live().filter(text__contains=word)
    found = {hit.id for hit in asked(memory.entity, word).hits}
    assert {claim.pk for claim in claims} <= found
