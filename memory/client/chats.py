"""Chat messages of OpenAI's schema as Anthropic's Messages API wants them. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

EARLIER = "(The conversation began earlier.)"


class AnthropicChat(NamedTuple):
    """The system prompt, and messages that begin with the user and change sides with each one."""

    system: str
    messages: list[dict[str, Any]]


def anthropic_chat(messages: Sequence[Mapping[str, Any]]) -> AnthropicChat:
    """The same conversation: calls and results of tools as blocks, system messages at the head in `system`.

    A system message later on is told where it stands, as words of the user's side.
    """
    head = 0
    while head < len(messages) and messages[head]["role"] == "system":
        head += 1
    system = "\n\n".join(str(message["content"]) for message in messages[:head])
    chat: list[dict[str, Any]] = []
    for message in messages[head:]:
        side = "assistant" if message["role"] == "assistant" else "user"
        if not chat and side == "assistant":
            chat.append({"role": "user", "content": [_text(EARLIER)]})
        if chat and chat[-1]["role"] == side:
            chat[-1]["content"] += _blocks(message)
        else:
            chat.append({"role": side, "content": _blocks(message)})
    return AnthropicChat(system, chat)


def _blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    words = message.get("content") or ""
    if message["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": words}]
    told = f"[system] {words}" if message["role"] == "system" else words
    return [*([_text(told)] if told else ()), *map(_call, message.get("tool_calls") or ())]


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    return {"type": "tool_use", "id": call["id"], "name": function["name"], "input": _input(function)}


def _input(function: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as an object, which Anthropic's schema asks for; anything else under a name."""
    try:
        value = json.loads(function["arguments"] or "{}")
    except ValueError:
        value = function["arguments"]
    return value if isinstance(value, dict) else {"arguments": value}
