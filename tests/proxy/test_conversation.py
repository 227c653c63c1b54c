"""How turns are recognised, and how a reply is read while it passes by: rules without a database."""

from __future__ import annotations

from typing import Any

import pytest

from memory.proxy.context import Remembered, with_memory
from memory.proxy.conversation import (
    Said,
    chained,
    is_opening,
    newest_words,
    read_conversation,
    scope_of,
)
from memory.proxy.replies import EventReader, reader_for, whole_events
from tests.proxy.conftest import said
from tests.stub_provider import Reply
from tests.stub_provider.replies import piece

SYSTEM = {"role": "system", "content": "Be brief."}
CALLS = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "user", "content": "Hi"}, Said("user", "Hi")),
        ({"role": "user", "content": "Hi", "name": "Alice"}, Said("user", "Hi", speaker="Alice")),
        (
            {"role": "user", "content": [{"type": "text", "text": "A"}, {"type": "text", "text": "B"}]},
            Said("user", "A\nB"),
        ),
        (
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]},
            Said("user", "", attachments=("input_audio",)),
        ),
        (
            {"role": "assistant", "content": None, "refusal": "I will not."},
            Said("assistant", "I will not."),
        ),
        (
            {"role": "assistant", "content": None, "tool_calls": CALLS},
            Said("assistant", "", tool_calls=tuple(CALLS)),
        ),
        (
            {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
            Said(
                "assistant",
                "",
                tool_calls=({"id": "", "type": "function", "function": {"name": "look", "arguments": "{}"}},),
            ),
        ),
        (
            {"role": "tool", "tool_call_id": "c1", "content": "Found."},
            Said("tool", "Found.", tool_call_id="c1"),
        ),
        ({"role": "function", "name": "look", "content": "Found."}, Said("tool", "Found.", tool_name="look")),
        ({"role": "user", "content": '<memseek-recall id="a">x</memseek-recall>y'}, Said("user", "y")),
        (SYSTEM, None),
        ({"role": "developer", "content": "Be brief."}, None),
        ({"role": 7, "content": "?"}, None),
        ("Hi", None),
        ({"role": "user", "content": {"text": "?"}}, Said("user", "")),
    ],
)
def test_a_message_is_read_as_what_was_said(message: Any, expected: Said | None) -> None:
    assert read_conversation([message]) == ((expected,) if expected else ())


@pytest.mark.parametrize("messages", [None, "Hi", {"role": "user"}, []])
def test_what_is_no_list_of_messages_is_no_conversation(messages: Any) -> None:
    assert (read_conversation(messages), newest_words(messages)) == ((), "")


def test_a_turn_is_known_by_everything_before_it() -> None:
    short, long = (read_conversation(said(*texts)) for texts in (("a", "b"), ("a", "b", "c")))
    other = read_conversation(said("x", "b", "c"))
    assert chained(long)[:2] == chained(short)
    assert chained(long[2:], after=chained(long)[1]) == chained(long)[2:]
    assert not set(chained(long)) & set(chained(other))
    # Blanks and empty fields are as clients please.
    changed = [
        {"role": "user", "content": [{"type": "text", "text": " a "}]},
        {**said("", "b")[1], "tool_calls": []},
    ]
    assert chained(read_conversation(changed)) == chained(short)


def test_a_conversation_is_known_by_its_opening_whatever_the_instructions() -> None:
    asked = [SYSTEM, *said("a")]
    later = [{"role": "system", "content": "Today is Monday."}, *said("a", "b", "c")]
    scopes = {scope_of(read_conversation(messages), None) for messages in (asked, later)}
    assert len(scopes) == 1
    assert scope_of(read_conversation(asked), "named") not in scopes
    assert [is_opening(read_conversation(messages)) for messages in (asked, later)] == [True, False]
    greeted = [{"role": "assistant", "content": "Welcome."}, *said("a")]
    assert is_opening(read_conversation(greeted))


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("beside", ["Be brief.", "rules", "a", "b", "facts", "c"]),
        ("first", ["Be brief.", "rules\n\nfacts", "a", "b", "c"]),
    ],
)
def test_memory_stands_where_the_prefix_stays_the_same(place: str, expected: list[str]) -> None:
    messages = [SYSTEM, *said("a", "b", "c")]
    told = with_memory(messages, Remembered("rules", "facts"), place)
    assert [message["content"] for message in told] == expected
    assert [message for message in told if message in messages] == messages
    assert [message["role"] for message in told if message not in messages] == ["system"] * (
        len(told) - len(messages)
    )


def test_memory_keeps_its_place_while_tools_are_called() -> None:
    messages = [*said("a"), {"role": "assistant", "tool_calls": CALLS}, {"role": "tool", "content": "x"}]
    told = with_memory(messages, Remembered("", "facts"), "beside")
    assert told == [{"role": "system", "content": "facts"}, *messages]
    assert with_memory([SYSTEM], Remembered("rules", "facts"), "beside") == [
        SYSTEM,
        {"role": "system", "content": "rules"},
        {"role": "system", "content": "facts"},
    ]


def test_a_stream_is_read_wherever_it_is_cut() -> None:
    deltas = [
        {"content": "Grüße"},
        {"content": ", Alice"},
        {"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "b", "arguments": "{}"}}]},
        {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "a", "arguments": '{"x"'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
    ]
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    ignored = piece({"content": "the other choice"}, index=1)
    body = Reply.events(*map(piece, deltas), ignored, piece({}, "tool_calls"), usage).body
    for size in (1, 2, 7, len(body)):
        reader = EventReader()
        for start in range(0, len(body), size):
            reader.feed(body[start : start + size])
        reply = reader.reply()
        assert reply is not None
        assert (reply.said.text, reply.is_whole, reply.model) == ("Grüße, Alice", True, "stub")
        assert [call["function"]["arguments"] for call in reply.said.tool_calls] == ['{"x":1}', "{}"]
        assert reply.usage_after("") == reply.usage
        assert reply.noted("cut").note == {"model": "stub"}


@pytest.mark.parametrize(
    "body", [b"", b"data: {\n\n", b": ping\n\n", b'data: [1]\n\ndata: {"choices": [{}]}\n\n', b"\xff" * 9]
)
def test_a_stream_of_anything_else_holds_no_reply(body: bytes) -> None:
    reader = reader_for("text/event-stream; charset=utf-8")
    reader.feed(body)
    assert reader.reply() is None


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"choices": [{"index": 0}]}', b'{"choices": 3}'])
def test_a_document_of_anything_else_holds_no_reply(body: bytes) -> None:
    reader = reader_for("application/json")
    reader.feed(body)
    assert reader.reply() is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (b"", b"")),
        (b"data: 1", (b"", b"data: 1")),
        (b"data: 1\n\nda", (b"data: 1\n\n", b"da")),
        (b"data: 1\r\n\r\ndata: 2\n\n", (b"data: 1\r\n\r\ndata: 2\n\n", b"")),
        (b"x" * 300_000, (b"x" * 300_000, b"")),
    ],
)
def test_events_go_on_whole(data: bytes, expected: tuple[bytes, bytes]) -> None:
    assert whole_events(data) == expected
