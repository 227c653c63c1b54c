"""A turn loop through the client, on a real server with a worker."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import UUID

import pytest
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

from memory.client import (
    AsyncMemory,
    Authority,
    ConflictError,
    Evidence,
    Memory,
    NewTurn,
    NotFoundError,
    RefusedError,
    Session,
    StillWaitingError,
    SubjectRef,
)
from memory.ingest.workspaces import create_key
from memory.models import Entity, Workspace
from tests.client.conftest import working

CUSTOMER = SubjectRef(kind="customer", identifier="c-1")
CALL = {"id": "c1", "type": "function", "function": {"name": "plans", "arguments": "{}"}}
SAID_AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def session(memory: Memory) -> Session:
    return memory.session.create(group_id="acme", user_id="c-1", title="Plans")


def entity_of(session: Session) -> Entity:
    return Entity.objects.select_related("workspace").get(name=session.entity)


def test_turns_are_stored_and_read_as_they_were_given(session: Session) -> None:
    asked = session.add_turn(role="user", content="Which plans?", speaker="Robin", occurred_at=SAID_AT)
    called = session.add_turn(role="assistant", content=None, tool_calls=[CALL], parent=asked.id)
    session.add_turn(
        role="tool", content="annual", tool_call_id="c1", tool_name="plans", parent=str(called.id)
    )
    session.add_turn(role="user", content="Long ago", occurred_at=None, metadata={"page": 2})
    turns = list(session.turns())
    assert [
        (turn.ordinal, turn.role, turn.text, turn.speaker, turn.parent, turn.children) for turn in turns
    ] == [
        (0, "user", "Which plans?", "Robin", None, 1),
        (1, "assistant", "", "", asked.id, 1),
        (2, "tool", "annual", "", called.id, 0),
        (3, "user", "Long ago", "", None, 0),
    ]
    assert (turns[0].said_at, turns[3].said_at) == (SAID_AT, None)
    assert (turns[1].tool_calls, turns[2].tool_call_id, turns[3].metadata) == ((CALL,), "c1", {"page": 2})
    assert [turn.ordinal for turn in session.turns(parent=asked.id)] == [1]
    assert [turn.ordinal for turn in session.turns(parent="none", limit=1)] == [0]


def test_calls_of_an_sdk_are_taken(session: Session) -> None:
    from openai.types.chat import ChatCompletionMessageToolCall

    call = ChatCompletionMessageToolCall.model_validate(CALL)
    session.add_turn(role="user", content="Which plans?")
    session.add_turn(role="assistant", tool_calls=[call])
    assert next(turn.tool_calls for turn in session.turns() if turn.tool_calls) == (CALL,)


def test_hundreds_of_turns_come_and_go_in_their_order(session: Session) -> None:
    texts = [f"turn {number}" for number in range(230)]
    added = session.add_turns(NewTurn(role="user", content=text) for text in texts)
    assert [turn.ordinal for turn in added] == list(range(230))
    assert [turn.text for turn in session.turns()] == texts
    assert [turn.text for turn in session.turns(limit=120)] == texts[:120]
    assert session.add_turns([]) == ()


def test_a_key_of_ones_own_makes_a_second_call_harmless(session: Session) -> None:
    first = session.add_turn(role="user", content="hi", dedupe_key="k1")
    again = session.add_turn(role="user", content="hi", dedupe_key="k1")
    assert (first.id, first.created, again.created) == (again.id, True, False)
    with pytest.raises(ConflictError) as raised:
        session.add_turn(role="user", content="ho", dedupe_key="k1")
    assert raised.value.status == 409


def test_a_context_is_a_chat_that_openai_takes(session: Session) -> None:
    session.add_turn(role="user", content="Which plans?")
    session.add_turn(role="assistant", content=None, tool_calls=[CALL])
    session.add_turn(role="tool", content="annual", tool_call_id="c1")
    context = session.compile_context(budget=4_000, as_of=SAID_AT)
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(context.messages)
    assert [message["role"] for message in context.messages] == ["user", "assistant", "tool"]
    assert context.messages[0]["content"].endswith("Which plans?")
    assert context.anthropic().messages[-1]["content"][0]["content"] == "annual"
    assert (context.tokens, context.sha256) == (context.manifest["tokens"], context.manifest["sha256"])
    assert context == session.compile_context(budget=4_000, as_of=SAID_AT)


def test_options_reach_the_server(session: Session) -> None:
    context = session.compile_context(
        "plans", strategy="graph", depth=3, budget=5_000, layers=["atom"], kinds=["episodic"], live=False
    )
    manifest = context.manifest
    assert (manifest["strategy"], manifest["depth"], manifest["budget"]) == ("graph", 3, 5_000)
    with pytest.raises(RefusedError, match="budget"):
        session.compile_context("plans", budget=7)


def test_the_whole_loop_with_a_worker(memory: Memory, session: Session) -> None:
    for number in range(30):
        session.add_turn(role="user", content=f"Step {number} of the rollout is planned for July.")
    claim, outcome = session.observe(
        subject=CUSTOMER,
        predicate="billing.plan",
        value={"cycle": "annual", "price": 1200},
        authority="application",
        evidence=[Evidence(kind="tool_event", reference="plan_selected")],
    )
    assert claim is not None
    assert (outcome, outcome.created, claim.subject, claim.value) == (
        "stored",
        True,
        CUSTOMER,
        {"cycle": "annual", "price": 1200},
    )
    with working(entity_of(session)):
        folded = session.compact()
        assert (folded.compaction, folded.folded_until > 0, bool(folded.summary)) == ("idle", True, True)
        ended = session.end(wait=True)
        assert (ended.compaction, bool(ended.ended_at), bool(ended.brief)) == ("done", True, True)
        assert session.record == session.read() == ended
    kinds = {digest.kind: digest for digest in session.digests()}
    assert len(kinds["summary"].evidence) == folded.folded_until
    assert {digest.kind for digest in session.digests(versions="all")} == {"summary", "brief"}
    memory.promote(entity=session.entity)
    graph = memory.graph(entity=session.entity, subject=CUSTOMER)
    assert [(fact.atom, fact.value, fact.evidence[0].reference) for fact in graph.facts] == [
        (claim.id, {"cycle": "annual", "price": 1200}, "plan_selected")
    ]
    with pytest.raises(ConflictError, match="end"):
        session.add_turn(role="user", content="One more thing")


def test_waiting_without_a_worker_has_an_end(session: Session) -> None:
    session.add_turn(role="user", content="hi")
    with pytest.raises(StillWaitingError):
        session.end(wait=True, timeout_seconds=0.2)
    assert session.record.ended_at is not None


def test_folding_what_has_ended_is_a_conflict(session: Session) -> None:
    session.end()
    with pytest.raises(ConflictError, match="has ended"):
        session.compact()


def test_a_session_is_resumed_by_anybody_with_the_key(
    memory: Memory, session: Session, url: str, key: str
) -> None:
    session.add_turn(role="user", content="hi")
    with Memory(url, key) as elsewhere:
        found = elsewhere.session.resume(str(session.id))
        found.add_turn(role="assistant", content="hello")
        assert (found.entity, found.record.title, found.is_new) == (session.entity, "Plans", False)
    assert [turn.text for turn in session.turns()] == ["hi", "hello"]
    with pytest.raises(NotFoundError):
        memory.session.resume(UUID(int=7))
    with pytest.raises(ValueError, match="hexadecimal"):
        memory.session.resume("../health")


def test_another_workspace_does_not_open_it(session: Session, url: str) -> None:
    other = create_key(workspace=Workspace.objects.create(name="globex"), label="other").token
    with Memory(url, other) as memory, pytest.raises(NotFoundError):
        memory.session.resume(session.id)


def test_an_inference_does_not_override_an_application(session: Session) -> None:
    def observe(value: str, authority: Authority) -> tuple[str, object]:
        evidence = [Evidence(kind="event", reference=value)]
        claim, outcome = session.observe(
            subject=CUSTOMER, predicate="plan", value=value, authority=authority, evidence=evidence
        )
        assert claim is not None
        return outcome, outcome.holds and outcome.holds.value

    assert observe("annual", Authority.application) == ("stored", "annual")
    assert observe("monthly", Authority.inference) == ("contested", "annual")


def test_eight_callers_at_once_lose_no_turn(url: str, key: str) -> None:
    async def talk(number: int) -> list[str]:
        async with AsyncMemory(url, key) as memory:
            session = await memory.session.create(entity="agent.alice", external_id="shared")
            for turn in range(4):
                await session.add_turn(role="user", content=f"{number}:{turn}")
            return [turn.text async for turn in session.turns()]

    async def all_of_them() -> list[list[str]]:
        return await asyncio.gather(*map(talk, range(8)))

    seen = max(asyncio.run(all_of_them()), key=len)
    assert sorted(seen) == [f"{number}:{turn}" for number in range(8) for turn in range(4)]
    assert all(
        [text for text in seen if text[0] == str(number)] == [f"{number}:{turn}" for turn in range(4)]
        for number in range(8)
    )


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kind": "event"},
        {"reference": "r"},
        {"message": UUID(int=1), "kind": "event"},
        {"message": UUID(int=1), "authority": "tool"},
    ],
)
def test_evidence_is_one_thing(given: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="evidence is a message, or kind and reference"):
        Evidence.model_validate(given)
