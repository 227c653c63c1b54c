"""Chat messages of OpenAI's shape, in lines."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.ingest.importers.openai_jsonl import read_openai_jsonl
from memory.ingest.importers.records import BadRow, ReadMessage


def read(tmp_path: Path, *rows: Any) -> list[ReadMessage | BadRow]:
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return list(read_openai_jsonl(path))


def messages_of(rows: list[ReadMessage | BadRow]) -> list[dict[str, Any]]:
    return [dict(row.message) for row in rows if isinstance(row, ReadMessage)]


EMPTY = {
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


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ([1], "is no JSON object"),
        ({"messages": "x"}, "has messages that are no list"),
        (
            {"role": "user", "content": "x"},
            "has neither messages nor one of session, session_id, conversation_id, thread_id",
        ),
    ],
)
def test_a_bad_line_is_told_and_the_rest_is_read(tmp_path: Path, row: Any, problem: str) -> None:
    bad, good = read(tmp_path, "", row, {"session": "s", "role": "user", "content": "x"})
    assert bad == BadRow("line 2", problem)
    assert isinstance(good, ReadMessage)
