"""l1_extract: long messages in pieces, batches by session and event, failures that split or wait."""

from dataclasses import replace
from typing import Any

import pytest

from memory.cascade import work
from memory.cascade.engine import Outcome, drain, settle_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.llm.protocol import ModelReply, TransientModelError
from memory.models import Atom, Entity, Message, Step
from tests.cascade.story import NOTHING, START, an_entity, answer, merge, runs, say, settle, store
from tests.scripted_model import ScriptedModel, by_task

pytestmark = pytest.mark.django_db

ALLERGY = "and I am allergic to latex"


def long_text(characters: int, end: str) -> str:
    sentence = "We walked along the shore and talked about nothing in particular. "
    return (sentence * (characters // len(sentence) + 1))[: characters - len(end)] + end


def payloads(model: ScriptedModel) -> list[Any]:
    return [request.payload for request in model.requests if request.task == "l1_extract"]


def find_allergy(request: Any) -> Any:
    [message] = request.payload.messages
    found = "allergic to latex" in message.text
    return answer(*([store("Alice is allergic to latex.", "m1", priority=95)] if found else []))


@pytest.mark.parametrize("characters", [60_000, 65_536])
def test_the_end_of_a_very_long_message_is_read(characters: int) -> None:
    entity = an_entity()
    [message] = say(entity, long_text(characters, ALLERGY))
    model = settle(entity, l1_extract=find_allergy)
    atom = Atom.objects.get()
    assert (atom.text, list(atom.evidence.values_list("message_id", flat=True))) == (
        "Alice is allergic to latex.",
        [message.pk],
    )
    [run] = runs(entity)
    pieces = [payload.messages[0].text for payload in payloads(model)]
    assert (run.status, run.calls, len(message.text)) == ("succeeded", len(pieces), characters)
    assert all(len(piece) <= 8_000 for piece in pieces)
    assert sum(len(piece) for piece in pieces) >= characters


def test_every_piece_may_be_corrected_once() -> None:
    entity = an_entity()
    say(entity, long_text(60_000, ALLERGY))
    bad = answer(store("Bertrand likes tea.", "m1"))
    settle(entity, l1_extract=lambda request: NOTHING if request.is_correction else bad)
    [run] = runs(entity)
    assert (run.status, run.calls, Atom.objects.count()) == ("succeeded", 16, 0)


def test_a_long_attachment_is_read_in_pieces_too() -> None:
    entity = an_entity()
    say(entity, "The transcript:", attachment_text=long_text(30_000, ALLERGY))

    def extract(request: Any) -> Any:
        [message] = request.payload.messages
        assert len(message.text) + len(message.attachment_text) <= 8_000
        found = "allergic to latex" in message.attachment_text
        return answer(*([store("Someone is allergic to latex.", "m1")] if found else []))

    settle(entity, l1_extract=extract)
    assert Atom.objects.get().text == "Someone is allergic to latex."


def test_the_same_fact_in_two_overlapping_pieces_is_one_claim() -> None:
    entity = an_entity()
    say(entity, long_text(30_000, "."))
    settle(entity, l1_extract=answer(store("They walked along the shore.", "m1")))
    atom = Atom.objects.get()
    assert atom.evidence.count() == 1


def test_own_items_are_counted_within_each_piece() -> None:
    entity = an_entity()
    say(entity, f"The key is red. {long_text(16_000, '')} The key is blue.")

    def extract(request: Any) -> Any:
        [message] = request.payload.messages
        colours = [colour for colour in ("red", "blue") if f"key is {colour}" in message.text]
        return answer(
            *(
                item
                for c in colours
                for item in (store(f"The {c} key.", "m1"), merge(f"The key is {c}.", ["n1"], "m1"))
            )
        )

    settle(entity, l1_extract=extract)
    rows = Atom.objects.order_by("seq").values_list("text", "status", "chain_id")
    assert [(text, status) for text, status, _ in rows] == [
        ("The red key.", "superseded"),
        ("The key is red.", "live"),
        ("The blue key.", "superseded"),
        ("The key is blue.", "live"),
    ]
    assert len({chain for _, _, chain in rows}) == 2


def test_long_messages_share_no_batch_beyond_its_characters() -> None:
    entity = an_entity()
    say(entity, *(long_text(7_000, f" {number}") for number in range(5)))
    model = settle(entity)
    assert [len(payload.messages) for payload in payloads(model)] == [2, 2, 1]


def test_an_attachment_counts_when_a_batch_is_cut() -> None:
    entity = an_entity()
    for number in range(3):
        say(entity, f"Look {number}.", attachment_text=long_text(12_000, "."))
    assert [run.inputs["messages"] for run in runs(entity)] == []
    settle(entity)
    assert [len(run.inputs["messages"]) for run in runs(entity)] == [1, 1, 1]


def test_a_long_earlier_turn_does_not_fill_the_prompt() -> None:
    entity = an_entity()
    say(entity, *(long_text(60_000, f"and it ended with {number}") for number in range(4)))
    settle(entity)
    say(entity, "It was nice.")
    [payload] = payloads(settle(entity))
    assert [len(message.text) for message in payload.context] == [2_000] * 4
    assert payload.context[-1].text.endswith("ended with 3")


def test_a_batch_holds_one_session_in_the_order_of_events() -> None:
    entity = an_entity()
    say(entity, "b1", "b2", session="b", at=START.replace(year=2025))
    say(entity, "a1", session="a", at=START.replace(year=2024))
    say(entity, "b0", session="b", at=START.replace(year=2023))
    model = settle(entity)
    assert [[m.text for m in payload.messages] for payload in payloads(model)] == [["b0", "b1", "b2"], ["a1"]]


def test_a_cut_answer_is_a_failure_and_the_next_try_is_smaller() -> None:
    entity = an_entity()
    say(entity, *(f"Fact {number}." for number in range(10)))
    cut = ModelReply(text='{"items": [{"action": "store", "te', model="m", finish_reason="length")
    sizes: list[int] = []

    def extract(request: Any) -> Any:
        messages = request.payload.messages
        sizes.append(len(messages))
        return cut if len(messages) > 3 else answer(*(store(m.text, m.handle) for m in messages))

    settle(entity, l1_extract=extract)
    assert (sizes[:3], Atom.objects.count(), Message.objects.parked().count()) == ([10, 5, 2], 10, 0)


def test_prose_with_braces_before_the_answer_is_read() -> None:
    entity = an_entity()
    say(entity, "I prefer window seats.")
    words = 'Looking at {the trip}, I propose: {"items": [%s]}'
    item = '{"action": "store", "text": "Alice prefers window seats.", "messages": ["m1"]}'
    settle(entity, words % item)
    assert Atom.objects.get().text == "Alice prefers window seats."


def test_thinking_alone_is_asked_again_more_strictly_and_then_set_aside(settings: Any) -> None:
    waking = replace(settings.MEMSEEK.waking, retry_seconds=(0.0,))
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)
    entity = an_entity()
    say(entity, "I live in Oslo.")
    model = ScriptedModel(
        otherwise=by_task({"l1_extract": "<think>hm, Oslo {", "scene_synthesis": NOTHING, "persona": NOTHING})
    )
    settle_entity(entity, model=model)
    assert ["no thinking" in request.user for request in model.requests] == [False, True, True]
    assert [(run.status, run.error_kind) for run in runs(entity)] == [("failed", "no_answer")] * 3
    parked = Message.objects.parked().get()
    assert parked.parked_by_id == runs(entity)[-1].pk
    assert work.retry_parked(entity=entity, step=Step.L1_EXTRACT) == 1
    settle(
        entity,
        "<think>Oslo it is</think>"
        + '{"items": [{"action": "store", "text": "Alice lives in Oslo.", "messages": ["m1"]}]}',
    )
    assert Atom.objects.get().text == "Alice lives in Oslo."


def test_a_used_up_run_budget_keeps_the_good_items_of_the_first_answer(settings: Any) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, budget=replace(settings.MEMSEEK.budget, run_calls=1))
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo."), store("Alice lives in Bergen.")))
    [run] = runs(entity)
    assert (run.status, [atom.text for atom in Atom.objects.all()]) == ("succeeded", ["Alice lives in Oslo."])
    assert [e["reason"] for e in run.decisions if e["outcome"] == "dropped"] == [
        "The cited messages do not hold: Bergen."
    ]


def test_a_transcript_that_grows_with_every_call_is_read_once() -> None:
    entity = an_entity()
    told = [
        IncomingMessage.model_validate({"session": "s", "role": role, "text": text, "occurred_at": START})
        for role, text in (
            ("user", "Find me a flight."),
            ("tool", "3 flights"),
            ("assistant", "Here they are."),
        )
    ]
    for length in (1, 2, 2, 3, 3, 3):
        append_messages(entity=entity, messages=told[:length])
    [payload] = payloads(settle(entity))
    assert [message.text for message in payload.messages] == [message.text for message in told]


def test_an_import_that_is_repeated_wakes_no_model() -> None:
    entity = an_entity()
    told = [
        IncomingMessage(session="s", role="user", text=f"Fact {n}.", occurred_at=START, dedupe_key=f"k{n}")
        for n in range(50)
    ]
    append_messages(entity=entity, messages=told)
    settle(entity, l1_extract=_store_all)
    first = Atom.objects.count()
    append_messages(entity=entity, messages=told)
    assert (settle(entity).requests, Atom.objects.count(), first) == ([], 50, 50)


def _store_all(request: Any) -> Any:
    return answer(*(store(m.text, m.handle) for m in request.payload.messages))


def test_a_transient_failure_moves_no_mark() -> None:
    entity = an_entity()
    say(entity, *(f"Fact {number}." for number in range(6)))
    work.flush(entity)
    limited = ScriptedModel([TransientModelError("http_429", "slow down")])
    assert drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=limited) == [Outcome.FAILED]
    assert pending(entity) == 6
    settle(entity, l1_extract=_store_all)
    assert pending(entity) == 0


def pending(entity: Entity) -> int:
    return Message.objects.for_entity(entity).pending().count()
