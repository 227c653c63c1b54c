"""Chat messages for Anthropic's Messages API."""

from __future__ import annotations

import json
from typing import Any

from anthropic.types import MessageParam
from pydantic import TypeAdapter

from memory.client.chats import EARLIER, anthropic_chat


def call(number: int, arguments: str = "{}") -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": arguments}}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def test_calls_and_results_become_blocks() -> None:
    chat = anthropic_chat(
        [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Which plan?"},
            {"role": "assistant", "content": None, "tool_calls": [call(1, '{"of": "billing"}'), call(2)]},
            {"role": "tool", "tool_call_id": "c1", "content": "annual"},
            {"role": "tool", "tool_call_id": "c2", "content": ""},
            {"role": "assistant", "content": "The annual one."},
            {"role": "user", "content": "Thanks."},
        ]
    )
    assert chat.system == "Be kind."
    assert chat.messages == [
        {"role": "user", "content": [text("Which plan?")]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"of": "billing"}},
                {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "annual"},
                {"type": "tool_result", "tool_use_id": "c2", "content": ""},
            ],
        },
        {"role": "assistant", "content": [text("The annual one.")]},
        {"role": "user", "content": [text("Thanks.")]},
    ]
    TypeAdapter(list[MessageParam]).validate_json(json.dumps(chat.messages))


def test_it_begins_with_the_user_and_sides_change() -> None:
    system, messages = anthropic_chat(
        [
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "One."},
            {"role": "system", "content": "A note."},
            {"role": "user", "content": "Two."},
        ]
    )
    assert (system, messages) == (
        "",
        [
            {"role": "user", "content": [text(EARLIER)]},
            {"role": "assistant", "content": [text("Hello.")]},
            {"role": "user", "content": [text("One."), text("[system] A note."), text("Two.")]},
        ],
    )


def test_arguments_that_are_no_object_stand_under_a_name() -> None:
    calls = [call(1, "[1]"), call(2, "not json"), call(3, "")]
    asked: dict[str, Any] = {"role": "user", "content": "x"}
    messages = [asked, {"role": "assistant", "tool_calls": calls}]
    blocks = anthropic_chat(messages).messages[1]["content"]
    assert [block["input"] for block in blocks] == [{"arguments": [1]}, {"arguments": "not json"}, {}]
