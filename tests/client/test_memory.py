"""Everything else that a key opens, read into typed results."""

from __future__ import annotations

import pytest

from memory.client import (
    Authority,
    Evidence,
    Memory,
    NewMessage,
    NotFoundError,
    RefusedError,
    SubjectRef,
    UnauthorisedError,
)
from memory.ingest.workspaces import create_key
from memory.models import Entity, Key, Workspace
from tests.client.conftest import working

ENTITY = "agent.alice"
WORDS = (
    "Never deploy on a Friday.",
    "The payments migration has to be done before 10 September 2026.",
    "I prefer tea over coffee.",
)


@pytest.fixture
def told(memory: Memory, workspace: Workspace) -> tuple[str, ...]:
    """The words are said, and worked on to the end; ids of the messages."""
    messages = [NewMessage(session="monday", role="user", speaker="Alice", content=text) for text in WORDS]
    stored = memory.records(messages, entity=ENTITY)
    entity = Entity.objects.select_related("workspace").get(workspace=workspace, name=ENTITY)
    opened = memory.session.create(entity=ENTITY)
    with working(entity):
        opened.end(wait=True)
    return tuple(str(message.id) for message in stored)


def test_a_server_in_good_health(memory: Memory) -> None:
    health = memory.health()
    assert (health.status, health.database, health.worker_seen_seconds) == ("ok", "ok", None)


def test_every_layer_is_read(memory: Memory, told: tuple[str, ...]) -> None:
    recalled = memory.recall("Do not deploy on Fridays", entity=ENTITY, limit=5, meaning=False)
    assert (WORDS[0], WORDS[0]) in [
        (hit.text, hit.citations[0].text) for hit in recalled.hits if hit.layer == "atom"
    ]
    assert recalled.arms["words"] == "answered"
    context = memory.context("Plan the release", entity=ENTITY, budgets={"memory": 500}, total=4_000)
    assert WORDS[0] in context.text
    assert context.manifest["sha256"] == context.sha256
    answer = memory.answer("When must we not deploy?", entity=ENTITY)
    assert (answer.citations[0].text, answer.model) == (WORDS[0], "extractive")
    assert [rule.text for rule in memory.rules(entity=ENTITY, floor=0)] == [WORDS[0]]
    assert len(list(memory.atoms(entity=ENTITY))) == 3
    assert [atom.text for atom in memory.atoms(entity=ENTITY, kind=["instruction"])] == [WORDS[0]]
    assert [atom.text for atom in memory.atoms(entity=ENTITY, state=["superseded"])] == []
    assert next(memory.sessions(entity=ENTITY)).session == "monday"


def test_the_timeline_is_read_page_by_page(memory: Memory, told: tuple[str, ...]) -> None:
    records = list(memory.timeline(entity=ENTITY, collections=["messages", "memories"]))
    assert [record.seq for record in records] == sorted((record.seq for record in records), reverse=True)
    assert [str(record.id) for record in records if record.collection == "messages"] == list(told[::-1])
    assert len(list(memory.timeline(entity=ENTITY, limit=2))) == 2
    assert {record.type for record in memory.timeline(entity=ENTITY, types=["instruction"])} == {
        "instruction"
    }


def test_a_trace_goes_down_to_the_words(memory: Memory, told: tuple[str, ...]) -> None:
    rule = next(memory.rules(entity=ENTITY, floor=0))
    trace = memory.trace(rule.id, entity=ENTITY)
    assert [(node.kind, node.text, str(node.id)) for node in trace.down.children] == [
        ("message", WORDS[0], told[0])
    ]
    assert trace.up.id == rule.id
    assert memory.trace(rule.short_id, entity=ENTITY) == trace


def test_claims_are_listed_with_their_history(memory: Memory) -> None:
    customer = SubjectRef(kind="customer", identifier="c-1")
    _, (claim, outcome) = [
        memory.observe(
            entity=ENTITY,
            subject=customer,
            predicate="billing.plan",
            value={"cycle": cycle},
            authority="tool",
            evidence=[Evidence(kind="event", reference=cycle)],
        )
        for cycle in ("monthly", "annual")
    ]
    assert (outcome, claim) == ("replaced", outcome.holds)
    assert list(memory.claims(entity=ENTITY, subject=customer, predicate="billing.*")) == [claim]
    assert len(list(memory.claims(entity=ENTITY, state=["all"]))) == 2
    assert claim is not None
    history = memory.claim_history(claim.id)
    assert [(said.value, said.status) for said in history] == [
        ({"cycle": "monthly"}, "superseded"),
        ({"cycle": "annual"}, "live"),
    ]


def test_an_authority_is_read_as_it_was_written(memory: Memory) -> None:
    memory.session.create(entity=ENTITY)
    for authority in Authority:
        claim, _ = memory.observe(
            entity=ENTITY,
            subject=SubjectRef(kind="customer", identifier=authority.value),
            predicate="billing.plan",
            value="annual",
            authority=authority,
            evidence=[Evidence(kind="tool_event", reference="plan_selected")],
        )
        assert claim is not None
        assert claim.authority is authority


def test_a_single_name_may_stand_for_several(memory: Memory, told: tuple[str, ...]) -> None:
    whole = {atom.id for atom in memory.atoms(entity=ENTITY, state="all")}
    assert whole == {atom.id for atom in memory.atoms(entity=ENTITY, state=["all"])} != set()


def test_a_transcript_with_ordinals_may_be_sent_again(memory: Memory) -> None:
    messages = [
        NewMessage(session="s", role="user", content=text, ordinal=place) for place, text in enumerate(WORDS)
    ]
    memory.records(messages[:2], entity=ENTITY)
    assert [stored.created for stored in memory.records(messages, entity=ENTITY)] == [False, False, True]


def test_what_is_refused_is_named(memory: Memory) -> None:
    with pytest.raises(RefusedError) as raised:
        memory.records([NewMessage(session="s", role="user", content=" ")], entity=ENTITY)
    assert [(problem["index"], problem["field"]) for problem in raised.value.problems] == [(0, "text")]
    with pytest.raises(NotFoundError):
        memory.recall("x", entity="agent.nobody")
    with pytest.raises(ValueError, match="JSON"):
        memory.observe(
            entity=ENTITY,
            subject=SubjectRef(kind="a", identifier="b"),
            predicate="c",
            value=float("nan"),
            authority="tool",
            evidence=[Evidence(kind="event", reference="r")],
        )


def test_a_key_without_the_scope_is_unauthorised(workspace: Workspace, url: str) -> None:
    reader = create_key(workspace=workspace, label="reader", scopes=[Key.Scope.READ]).token
    with Memory(url, reader) as memory, pytest.raises(UnauthorisedError) as raised:
        memory.session.create(entity=ENTITY)
    assert raised.value.status == 403
    with Memory(url, "msk_unknown") as memory, pytest.raises(UnauthorisedError) as raised:
        memory.session.create(entity=ENTITY)
    assert raised.value.status == 401
