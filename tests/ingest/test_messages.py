"""Appending: all or nothing, once, in order."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.ingest.messages import Appended, append_messages
from memory.ingest.problems import IngestConflict, IngestError, Problem
from memory.ingest.recalled import wrap
from memory.ingest.sessions import end_session
from memory.models import Entity, Message, Outbox, Session, Step, Work
from tests.ingest.words import said

CONFLICT = "already stands for another message"


def texts_of(entity: Entity, session: str = "s1") -> list[str]:
    rows = Message.objects.for_entity(entity).filter(session__external_id=session)
    return list(rows.order_by("ordinal").values_list("text", flat=True))


def outcome(appended: Appended) -> list[tuple[str, int, bool]]:
    return [(message.session, message.ordinal, message.is_new) for message in appended.messages]


def test_messages_are_numbered_in_their_session_and_in_the_one_sequence(alice: Entity) -> None:
    messages = [said("a"), said("b", session="s2"), said("c"), said("d", session="s2")]
    appended = append_messages(entity=alice, messages=messages)
    assert outcome(appended) == [("s1", 0, True), ("s2", 0, True), ("s1", 1, True), ("s2", 1, True)]
    seqs = [message.seq for message in appended.messages]
    assert seqs == sorted(seqs)
    rows = Message.objects.for_entity(alice).order_by("seq").values_list("pk", "text")
    assert list(rows) == list(zip((m.id for m in appended.messages), "abcd", strict=True))
    assert outcome(append_messages(entity=alice, messages=[said("e")])) == [("s1", 2, True)]


def test_every_field_is_kept(alice: Entity) -> None:
    parent = append_messages(entity=alice, messages=[said("question")]).messages[0].id
    fields: dict[str, Any] = {
        "speaker": "weather 🌦",
        "attachment_text": "a map",
        "ordinal": 7,
        "dedupe_key": "k1",
        "occurred_at": datetime(2023, 5, 8, 13, 56, 0, 123456, tzinfo=UTC),
        "tool_name": "weather",
        "tool_calls": [{"id": "c1", "arguments": {"city": "東京"}}],
        "tool_call_id": "c1",
        "metadata": {"z": [1, 2.5, None, True], "a": {"ü": "é"}},
    }
    append_messages(entity=alice, messages=[said("21 °C", role="tool", parent=parent, **fields)])
    row = Message.objects.for_entity(alice).get(ordinal=7)
    assert {name: getattr(row, name) for name in fields} == fields
    assert (row.role, row.text, row.parent_id, row.workspace_id) == (
        "tool",
        "21 °C",
        parent,
        alice.workspace_id,
    )
    assert len(row.content_hash) == 32


def test_a_time_left_out_is_the_moment_of_recording_and_null_stays_unknown(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said("now"), said("when?", occurred_at=None)])
    now, unknown = Message.objects.for_entity(alice).order_by("ordinal")
    assert now.occurred_at is not None
    assert abs(now.occurred_at - now.recorded_at) < timedelta(minutes=1)
    assert unknown.occurred_at is None


def test_the_same_key_and_words_give_the_same_message(alice: Entity) -> None:
    first = append_messages(entity=alice, messages=[said("hi", dedupe_key="k")])
    again = append_messages(entity=alice, messages=[said("hi", dedupe_key="k"), said("more")])
    assert outcome(again) == [("s1", 0, False), ("s1", 1, True)]
    assert again.messages[0].id == first.messages[0].id
    assert again.messages[0].seq == first.messages[0].seq
    assert again.new_count == 1


@pytest.mark.parametrize(
    "other",
    [
        {"text": "ho"},
        {"role": "assistant"},
        {"session": "s2"},
        {"speaker": "Al"},
        {"ordinal": 5},
        {"metadata": {"a": 1}},
        {"occurred_at": datetime(2026, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_same_key_for_other_words_is_a_conflict(alice: Entity, other: dict[str, Any]) -> None:
    append_messages(entity=alice, messages=[said("hi", dedupe_key="k")])
    with pytest.raises(IngestConflict) as refusal:
        append_messages(
            entity=alice, messages=[said("new"), said(**({"text": "hi", "dedupe_key": "k"} | other))]
        )
    assert refusal.value.problems == (Problem(1, "dedupe_key", CONFLICT),)
    assert texts_of(alice) == ["hi"]


def test_the_same_ordinal_is_the_same_place(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said("hi", ordinal=3)])
    assert outcome(append_messages(entity=alice, messages=[said("hi", ordinal=3)])) == [("s1", 3, False)]
    with pytest.raises(IngestConflict) as refusal:
        append_messages(entity=alice, messages=[said("ho", ordinal=3)])
    assert refusal.value.problems == (Problem(0, "ordinal", CONFLICT),)


def test_messages_without_ordinals_go_behind_those_with(alice: Entity) -> None:
    messages = [said("a"), said("b", ordinal=4), said("c")]
    assert outcome(append_messages(entity=alice, messages=messages)) == [
        ("s1", 5, True),
        ("s1", 4, True),
        ("s1", 6, True),
    ]
    assert outcome(append_messages(entity=alice, messages=[said("d", ordinal=1)])) == [("s1", 1, True)]
    assert texts_of(alice) == ["d", "b", "a", "c"]


def test_a_key_twice_in_one_call_is_one_message(alice: Entity) -> None:
    appended = append_messages(entity=alice, messages=[said("hi", dedupe_key="k")] * 2)
    assert appended.messages[0].id == appended.messages[1].id
    assert (appended.new_count, texts_of(alice)) == (1, ["hi"])
    with pytest.raises(IngestConflict):
        append_messages(entity=alice, messages=[said("a", dedupe_key="j"), said("b", dedupe_key="j")])


def test_a_lone_message_is_always_new(alice: Entity) -> None:
    for _ in range(2):
        append_messages(entity=alice, messages=[said("ok")])
    assert texts_of(alice) == ["ok", "ok"]


def test_a_growing_transcript_is_stored_once(alice: Entity) -> None:
    """Case 16: a client that sends its whole conversation with every turn of a tool loop."""
    transcript = [said(f"turn {number}") for number in range(8)]
    for length in range(2, 9):
        append_messages(entity=alice, messages=transcript[:length])
    assert texts_of(alice) == [f"turn {number}" for number in range(8)]


def test_a_transcript_that_differs_is_new_words(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said("a"), said("b")])
    append_messages(entity=alice, messages=[said("a"), said("B")])
    append_messages(entity=alice, messages=[said("a"), said("b")])
    assert texts_of(alice) == ["a", "b", "a", "B", "a", "b"]


def test_transcripts_of_several_sessions_are_told_apart(alice: Entity) -> None:
    first, second = [said("a"), said("b")], [said("a", session="s2"), said("c", session="s2")]
    append_messages(entity=alice, messages=first)
    appended = append_messages(entity=alice, messages=[first[0], second[0], first[1], second[1]])
    assert [message.is_new for message in appended.messages] == [False, True, False, True]
    again = append_messages(entity=alice, messages=[*first, *second, said("d", session="s2")])
    assert [message.is_new for message in again.messages] == [False] * 4 + [True]


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, attachment=TEXTS, value=TEXTS)
def test_text_comes_back_byte_for_byte(alice: Entity, text: str, attachment: str, value: str) -> None:
    message = said(f"x{text}", attachment_text=attachment, metadata={f"k{value}": value})
    stored = append_messages(entity=alice, messages=[message]).messages[0]
    row = Message.objects.for_entity(alice).get(pk=stored.id)
    assert (row.text, row.attachment_text, row.metadata) == (
        f"x{text}",
        attachment,
        {f"k{value}": value},
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(transcript=st.lists(st.sampled_from(["ok", "go on", "done"]), min_size=2, max_size=12), data=st.data())
def test_resending_in_any_steps_gives_the_transcript(
    alice: Entity, transcript: list[str], data: st.DataObject
) -> None:
    session = f"talk {uuid4()}"
    messages = [said(text, session=session) for text in transcript]
    lengths = data.draw(st.lists(st.integers(2, len(messages)), max_size=4).map(sorted))
    for length in [*lengths, len(messages)]:
        append_messages(entity=alice, messages=messages[:length])
    assert texts_of(alice, session) == transcript


@pytest.mark.parametrize(
    "text",
    [
        "Thanks 🎉 see you at 𠮷野家",
        "כל הכבוד ‎✓ مرحبا بالعالم",
        "family 👨‍👩‍👧‍👦, flag 🏳️‍🌈",
        "  line\r\nends\tand spaces  ",
        "e\u0301 is not é",
        "a" * 65_536,
    ],
)
def test_rare_text_is_kept(alice: Entity, text: str) -> None:
    append_messages(entity=alice, messages=[said(text)])
    assert texts_of(alice) == [text]


def test_nothing_of_a_refused_call_is_stored(alice: Entity) -> None:
    with pytest.raises(IngestError):
        append_messages(entity=alice, messages=[said("a"), said("b", session="s9", parent=uuid4())])
    assert not Message.objects.for_entity(alice).exists()
    assert not Session.objects.for_entity(alice).exists()


def test_a_parent_of_another_entity_is_unknown(alice: Entity, bob: Entity) -> None:
    his = append_messages(entity=bob, messages=[said("mine")]).messages[0].id
    with pytest.raises(IngestError) as refusal:
        append_messages(entity=alice, messages=[said("a"), said("b", parent=his)])
    assert refusal.value.problems == (Problem(1, "parent", "is no stored message of this entity"),)


def test_keys_of_another_entity_do_not_matter(alice: Entity, bob: Entity) -> None:
    append_messages(entity=bob, messages=[said("his", dedupe_key="k")])
    assert append_messages(entity=alice, messages=[said("hers", dedupe_key="k")]).new_count == 1


def test_an_ended_session_takes_nothing_new_but_knows_what_it_has(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said("a", dedupe_key="k")])
    session = Session.objects.for_entity(alice).get()
    assert end_session(session) is True
    ended_at = session.ended_at
    assert end_session(session) is False
    assert session.ended_at == ended_at
    assert append_messages(entity=alice, messages=[said("a", dedupe_key="k")]).new_count == 0
    with pytest.raises(IngestConflict) as refusal:
        append_messages(entity=alice, messages=[said("b")])
    assert refusal.value.problems == (Problem(0, "session", "has ended and takes no more messages"),)


def test_ending_a_session_flushes(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said("a")], wake=False)
    end_session(Session.objects.for_entity(alice).get())
    work = Work.objects.for_entity(alice).get(step=Step.L1_EXTRACT)
    assert work.is_flushing
    assert work.due_at is not None


@pytest.mark.parametrize(
    ("message", "is_extractable"),
    [
        (said("I like tea"), True),
        (said("I like tea", role="assistant"), True),
        (said("You are a helpful agent", role="system"), False),
        (said(wrap("likes green tea", "u1")), False),
        (said(f"{wrap('likes green tea', 'u1')}\nhi"), True),
        (said(wrap("likes green tea", "u1"), attachment_text="a cat"), True),
        (said("", role="assistant", tool_calls=[{"name": "search"}]), False),
    ],
)
def test_only_what_was_said_is_extracted_from(alice: Entity, message: Any, is_extractable: bool) -> None:
    append_messages(entity=alice, messages=[message])
    assert Message.objects.for_entity(alice).get().is_extractable is is_extractable
    due = Work.objects.for_entity(alice).get(step=Step.L1_EXTRACT).due_at
    assert (due is not None) is is_extractable


def test_waking_can_be_left_to_a_later_flush(alice: Entity) -> None:
    append_messages(entity=alice, messages=[said("a")], wake=False)
    assert Work.objects.for_entity(alice).get(step=Step.L1_EXTRACT).due_at is None


def test_the_outbox_names_what_is_new(alice: Entity) -> None:
    stored = append_messages(entity=alice, messages=[said("a", dedupe_key="k")]).messages[0]
    append_messages(entity=alice, messages=[said("a", dedupe_key="k")])
    events = Outbox.objects.for_entity(alice).values_list("event", "ids")
    assert list(events) == [("message.stored", {"messages": [str(stored.id)]})]


@pytest.mark.parametrize("fields", [{}, {"dedupe_key": "k{}"}, {"ordinal": 0}])
def test_statements_do_not_grow_with_the_call(alice: Entity, fields: dict[str, Any]) -> None:
    counts = []
    for session, size in (("warm", 2), ("few", 2), ("many", 100)):
        messages = [
            said("x", session=session, **_numbered(fields, f"{session}{number}", number))
            for number in range(size)
        ]
        append_messages(entity=alice, messages=[said("before", session=session)])
        with CaptureQueriesContext(
            connection,
        ) as captured:
            append_messages(entity=alice, messages=messages)
        counts.append(len([q for q in captured if "SAVEPOINT" not in str(q["sql"])]))
    assert counts[1] == counts[2] <= 7


def _numbered(fields: dict[str, Any], key: str, number: int) -> dict[str, Any]:
    if "ordinal" in fields:
        return {"ordinal": number + 1}
    return {name: value.format(key) for name, value in fields.items()}
