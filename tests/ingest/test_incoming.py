"""What a message must look like."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from memory.ingest.incoming import IncomingMessage, read_messages
from memory.ingest.problems import IngestError, Problem

GOOD: dict[str, Any] = {"session": "s1", "role": "user", "text": "hello"}


def problems_of(*items: Any) -> list[Problem]:
    with pytest.raises(IngestError) as refusal:
        read_messages(items)
    return list(refusal.value.problems)


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"text": ""}, "text", "is blank"),
        ({"text": " \n\t\u200b"}, "text", "is blank"),
        ({"text": "a\0b"}, "text", "holds the character U+0000"),
        ({"text": 5}, "text", "Input should be a valid string"),
        ({"text": "a" * 65_537}, "text", "String should have at most 65536 characters"),
        ({"speaker": "\udfff"}, "speaker", "holds half of a surrogate pair"),
        ({"role": "robot"}, "role", "Input should be 'user', 'assistant', 'tool' or 'system'"),
        ({"session": ""}, "session", "is blank"),
        ({"session": "s" * 129}, "session", "String should have at most 128 characters"),
        ({"speaker": "s" * 129}, "speaker", "String should have at most 128 characters"),
        ({"dedupe_key": " "}, "dedupe_key", "is blank"),
        ({"ordinal": -1}, "ordinal", "Input should be greater than or equal to 0"),
        ({"ordinal": True}, "ordinal", "Input should be a valid integer"),
        ({"ordinal": "1"}, "ordinal", "Input should be a valid integer"),
        ({"parent": "7"}, "parent", "is no UUID"),
        ({"occurred_at": "yesterday"}, "occurred_at", "is no ISO 8601 time"),
        ({"occurred_at": 1_700_000_000}, "occurred_at", "is no ISO 8601 time"),
        ({"occurred_at": "1700000000"}, "occurred_at", "is no ISO 8601 time"),
        (
            {"occurred_at": "2026-05-16T09:00:00"},
            "occurred_at",
            "has no time zone: add Z or an offset such as +02:00",
        ),
        (
            {"occurred_at": "0001-01-01T00:00:00+14:00"},
            "occurred_at",
            "has to lie between the years 2 and 9998",
        ),
        (
            {"occurred_at": "0001-12-31T23:59:59Z"},
            "occurred_at",
            "has to lie between the years 2 and 9998",
        ),
        (
            {"occurred_at": "9999-01-01T00:00:00Z"},
            "occurred_at",
            "has to lie between the years 2 and 9998",
        ),
        ({"metadata": {"a": "\0"}}, "metadata", "holds the character U+0000"),
        ({"metadata": {"a": [{"\ud800": 1}]}}, "metadata", "holds half of a surrogate pair"),
        ({"metadata": {"a": float("nan")}}, "metadata", "holds a number that is not finite"),
        ({"metadata": {"a": {1, 2}}}, "metadata", "holds a set, which is no JSON"),
        ({"metadata": {"a": "é" * 4_096}}, "metadata", "is 8200 bytes of JSON, at most 8192 are stored"),
        ({"metadata": []}, "metadata", "Input should be a valid dictionary"),
        ({"tool_calls": [{"name": "x\0"}]}, "tool_calls", "holds the character U+0000"),
        ({"tool_calls": ["x"]}, "tool_calls.0", "Input should be a valid dictionary"),
        ({"mood": "good"}, "mood", f"is unknown; known are {', '.join(IncomingMessage.model_fields)}"),
        (
            {"\ud800": 1},
            "message",
            "Input should be a valid string, unable to parse raw data as a unicode string",
        ),
    ],
)
def test_a_bad_field_is_named(change: dict[str, Any], field: str, problem: str) -> None:
    assert problems_of(GOOD | change) == [Problem(0, field, problem)]


def test_half_a_character_is_mended_in_what_was_said_and_nothing_else() -> None:
    said = "a\ud800b \U00020bb7 \ud842\udfb7 e\u0301 \u200d\r\n"
    [message] = read_messages([GOOD | {"text": said, "attachment_text": "\udfff"}])
    kept = "a\ufffdb \U00020bb7 \U00020bb7 e\u0301 \u200d\r\n"
    assert (message.text, message.attachment_text) == (kept, "\ufffd")


def test_deep_nesting_is_refused() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    assert problems_of(GOOD | {"metadata": {"a": deep}}) == [
        Problem(0, "metadata", "is nested more than 32 levels deep")
    ]


def test_every_problem_of_every_message_is_told() -> None:
    found = problems_of({"session": "s1"}, GOOD, "no object", GOOD | {"text": ""})
    assert [(problem.index, problem.field) for problem in found] == [
        (0, "role"),
        (2, "message"),
        (3, "text"),
    ]


@pytest.mark.parametrize("count", [0, 101])
def test_a_call_takes_one_to_a_hundred(count: int) -> None:
    assert problems_of(*[GOOD] * count) == [
        Problem(None, "messages", f"holds {count} messages, 1 to 100 are taken")
    ]


@pytest.mark.parametrize(
    "filled", [{"attachment_text": "a cat on a mat"}, {"tool_calls": [{"name": "search"}]}]
)
def test_text_may_be_empty_beside_an_attachment_or_tool_calls(filled: dict[str, Any]) -> None:
    assert read_messages([GOOD | {"text": ""} | filled])[0].text == ""


def test_times_are_read_as_instants() -> None:
    east = timezone(timedelta(hours=2))
    given = ["2026-05-16T09:00:00Z", "2026-05-16T11:00:00+02:00", datetime(2026, 5, 16, 11, tzinfo=east)]
    read = read_messages([GOOD | {"occurred_at": value} for value in given])
    assert [message.occurred_at for message in read] == [datetime(2026, 5, 16, 9, tzinfo=UTC)] * 3


def test_a_time_left_out_is_now_and_null_is_unknown() -> None:
    left_out, unknown = read_messages([GOOD, GOOD | {"occurred_at": None}])
    assert (left_out.is_said_now, unknown.is_said_now) == (True, False)
