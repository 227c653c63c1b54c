"""Turns: by arrival, once, in pairs, under their parents."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ingest.incoming import IncomingTurn
from memory.ingest.messages import append_messages
from memory.ingest.problems import IngestConflict, IngestError
from memory.ingest.turns import add_turns, read_turn_items, read_turns
from memory.models import Entity, Message, Session, Work
from memory.models.base import new_id
from tests.cascade.talks import folding, open_talk, take, tool_call
from tests.ingest.words import said

FIELDS = ", ".join(IncomingTurn.model_fields)


@pytest.fixture
def session(alice: Entity) -> Session:
    return open_talk(alice)


def turn(text: str, role: Any = "user", **values: Any) -> IncomingTurn:
    return IncomingTurn(role=role, text=text, **values)


def texts(session: Session) -> list[str]:
    return list(Message.objects.filter(session=session).order_by("ordinal").values_list("text", flat=True))


def refusal(session: Session, *turns: IncomingTurn) -> str:
    with pytest.raises(IngestError) as refused:
        add_turns(session=session, turns=turns)
    return str(refused.value)


def test_turns_stand_in_the_order_of_their_arrival(session: Session) -> None:
    first = add_turns(session=session, turns=[turn("a"), turn("b", "assistant")])
    second = add_turns(session=session, turns=[turn("c")])
    assert [one.ordinal for one in (*first.messages, *second.messages)] == [0, 1, 2]
    assert (texts(session), first.new_count, second.entity) == (["a", "b", "c"], 2, session.entity)


def test_the_same_words_again_are_turns_of_their_own(session: Session) -> None:
    for _ in range(2):
        add_turns(session=session, turns=[turn("yes"), turn("ok", "assistant")])
    assert texts(session) == ["yes", "ok", "yes", "ok"]


def test_a_key_makes_a_turn_one_however_often_it_is_sent(session: Session) -> None:
    asks = turn("", "assistant", tool_calls=[tool_call("c1", "weather")], dedupe_key="k1")
    tells = turn("21 °C", "tool", tool_call_id="c1", dedupe_key="k2")
    first = add_turns(session=session, turns=[asks, tells])
    again = add_turns(session=session, turns=[asks, tells, tells])
    assert [one.id for one in again.messages[:2]] == [one.id for one in first.messages]
    assert (again.new_count, len(texts(session))) == (0, 2)
    with pytest.raises(IngestConflict, match=r"turns\[0\]\.dedupe_key: already stands for another message"):
        add_turns(session=session, turns=[turn("other", dedupe_key="k1")])
    others = [turn("", "assistant", tool_calls=[tool_call("c9", "weather")], dedupe_key="k3")]
    more = turn("22 °C", "tool", tool_call_id="c9", dedupe_key="k4")
    assert add_turns(session=session, turns=[*others, more, more]).new_count == 2


def test_results_of_tools_belong_to_calls_of_the_session(session: Session) -> None:
    take(session, "", tool_calls=[tool_call("c1", "weather"), tool_call("c2", "news")])
    assert refusal(session, turn("x", "tool", tool_call_id="c3")) == (
        "turns[0].tool_call_id: names no call of an earlier turn of this session"
    )
    take(session, "21 °C", role="tool", tool_call_id="c1")
    take(session, "Wait.", role="user")
    take(session, "Nothing new.", role="tool", tool_call_id="c2")
    assert refusal(session, turn("x", "tool", tool_call_id="c1")) == (
        "turns[0].tool_call_id: names a call that has its result already"
    )
    elsewhere = open_talk(session.entity, "elsewhere")
    assert "names no call" in refusal(elsewhere, turn("x", "tool", tool_call_id="c1"))


def test_messages_of_an_import_need_no_calls(session: Session) -> None:
    append_messages(
        entity=session.entity, messages=[said("21 °C", session="talk", role="tool", tool_call_id="c")]
    )
    assert texts(session) == ["21 °C"]


def test_a_parent_is_an_earlier_turn_of_the_session(session: Session) -> None:
    parent = take(session, "Look it up.", role="user")
    take(session, "Searching.", parent=parent)
    other = take(open_talk(session.entity, "other"), "Elsewhere.", role="user")
    for unknown in (other, new_id()):
        assert refusal(session, turn("x", parent=unknown)).startswith("turns[0].parent: is no ")


def test_all_or_none_of_a_call_is_stored(session: Session) -> None:
    assert refusal(session, turn("fine"), turn("x", "tool")) == (
        "turns[1].tool_call_id: has to name the call that this is the result of"
    )
    assert texts(session) == []


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"role": "user"}, "turns[0].text: is blank"),
        ({"role": "user", "text": "x", "session": "s"}, f"turns[0].session: is unknown; known are {FIELDS}"),
        ({"role": "user", "text": "x", "ordinal": 1}, f"turns[0].ordinal: is unknown; known are {FIELDS}"),
        ({"text": "x"}, "turns[0].role: Field required"),
    ],
)
def test_what_is_no_turn_is_told_by_its_place_and_field(item: dict[str, Any], problem: str) -> None:
    with pytest.raises(IngestError) as refused:
        read_turn_items([item])
    assert str(refused.value) == problem


@pytest.mark.parametrize("count", [0, 101])
def test_a_call_takes_one_to_a_hundred_turns(session: Session, count: int) -> None:
    assert refusal(session, *[turn("x")] * count) == f"turns: holds {count} turns, 1 to 100 are taken"


def test_the_execution_tree_is_read_page_by_page(session: Session) -> None:
    root = take(session, "Look it up.", role="user")
    called = take(session, "", parent=root, tool_calls=[tool_call("c1", "search")])
    below = [take(session, f"step {n}", parent=called) for n in range(3)]
    take(session, "found", role="tool", parent=called, tool_call_id="c1")

    def ids(**asked: Any) -> list[UUID]:
        return [one.message.pk for one in read_turns(session, **asked).turns]

    assert ids(roots_only=True) == [root]
    assert ids(parent=called)[:3] == below
    page = read_turns(session, parent=called, limit=2)
    assert (page.total, page.next_after, ids(parent=called, limit=2)) == (4, 3, below[:2])
    assert ids(parent=called, limit=2, after=page.next_after)[0] == below[2]
    assert [one.children for one in read_turns(session).turns] == [1, 4, 0, 0, 0, 0]


def test_a_long_session_asks_for_a_fold_once_and_later_again(
    session: Session, django_capture_on_commit_callbacks: Any
) -> None:
    asked: list[bool] = []
    with folding(kept=2, after=4):
        for number in range(12):
            Work.objects.update(due_at=None)
            with django_capture_on_commit_callbacks(execute=True):
                take(session, f"turn {number}", role="user")
            asked.append(Work.objects.filter(step="compaction", due_at__isnull=False).exists())
            # As a fold that found no place to cut does.
            Session.objects.update(fold_asked_at=None)
    assert asked == [False] * 4 + [True, True] + [False, True] * 3


def test_sessions_of_imports_ask_for_no_fold(alice: Entity) -> None:
    with folding(kept=2, after=4):
        append_messages(entity=alice, messages=[said(f"words {n}") for n in range(20)])
    assert not Session.objects.filter(fold_asked_at__isnull=False).exists()


def test_statements_do_not_grow_with_turns(session: Session) -> None:
    counts = []
    for size in (1, 2, 100):
        with CaptureQueriesContext(connection) as captured:
            add_turns(session=session, turns=[turn(f"{size}/{n}") for n in range(size)])
        with CaptureQueriesContext(connection) as read:
            read_turns(session, limit=size)
        counts.append((len(captured), len(read)))
    # The first one marks the extraction due.
    assert counts[1] == counts[2]
    assert counts[0][1] == counts[1][1] == 2
