"""Chat messages of OpenAI's shape, in lines."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.ingest.importers.openai_jsonl import read_openai, read_openai_jsonl
from memory.ingest.importers.records import BadRow, ReadMessage


def read(tmp_path: Path, *rows: Any) -> list[ReadMessage | BadRow]:
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return list(read_openai_jsonl(path))


def messages_of(rows: list[ReadMessage | BadRow]) -> list[dict[str, Any]]:
    return [dict(row.message) for row in rows if isinstance(row, ReadMessage)]


EMPTY: dict[str, Any] = {
    "speaker": "",
    "tool_name": "",
    "tool_calls": [],
    "tool_call_id": "",
    "attachment_text": "",
    "metadata": {},
    "occurred_at": None,
}


def test_a_conversation_a_line(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {
            "role": "user",
            "name": "Ann",
            "content": [{"type": "text", "text": "Rain?"}, {"type": "image_url"}],
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "name": "weather", "tool_call_id": "c1", "content": "dry"},
    ]
    assert messages_of(read(tmp_path, {"id": "chat-1", "messages": messages})) == [
        EMPTY | {"session": "chat-1", "role": "system", "text": "Be brief.", "dedupe_key": "openai:0:chat-1"},
        EMPTY
        | {
            "session": "chat-1",
            "role": "user",
            "text": "Rain?",
            "speaker": "Ann",
            "metadata": {"left_out": ["image_url"]},
            "dedupe_key": "openai:1:chat-1",
        },
        EMPTY
        | {
            "session": "chat-1",
            "role": "assistant",
            "text": "",
            "tool_calls": [call],
            "dedupe_key": "openai:2:chat-1",
        },
        EMPTY
        | {
            "session": "chat-1",
            "role": "tool",
            "text": "dry",
            "tool_name": "weather",
            "tool_call_id": "c1",
            "dedupe_key": "openai:3:chat-1",
        },
    ]


def test_a_message_a_line(tmp_path: Path) -> None:
    rows = [
        {"session": "s1", "role": "user", "content": "a"},
        {"session_id": "s2", "role": "user", "text": "b", "id": "m7"},
        {"session": "s1", "role": "assistant", "content": "c", "created_at": "2024-01-02T03:04:05Z"},
    ]
    found = messages_of(read(tmp_path, *rows))
    assert [(m["session"], m["text"], m["dedupe_key"], m["occurred_at"]) for m in found] == [
        ("s1", "a", "openai:0:s1", None),
        ("s2", "b", "openai:id-018c267d72f6381a:s2", None),
        ("s1", "c", "openai:1:s1", "2024-01-02T03:04:05Z"),
    ]


@pytest.mark.parametrize("created", [1_700_000_000, "2023-11-14T22:13:20Z"])
def test_a_time_of_the_conversation_keeps_the_order_of_its_messages(tmp_path: Path, created: Any) -> None:
    messages = [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b", "timestamp": 1_700_000_100_000},
    ]
    messages.append({"role": "user", "content": "c"})
    found = messages_of(read(tmp_path, {"created": created, "messages": messages}))
    assert [message["occurred_at"] for message in found] == [
        datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC),
        datetime(2023, 11, 14, 22, 15, 0, tzinfo=UTC),
        datetime(2023, 11, 14, 22, 13, 22, tzinfo=UTC),
    ]


def test_a_conversation_without_a_name_is_named_by_its_content(tmp_path: Path) -> None:
    row = {"messages": [{"role": "user", "content": "a"}]}
    first, again = (messages_of(read(tmp_path, {"messages": []}, row))[0] for _ in range(2))
    assert first["session"] == again["session"]
    assert first["session"].startswith("conversation-")


def test_messages_that_name_no_session_are_one_conversation_named_like_their_file(tmp_path: Path) -> None:
    found = read(tmp_path, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"})
    sessions = {message.message["session"] for message in found if isinstance(message, ReadMessage)}
    assert (len(found), len(sessions)) == (2, 1)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ([1], "is no JSON object"),
        ({"messages": "x"}, "has messages that are no list"),
        (
            {"content": "x"},
            "has neither messages, nor a role, nor one of session, session_id, conversation_id, thread_id",
        ),
    ],
)
def test_a_bad_line_is_told_and_the_rest_is_read(tmp_path: Path, row: Any, problem: str) -> None:
    bad, good = read(tmp_path, "", row, {"session": "s", "role": "user", "content": "x"})
    assert bad == BadRow("line 2", problem)
    assert isinstance(good, ReadMessage)


def test_an_array_of_messages_is_one_conversation_named_like_its_file(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "a"}, 7, {"role": "assistant", "content": "b"}], indent=1)
    )
    first, bad, second = read_openai(path)
    assert bad == BadRow("item 2", "is no JSON object")
    assert [(m["session"], m["role"], m["text"], m["dedupe_key"]) for m in messages_of([first, second])] == [
        ("chat", "user", "a", "openai:0:chat"),
        ("chat", "assistant", "b", "openai:1:chat"),
    ]


def test_an_array_of_conversations_names_them_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "chats.json"
    path.write_text(json.dumps([{"messages": [{"role": "user", "content": text}]} for text in "ab"]))
    first, again = (messages_of(list(read_openai(path))) for _ in range(2))
    assert first == again
    assert len({message["session"] for message in first}) == 2


def test_lines_are_read_although_the_first_is_an_array(tmp_path: Path) -> None:
    path = tmp_path / "chats.jsonl"
    path.write_text('[1]\n{"role": "user", "content": "a"}')
    bad, good = read_openai(path)
    assert bad == BadRow("line 1", "is no JSON object")
    assert isinstance(good, ReadMessage)


def test_a_byte_order_mark_changes_nothing(tmp_path: Path) -> None:
    row = json.dumps({"messages": [{"role": "user", "content": "a"}]})
    assert read(tmp_path, row) == read(tmp_path, "\ufeff" + row)


@pytest.mark.parametrize("created", ["9999-12-31T23:59:59Z", -62_135_596_800])
def test_a_conversation_at_the_end_of_the_calendar_is_left_to_be_refused(
    tmp_path: Path, created: Any
) -> None:
    messages = [{"role": "user", "content": text} for text in "ab"]
    found = messages_of(read(tmp_path, {"created": created, "messages": messages}))
    assert [isinstance(message["occurred_at"], str) for message in found] == [True, True]
