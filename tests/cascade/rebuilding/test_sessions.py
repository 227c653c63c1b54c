"""A rebuild makes atoms anew; sessions, their folds and their briefs stay the entity's own."""

from __future__ import annotations

import pytest

from memory.cascade.designs import load_design
from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding.lifecycle import apply_rebuild, find_open, propose
from memory.ingest.sessions import end_session
from memory.models import Digest, Entity, ProcedureVersion, Session, SkillInput
from memory.skills.review import approve
from memory.skills.traces import IncomingStep, record_trace
from tests.cascade.rebuilding.remaking import a_model
from tests.cascade.story import an_entity, say
from tests.cascade.talks import digests, open_talk, take
from tests.scripted_model import ScriptedModel
from tests.skills.skilled import PERSON, draft_of, learn, line, said

pytestmark = pytest.mark.django_db(transaction=True)


def briefing(model: ScriptedModel) -> ScriptedModel:
    """The same model, which also writes briefs."""
    otherwise = model.otherwise

    def said(request: object) -> object:
        if getattr(request, "task", "") == "compaction":
            return {"items": [{"action": "brief", "text": "A talk of the gateway."}]}
        return otherwise(request) if callable(otherwise) else otherwise

    model.otherwise = said  # type: ignore[assignment]
    return model


def test_no_session_of_a_shadow_is_compacted_and_the_swap_keeps_the_digests() -> None:
    entity = an_entity()
    session = open_talk(entity)
    take(session, "Our API gateway is written in Go.", role="user")
    end_session(session)
    settle_entity(entity, model=briefing(a_model()))
    waiting = open_talk(entity, "still to be closed")
    take(waiting, "Never deploy the API gateway on Fridays.", role="user")
    before = digests(session)
    assert [text for _, _, text, *_ in before] == ["A talk of the gateway."]
    end_session(waiting)
    propose(entity=entity, layer="L1", design=load_design(), model=a_model(name="other@1"))
    shadow = Entity.objects.get(shadow_of=entity)
    copies = Session.objects.for_entity(shadow)
    assert (copies.count(), copies.filter(takes_turns=True).count()) == (2, 0)
    assert Digest.objects.for_entity(shadow).count() == 0
    apply_rebuild(find_open(entity))
    assert digests(session) == before
    assert Session.objects.for_entity(entity).pending().get() == waiting


def test_a_rebuild_leaves_traces_and_procedures_alone() -> None:
    entity = an_entity()
    [turn] = say(entity, "Deploy the billing service.")
    steps = [IncomingStep(kind="action", text="Ran the tests", message=turn.pk)]
    record_trace(entity=entity, task="Deploy the billing service", outcome="success", steps=steps)
    answers = {"items": [line("procedure", "Run the tests.", "t1.s1")]}
    learn(entity, answers)
    approve(draft=draft_of(entity), actor=PERSON, base=None)
    record_trace(entity=entity, task="Deploy the search service", outcome="success", steps=steps)
    propose(entity=entity, layer="L1", design=load_design(), model=a_model(name="other@1"))
    shadow = Entity.objects.get(shadow_of=entity)
    assert SkillInput.objects.for_entity(shadow).count() == 0
    apply_rebuild(find_open(entity))
    version = ProcedureVersion.objects.get()
    assert (version.status, version.entity, said(version)) == (
        "active",
        entity,
        [("procedure", "Run the tests.")],
    )
    assert version.lines.get().evidence.get().trace_step.message_id == turn.pk
    assert SkillInput.objects.for_entity(entity).pending().count() == 1
