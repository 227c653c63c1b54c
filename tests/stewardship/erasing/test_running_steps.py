"""An erase before, during and after a model's call: nothing that the step read is written, nor its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memory.cascade.engine import settle_entity
from memory.indexing.step import index_entity, index_terms, index_vectors
from memory.models import Atom, Entity, Message, ProcedureVersion, Run, TraceStep, UnitVector
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.verify import verify
from tests.cascade.story import NOTHING, an_entity, answer, create, say, store
from tests.cascade.talks import digest_item, folding, open_talk, take
from tests.indexing.embedders import ScriptedEmbedder
from tests.scripted_model import ScriptedModel, by_task
from tests.skills.skilled import described, line, run, trace
from tests.stewardship.erasing.planting import BOSS
from tests.stewardship.erasing.scanning import places_of

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "zanzibarquux"
TEXT = f"The code is {WORD.title()}."
Answer = Callable[[Any], Any]


def forget(entity: Entity) -> None:
    ids = Message.objects.for_entity(entity).filter(text=TEXT).values_list("pk", flat=True)
    if ids:
        scope = Scope("messages", messages=tuple(ids))
        erase(erasure=plan_erasure(entity=entity, scope=scope, actor=BOSS), actor=BOSS)


def remember(request: Any) -> Any:
    """Claims word for word, each with a word that it does not cite."""
    return answer(
        *(
            store(
                message.text, message.handle, topic=f"code {WORD}" if WORD in message.text.lower() else "tea"
            )
            for message in request.payload.messages
        )
    )


def compose(request: Any) -> Any:
    new = [atom for atom in request.payload.atoms if atom.is_new]
    lines = [("work_context", atom.text, [atom.handle]) for atom in new]
    title = f"Code {WORD}" if any(WORD in atom.text.lower() for atom in new) else "Tea"
    return answer(create(title, *lines)) if lines else NOTHING


def portray(request: Any) -> Any:
    handles = [line.handle for scene in request.payload.scenes for line in scene.lines or ()]
    texts = [line.text for scene in request.payload.scenes for line in scene.lines or ()]
    if not handles:
        return NOTHING
    edit = {"action": "set", "slot": "archetype", "text": " ".join(texts)[:500], "lines": handles}
    return answer(edit)


STEPS: dict[str, Answer] = {"l1_extract": remember, "scene_synthesis": compose, "persona": portray}


@pytest.mark.parametrize("step", [*STEPS])
@pytest.mark.parametrize("moment", ["before", "during", "broken"])
def test_a_step_under_way_writes_nothing_of_what_was_erased(step: str, moment: str) -> None:
    entity = an_entity()
    say(entity, TEXT, "I drink tea in the morning.")
    erased: list[str] = []

    def interrupt(request: Any) -> Any:
        if request.task != step or erased:
            return STEPS[request.task](request)
        said = STEPS[request.task](request)
        erased.append(step)
        forget(entity)
        return f"{{{WORD} is no JSON" if moment == "broken" else said

    if moment == "before":
        settle_entity(
            entity, model=ScriptedModel(otherwise=by_task({**dict.fromkeys(STEPS, NOTHING), **_until(step)}))
        )
        forget(entity)
    settle_entity(entity, model=ScriptedModel(otherwise=by_task({**dict.fromkeys(STEPS, interrupt)})))
    index_entity(entity_id=entity.pk)
    assert places_of(WORD) == []
    assert [atom.text for atom in Atom.objects.for_entity(entity)] == ["I drink tea in the morning."]
    assert verify(entity, is_settled=True) == []
    if moment != "before":
        assert Run.objects.for_entity(entity).filter(step=step, status=Run.Status.DISCARDED).exists()


def _until(step: str) -> dict[str, Answer]:
    names = list(STEPS)
    return {name: STEPS[name] for name in names[: names.index(step) + 1]}


class Interrupted(ScriptedEmbedder):
    """While the first texts are embedded somebody erases."""

    def embed(self, texts: Sequence[str]) -> Any:
        vectors = super().embed(texts)
        forget(Entity.objects.get())
        index_entity(entity_id=Entity.objects.get().pk, embedder=ScriptedEmbedder("scripted", 8))
        return vectors


def test_vectors_of_erased_neighbours_are_not_kept() -> None:
    entity = an_entity()
    say(entity, TEXT, "I drink tea in the morning.")
    while index_terms(entity, wants_vectors=True):
        pass
    index_vectors(entity, Interrupted("scripted", 8))
    [after] = UnitVector.objects.filter(entity=entity)
    fresh = ScriptedEmbedder("scripted", 8).embed_query("Alice: I drink tea in the morning.")
    assert after.embedding == pytest.approx(fresh.tolist(), abs=0.01)


def test_a_fold_under_way_leaves_no_summary_of_an_erased_turn() -> None:
    entity = an_entity()
    erased: list[bool] = []
    with folding():
        session = open_talk(entity)
        take(session, TEXT, role="user")
        for place in range(6):
            take(session, f"Turn {place} is about tea.")

        def fold(request: Any) -> Any:
            told = WORD if any(WORD in turn.text.lower() for turn in request.payload.turns) else "tea"
            if not erased:
                erased.append(True)
                forget(entity)
            return answer(digest_item("summary", f"They spoke of {told}."))

        model = ScriptedModel(otherwise=by_task({**dict.fromkeys(STEPS, NOTHING), "compaction": fold}))
        settle_entity(entity, model=model)
    assert places_of(WORD) == []
    assert [digest.text for digest in session.digests.all()] == ["They spoke of tea."]


def test_a_draft_under_way_leaves_no_line_of_an_erased_step() -> None:
    entity = an_entity()
    say(entity, TEXT)
    steps = [("instruction", f"Say {WORD} at the door."), ("action", "Opened the door")]
    trace(entity, f"Open the door with {WORD}", steps)
    erased: list[bool] = []

    def draft(request: Any) -> Any:
        if erased:
            return NOTHING
        erased.append(True)
        forget(entity)
        return answer(described(f"Say {WORD}"), line("procedure", f"Say {WORD}.", "t1.s1"))

    run(entity, ScriptedModel(otherwise=draft))
    assert places_of(WORD) == []
    assert [row.text for row in TraceStep.objects.for_entity(entity)] == ["Opened the door"]
    assert not ProcedureVersion.objects.for_entity(entity).exists()
