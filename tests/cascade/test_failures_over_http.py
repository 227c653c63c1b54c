"""The whole engine against a provider that misbehaves over real HTTP: nothing is lost, all is visible."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections, transaction
from django.db.models import F

from benchmarks.answers import answer_to, task_of
from benchmarks.snapshot import snapshot
from memory.cascade import work
from memory.cascade.engine import Outcome, drain
from memory.cascade.sweeping import sweep
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.llm.configuration import endpoint_chains
from memory.llm.openai_wire import close_clients
from memory.models import (
    Atom,
    Entity,
    Evidence,
    Line,
    Message,
    ModelEndpoint,
    Run,
    Scene,
    SceneVersion,
    Step,
    TraitVersion,
    Work,
)
from memory.stewardship.verify import verify
from tests.factories import NewLine, make_atom, make_next_version, make_workspace
from tests.scripted_model import ScriptedModel
from tests.stub_provider import Reply, StubProvider

pytestmark = pytest.mark.django_db(transaction=True)

LONGEST_PROMPT_CHARACTERS = 12_000
SAID_AT = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
FACTS = (
    "My bike is blue.",
    "The cellar key hangs by the door.",
    "My sister lives in Lyon.",
    "The office has a green sofa.",
    "Our cat is called Mina.",
    "I play the cello.",
)


def well(body: dict[str, Any]) -> Reply:
    """What a model that works answers."""
    return Reply.json(answer_to(body))


@pytest.fixture
def stub(db: None, settings: LazySettings) -> Iterator[StubProvider]:
    """A provider that works unless a test scripts something else; nothing waits between tries."""
    with StubProvider(respond=well) as provider:
        product = settings.MEMSEEK
        settings.MEMSEEK = replace(
            product,
            model=replace(
                product.model,
                base_url=provider.base_url,
                api_key="sk-for-the-stub",
                strong="stub",
                cheap="stub",
            ),
            waking=replace(
                product.waking,
                quiet_seconds=0.0,
                persona_interval_seconds=0.0,
                promotion_seconds=0.0,
                retry_seconds=(0.0, 0.0, 0.0),
            ),
        )
        # Known to bear a schema: an answer of no shape does not make the client look for another mode.
        endpoint = endpoint_chains()["strong"][0]
        ModelEndpoint.objects.create(
            base_url_hash=endpoint.base_url_hash, model=endpoint.model, json_mode="json_schema"
        )
        yield provider
        close_clients()


@pytest.fixture
def entity(db: None) -> Entity:
    return ensure_entity(workspace=make_workspace(), name="agent.alice")


def say(entity: Entity, *texts: str) -> list[Message]:
    """One message after the other, as a chat does."""
    stored = [
        append_messages(
            entity=entity,
            messages=[
                IncomingMessage(session="s", role="user", speaker="Alice", text=text, occurred_at=SAID_AT)
            ],
        ).messages[0]
        for text in texts
    ]
    return [Message.objects.get(pk=message.id) for message in stored]


def run(entity: Entity, step: Step = Step.L1_EXTRACT) -> list[Outcome]:
    return drain(entity_id=entity.pk, step=step)


def run_all(entity: Entity) -> None:
    """Every step once, from below."""
    for step in Step:
        run(entity, step)


def runs(entity: Entity, step: Step = Step.L1_EXTRACT) -> list[Run]:
    return list(Run.objects.for_entity(entity).filter(step=step).order_by("started_at"))


def texts(entity: Entity) -> set[str]:
    """The live claims."""
    return set(Atom.objects.for_entity(entity).live().values_list("text", flat=True))


def waiting(entity: Entity) -> int:
    return Message.objects.for_entity(entity).pending().count()


def claims(*sayings: str, message: str = "m1") -> dict[str, Any]:
    """An extraction's answer."""
    items = [{"action": "store", "text": text, "messages": [message], "topic": "things"} for text in sayings]
    return {"items": items, "nothing_reason": None}


def in_messages(body: Mapping[str, Any], text: str) -> bool:
    """Whether a text is among the messages to read, not just among what was said before."""
    return text in str(body["messages"][-1]["content"]).partition("Messages to read:")[2]


def test_case_01_a_rate_limit_consumes_nothing_and_shows_until_it_is_over(
    stub: StubProvider, entity: Entity, settings: LazySettings
) -> None:
    """Messages stay queued, the failure is on the work row, and later all of them are read."""
    waking = replace(settings.MEMSEEK.waking, retry_seconds=(60.0,))
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)
    stub.respond = lambda _: Reply.status(429, "Too many requests.", retry_after="0")
    say(entity, *FACTS)
    assert run(entity) == [Outcome.FAILED]
    row = Work.objects.for_entity(entity).get(step=Step.L1_EXTRACT)
    failed = runs(entity)[0]
    assert (waiting(entity), texts(entity)) == (6, set())
    assert (row.failures, row.last_error_kind, failed.status, failed.is_transient) == (
        1,
        "http_429",
        Run.Status.FAILED,
        True,
    )
    assert row.due_at is not None
    assert (row.due_at - failed.finished_at).total_seconds() == pytest.approx(60, abs=5)  # type: ignore[operator]
    stub.respond = well
    assert run(entity) == []
    Work.objects.for_entity(entity).update(due_at=F("last_finished_at"))
    assert run(entity) == [Outcome.DONE]
    row.refresh_from_db()
    assert (waiting(entity), texts(entity)) == (0, set(FACTS))
    assert (row.failures, row.last_error, row.last_error_kind) == (0, "", "")


def test_case_02_a_cut_off_answer_is_a_failure_and_a_smaller_batch_is_asked_for(
    stub: StubProvider, entity: Entity
) -> None:
    stub.script = [Reply.text('{"items": [{"action": "store", "te', finish_reason="length")]
    say(entity, *FACTS)
    assert run(entity) == [Outcome.FAILED, Outcome.DONE, Outcome.DONE]
    first, second, third = runs(entity)
    assert (first.error_kind, first.noop_reason, first.outputs) == ("cut_off", "", {})
    assert [len(found.inputs["messages"]) for found in (first, second, third)] == [6, 3, 3]
    assert texts(entity) == set(FACTS)


def test_case_02_a_true_empty_list_is_a_success_and_is_not_asked_again(
    stub: StubProvider, entity: Entity
) -> None:
    stub.respond = lambda _: Reply.json({"items": [], "nothing_reason": "small talk"})
    say(entity, "Good morning!")
    assert run(entity) == [Outcome.DONE]
    assert (len(stub.requests), waiting(entity)) == (1, 0)
    assert [(found.status, found.noop_reason) for found in runs(entity)] == [("succeeded", "small talk")]


def test_case_04_braces_in_the_prose_before_the_json_are_no_json(stub: StubProvider, entity: Entity) -> None:
    answer = json.dumps(claims("My bike is blue."))
    stub.script = [Reply.text(f"Looking at {{the bike}}, I propose: {answer} Fine?")]
    say(entity, "My bike is blue.")
    assert run(entity) == [Outcome.DONE]
    assert texts(entity) == {"My bike is blue."}


def test_case_04_braces_alone_fail_loudly(stub: StubProvider, entity: Entity) -> None:
    stub.script = [Reply.text("Looking at {the bike}, I propose {nothing} at all.")]
    say(entity, "My bike is blue.")
    assert run(entity) == [Outcome.FAILED, Outcome.DONE]
    assert [found.status for found in runs(entity)] == ["failed", "succeeded"]
    assert texts(entity) == {"My bike is blue."}


def test_case_05_thinking_before_the_answer_is_no_part_of_it(stub: StubProvider, entity: Entity) -> None:
    thinking = '<think>The bike {"items": "?"} is blue, so</think>\n'
    stub.script = [Reply.text(thinking + json.dumps(claims("My bike is blue.")))]
    say(entity, "My bike is blue.")
    assert run(entity) == [Outcome.DONE]
    assert texts(entity) == {"My bike is blue."}


def test_case_05_nothing_but_thinking_is_asked_for_more_strictly_then_parked_in_sight(
    stub: StubProvider, entity: Entity
) -> None:
    """The message stands alone already: after three failures it waits for a person, who can try it again."""
    stub.respond = lambda _: Reply.text("<think>Is the bike blue? It is.</think>")
    (message,) = say(entity, "My bike is blue.")
    assert run(entity) == [Outcome.FAILED] * 3
    message.refresh_from_db()
    assert (waiting(entity), work.parked_counts(entity)[Step.L1_EXTRACT]) == (0, 1)
    assert message.parked_by_id == runs(entity)[-1].pk
    assert "<think>Is the bike blue? It is.</think>" in runs(entity)[-1].raw_answer
    prompts = [request.body["messages"][-1]["content"] for request in stub.requests]
    stricter = "An earlier answer to this could not be read."
    assert [stricter in prompt for prompt in prompts] == [False, True, True]
    stub.respond = well
    assert work.retry_parked(entity=entity, step=Step.L1_EXTRACT) == 1
    assert run(entity) == [Outcome.DONE]
    assert texts(entity) == {"My bike is blue."}


def test_case_08_a_content_filter_isolates_the_refused_message_and_reads_the_rest(
    stub: StubProvider, entity: Entity
) -> None:
    refused = FACTS[3]

    def filtered(body: dict[str, Any]) -> Reply:
        return Reply.refusal("I cannot help with that.") if in_messages(body, refused) else well(body)

    stub.respond = filtered
    messages = say(entity, *FACTS)
    run(entity)
    parked = Message.objects.for_entity(entity).parked()
    assert [message.text for message in parked] == [refused]
    assert texts(entity) == set(FACTS) - {refused}
    failed = [found for found in runs(entity) if found.status == Run.Status.FAILED]
    assert {found.error_kind for found in failed} == {"refusal"}
    assert failed[0].inputs["messages"] == [str(message.pk) for message in messages]
    assert failed[-1].inputs["messages"] == [str(messages[3].pk)]
    assert "I cannot help with that." in failed[-1].raw_answer


def test_case_14_a_scene_step_that_fails_half_way_leaves_the_scenes_as_they_were(
    stub: StubProvider, entity: Entity
) -> None:
    """The answer breaks off amid the second edit; what the first one says is not written either."""
    say(entity, *FACTS[:2])
    run_all(entity)
    before = snapshot(entity)
    say(entity, *FACTS[2:])
    run(entity)

    def half(body: dict[str, Any]) -> Reply:
        whole = Reply.json(answer_to(body))
        return whole.cut_off(len(whole.body) // 2)

    stub.respond = half
    outcomes = drain(entity_id=entity.pk, step=Step.SCENE_SYNTHESIS, seconds=0.0)
    assert outcomes == [Outcome.FAILED]
    assert snapshot(entity).scenes == before.scenes
    assert Atom.objects.for_entity(entity).pending().count() == 4
    stub.respond = well
    run(entity, Step.SCENE_SYNTHESIS)
    assert lines_of(entity) == set(FACTS)


def lines_of(entity: Entity) -> set[str]:
    """Every line of every live scene."""
    return set(
        Line.objects.for_entity(entity)
        .filter(versions__is_head=True, versions__scene__status=Scene.Status.LIVE)
        .values_list("text", flat=True)
    )


def aside(action: Callable[[], object]) -> None:
    """Do something in a thread and connection of its own, as another process would."""

    def act() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_case_17_two_workers_at_once_make_one_claim(stub: StubProvider, entity: Entity) -> None:
    """While one waits for the model another one asks for the same work; both requests said the same."""
    say(entity, "My locker is number 12.", "My locker is number 12.")
    second: list[list[Outcome]] = []

    def answer_amid_another(body: dict[str, Any]) -> Reply:
        aside(lambda: second.append(run(entity)))
        return well(body)

    stub.respond = answer_amid_another
    assert (run(entity), second) == ([Outcome.DONE], [[]])
    (atom,) = Atom.objects.for_entity(entity)
    assert atom.text == "My locker is number 12."
    assert Evidence.objects.filter(of_atom=atom).count() == 2
    assert [found.status for found in runs(entity)] == ["succeeded"]


def test_case_17_a_worker_that_was_overtaken_writes_nothing(stub: StubProvider, entity: Entity) -> None:
    """Its lease ran out while the model was thinking, and another one did the work."""
    say(entity, "My locker is number 12.")

    def overtake() -> None:
        past = {"lease_until": SAID_AT, "due_at": SAID_AT}
        Work.objects.for_entity(entity).filter(step=Step.L1_EXTRACT).update(**past)
        model = ScriptedModel([claims("My locker is number 12.")])
        drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model)

    def answer_late(body: dict[str, Any]) -> Reply:
        stub.respond = well
        aside(overtake)
        return well(body)

    stub.respond = answer_late
    assert run(entity) == [Outcome.DISCARDED]
    assert [found.status for found in runs(entity)] == ["abandoned", "succeeded"]
    assert Atom.objects.for_entity(entity).count() == 1


def test_case_19_what_came_in_while_a_scene_was_thought_about_stays(
    stub: StubProvider, entity: Entity
) -> None:
    """Somebody writes a version of the scene amid the call: the step reads again and writes on top of it."""
    (first, *_) = say(entity, *FACTS[:2])
    run_all(entity)
    say(entity, FACTS[2])
    run(entity)

    @transaction.atomic
    def add_a_line() -> None:
        head = SceneVersion.objects.for_entity(entity).live().get()
        atom = make_atom(entity, "The bike has a bell.", [first])
        make_next_version(head, added=[NewLine("work_context", "The bike has a bell.", [atom])])

    def answer_late(body: dict[str, Any]) -> Reply:
        stub.respond = well
        aside(add_a_line)
        return well(body)

    stub.respond = answer_late
    assert run(entity, Step.SCENE_SYNTHESIS) == [Outcome.DISCARDED, Outcome.DONE]
    assert lines_of(entity) == {*FACTS[:3], "The bike has a bell."}
    assert [version.number for version in SceneVersion.objects.for_entity(entity).order_by("number")] == [
        1,
        2,
        3,
    ]


def test_case_56_an_erase_amid_a_scene_step_discards_what_it_thought(
    stub: StubProvider, entity: Entity
) -> None:
    """The fact is erased after the step has read it: nothing of it is written, the raw answer neither."""
    say(entity, "My badge word is ORCHID-7.", FACTS[0])
    run(entity)

    def erase() -> None:
        with transaction.atomic():
            Entity.objects.filter(pk=entity.pk).update(erase_epoch=F("erase_epoch") + 1)
            Atom.objects.for_entity(entity).filter(text__contains="ORCHID").delete()
            Message.objects.for_entity(entity).filter(text__contains="ORCHID").delete()

    def answer_late(body: dict[str, Any]) -> Reply:
        stub.respond = well
        aside(erase)
        return well(body)

    stub.respond = answer_late
    assert run(entity, Step.SCENE_SYNTHESIS)[0] is Outcome.DISCARDED
    discarded = runs(entity, Step.SCENE_SYNTHESIS)[0]
    assert (
        discarded.status,
        discarded.inputs,
        discarded.outputs,
        discarded.decisions,
        discarded.raw_answer,
    ) == (
        Run.Status.DISCARDED,
        {},
        {},
        [],
        "",
    )
    # Its lease runs out, the sweep finds it, and what is left is placed.
    Work.objects.for_entity(entity).filter(lease_until__isnull=False).update(lease_until=SAID_AT)
    sweep()
    run(entity, Step.SCENE_SYNTHESIS)
    assert lines_of(entity) == {FACTS[0]}
    assert not Line.objects.filter(text__contains="ORCHID").exists()
    assert "ORCHID" not in str(list(Run.objects.values("inputs", "outputs", "decisions", "raw_answer")))


def test_case_67_one_small_write_touches_only_what_it_is_about(
    stub: StubProvider, entity: Entity, settings: LazySettings
) -> None:
    """Five scenes stand; three facts about one make one new version of it; the persona waits its turn."""
    stub.script = [
        Reply.json(claims(*FACTS[:5], message="m1")),
        Reply.json({"items": [a_scene(number) for number in range(1, 6)], "nothing_reason": None}),
    ]
    say(entity, " ".join(FACTS[:5]))
    run_all(entity)
    waking = replace(settings.MEMSEEK.waking, persona_interval_seconds=3600.0)
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)
    asked: list[int] = []
    for number in range(3):
        before = len(stub.requests)
        say(entity, f"Ride {number} was long.", f"Ride {number} was wet.", f"Ride {number} was fun.")
        run_all(entity)
        asked.append(len(stub.requests) - before)
    assert asked == [2, 2, 2]
    numbers = SceneVersion.objects.for_entity(entity).live().values_list("number", flat=True)
    assert list(numbers) == [4, 1, 1, 1, 1]
    assert TraitVersion.objects.for_entity(entity).count() == 1
    sent = [sum(len(message["content"]) for message in request.body["messages"]) for request in stub.requests]
    assert max(sent) < LONGEST_PROMPT_CHARACTERS


def a_scene(number: int) -> dict[str, Any]:
    """A scene of its own for a claim of the batch."""
    line = {"op": "add", "section": "work_context", "text": FACTS[number - 1], "atoms": [f"a{number}"]}
    return {"action": "create", "title": f"Matter {number}", "lines": [line]}


def test_a_first_message_costs_three_calls_and_the_same_words_again_one(
    stub: StubProvider, entity: Entity
) -> None:
    say(entity, "My locker is number 12.", "I prefer small steps.")
    run_all(entity)
    assert [task_of(request.body) for request in stub.requests] == [
        "l1_extract",
        "scene_synthesis",
        "persona",
    ]
    before = snapshot(entity)
    say(entity, "I prefer small steps.")
    run_all(entity)
    assert [task_of(request.body) for request in stub.requests[3:]] == ["l1_extract"]
    assert (snapshot(entity).scenes, snapshot(entity).traits) == (before.scenes, before.traits)
    assert verify(entity, is_settled=True) == []
