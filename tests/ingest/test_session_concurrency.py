"""Many take turns at once: every turn once and in order, nobody waits for ever, no wake-up is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from django.db import connection
from django.test import Client

from memory.cascade.compaction import ask_compaction
from memory.cascade.engine import drain, settle_entity
from memory.ingest import attempts
from memory.ingest.incoming import IncomingTurn
from memory.ingest.problems import IngestError
from memory.ingest.sessions import end_session, open_session
from memory.ingest.turns import add_turns
from memory.ingest.workspaces import create_key
from memory.models import Digest, Entity, Message, Run, Session, Step, Work, Workspace
from tests.cascade.story import NOTHING
from tests.cascade.talks import covered, folding, open_talk, talk_of
from tests.ingest.test_concurrency import at_once
from tests.scripted_model import ScriptedModel, by_task

pytestmark = pytest.mark.django_db(transaction=True)

CLIENTS, SESSIONS, EXCHANGES = 8, 50, 3
ACME = {"group_id": "acme", "user_id": "customer-123"}

Result = TypeVar("Result")


@pytest.fixture
def workspace() -> Workspace:
    return Workspace.objects.create(name="acme")


@pytest.fixture
def entity(workspace: Workspace) -> Entity:
    return open_session(workspace=workspace, **ACME).entity


def a_model() -> ScriptedModel:
    """Finds nothing, and writes the same short text for every session."""

    def digest(request: Any) -> Any:
        return {"items": [{"action": request.payload.action, "text": "Apples."}]}

    steps = ("l1_extract", "scene_synthesis", "persona")
    return ScriptedModel(otherwise=by_task({**dict.fromkeys(steps, NOTHING), "compaction": digest}))


def turn(text: str, role: Any = "user", **values: Any) -> IncomingTurn:
    return IncomingTurn(role=role, text=text, **values)


def stored(session: Session) -> list[str]:
    rows = Message.objects.filter(session=session).order_by("ordinal")
    ordinals = list(rows.values_list("ordinal", flat=True))
    assert ordinals == list(range(len(ordinals)))
    return list(rows.values_list("text", flat=True))


def test_a_session_and_its_entity_asked_for_by_many_are_made_once(workspace: Workspace) -> None:
    opened = at_once(lambda _: open_session(workspace=workspace, **ACME, external_id="chat-7"))
    assert len({one.session.pk for one in opened}) == len({one.entity.pk for one in opened}) == 1
    assert sorted(one.is_new for one in opened) == [False] * 7 + [True]
    assert Work.objects.count() == len(Step)


def test_a_session_that_many_end_ends_once(entity: Entity) -> None:
    session = open_talk(entity)
    talk_of(session, 3)
    assert sorted(at_once(lambda _: end_session(Session.objects.get(pk=session.pk)))) == [False] * 7 + [True]
    model = a_model()
    settle_entity(entity, model=model)
    assert model.tasks.count("compaction") == 1
    assert Digest.objects.get().until_ordinal == 3


def test_a_turn_beside_the_end_is_in_and_covered_or_refused(entity: Entity) -> None:
    sessions = [open_talk(entity, f"talk {number}") for number in range(6)]

    def act(number: int) -> int:
        """The first caller ends the sessions, the others go on talking."""
        if number == 0:
            return sum(end_session(session) for session in sessions)
        taken = 0
        for place in range(6):
            try:
                add_turns(session=sessions[place], turns=[turn(f"{number}/{place}")])
            except IngestError:
                continue
            taken += 1
        return taken

    ended, *taken = at_once(act)
    assert ended == len(sessions)
    assert Message.objects.count() == sum(taken)
    settle_entity(entity, model=a_model())
    for session in sessions:
        turns = list(Message.objects.filter(session=session).order_by("ordinal").values_list("pk", flat=True))
        briefs = Digest.objects.filter(session=session, kind="brief")
        assert [covered(brief) for brief in briefs] == ([turns] if turns else [])


def test_folding_goes_on_while_turns_are_taken(entity: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fold takes work row and session in one order, turns and ends in another: nobody waits for ever."""
    monkeypatch.setattr(attempts, "ATTEMPTS", 1)
    sessions = [open_talk(entity, f"talk {number}") for number in range(3)]
    is_over = threading.Event()

    def fold() -> None:
        try:
            while not is_over.is_set():
                drain(entity_id=entity.pk, step=Step.COMPACTION, model=a_model())
        finally:
            connection.close()

    with folding(kept=2, after=4), ThreadPoolExecutor(1) as pool:
        folding_thread = pool.submit(fold)

        def talk(number: int) -> None:
            for place in range(12):
                session = sessions[(number + place) % len(sessions)]
                add_turns(session=session, turns=[turn(f"{number}/{place}")])
                if place % 4 == 0:
                    ask_compaction(session)

        try:
            at_once(talk)
        finally:
            is_over.set()
        folding_thread.result(timeout=60)
        for session in sessions:
            end_session(session)
        settle_entity(entity, model=a_model())
    assert [len(stored(session)) for session in sessions] == [8 * 4] * 3
    for session in sessions:
        turns = list(Message.objects.filter(session=session).order_by("ordinal").values_list("pk", flat=True))
        assert covered(Digest.objects.heads().get(session=session, kind="brief")) == turns
    assert not Run.objects.filter(status=Run.Status.FAILED).exists()


class Agent:
    """A client over HTTP that talks in sessions, each turn sent twice under its key as after a lost reply."""

    def __init__(self, token: str) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {token}"})

    def post(self, path: str, body: dict[str, Any]) -> Any:
        reply = self.client.post(f"/api/v1/{path}", body, content_type="application/json")
        assert reply.status_code in (200, 201), reply.content
        return reply.json()

    def exchange(self, session: str, number: int) -> None:
        call = {"id": f"c{number}", "name": "look_up", "arguments": {}}
        turns = [
            {"role": "user", "text": f"{number} asks"},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "text": f"{number} found", "tool_call_id": f"c{number}"},
            {"role": "assistant", "text": f"{number} answers"},
        ]
        for place, one in enumerate(turns):
            keyed = one | {"dedupe_key": f"{session}/{number}/{place}"}
            first, again = (self.post(f"sessions/{session}/turns", keyed)["turns"][0] for _ in range(2))
            assert (first["created"], again["created"], first["id"]) == (True, False, again["id"])


def with_clients(token: str, act: Callable[[Agent, int], None]) -> None:
    """Every session is worked on by the client whose turn it is, all clients at once."""

    def run(number: int) -> None:
        agent = Agent(token)
        for place in range(SESSIONS):
            if place % CLIENTS == number:
                act(agent, place)

    at_once(run)


@pytest.mark.slow
def test_fifty_sessions_of_one_entity_take_turns_at_once_from_eight_clients(workspace: Workspace) -> None:
    token = create_key(workspace=workspace, label="agents").token
    for exchange in range(EXCHANGES):

        def talk(agent: Agent, place: int, number: int = exchange) -> None:
            # Another client than in the exchange before: none of them keeps a session.
            name = f"chat-{(place + number * 3) % SESSIONS}"
            session = agent.post("sessions", {**ACME, "external_id": name})
            agent.exchange(session["id"], number)

        with_clients(token, talk)
    entity = Entity.objects.get()
    expected = [
        words
        for number in range(EXCHANGES)
        for words in (f"{number} asks", "", f"{number} found", f"{number} answers")
    ]
    sessions = list(Session.objects.for_entity(entity))
    assert [stored(session) for session in sessions] == [expected] * SESSIONS
    assert Work.objects.get(step=Step.L1_EXTRACT).due_at is not None
    with_clients(token, lambda agent, place: agent.post(f"sessions/{sessions[place].pk}/end", {}))
    due = Work.objects.filter(due_at__isnull=False).values_list("step", flat=True)
    assert {"l1_extract", "compaction"} <= set(due)
    settle_entity(entity, model=a_model(), timeout_seconds=300)
    assert Digest.objects.filter(kind="brief").count() == SESSIONS
    assert not Message.objects.pending().exists()
