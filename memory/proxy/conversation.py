"""What a client sends again and again: the turns of a conversation, each known by all that came before it.

Pure. A client of chat completions sends the whole conversation with every request. A turn is recognised by a
chain of digests over the turns up to it, so that it is the same turn only at the same place behind the same
words, and is stored once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from memory.ingest.recalled import strip_recalled
from memory.ingest.storable import is_blank

SCOPE_DIGITS = 16
CHAIN_DIGITS = 32
SYSTEM_ROLES = frozenset({"system", "developer"})
ROLES = {"user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}
TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})


@dataclass(frozen=True, slots=True)
class Said:
    """One turn as it may be stored: what was said, and the calls of tools."""

    role: str
    text: str
    speaker: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str = ""
    tool_name: str = ""
    attachments: tuple[str, ...] = ()
    """Kinds of what came with the words, such as `image_url`."""
    note: Mapping[str, str] = field(default_factory=dict)
    """What else is told of it: the model, and why it is not whole."""

    @property
    def is_blank(self) -> bool:
        """Nothing that could be stored: one such turn would have all those beside it refused."""
        return is_blank(self.text.replace("\0", "")) and not self.tool_calls

    @property
    def identity(self) -> str:
        """The same for a turn that a client sends again, whatever it does to blanks and to empty fields."""
        calls = [call_identity(call) for call in self.tool_calls]
        told = [self.role, self.text.strip(), calls, self.tool_call_id, list(self.attachments)]
        return json.dumps(told, ensure_ascii=True, separators=(",", ":"))


def call_identity(call: Mapping[str, Any]) -> list[str]:
    """Id, name and arguments of a call."""
    function = call.get("function", call.get("custom"))
    inner = function if isinstance(function, Mapping) else {}
    given = inner.get("arguments", inner.get("input", ""))
    return [str(call.get("id", "")), str(inner.get("name", "")), str(given)]


def read_conversation(messages: Any) -> tuple[Said, ...]:
    """The turns among a request's messages; nothing for what has another shape, system messages left out.

    Recalled blocks are nobody's words: they are taken out, and a message of nothing else is no turn.
    """
    if not isinstance(messages, list):
        return ()
    names: dict[str, str] = {}
    found = []
    for message in messages:
        said = _read(message, names) if isinstance(message, Mapping) else None
        if said is not None:
            found.append(said)
            names.update((identity[0], identity[1]) for identity in map(call_identity, said.tool_calls))
    return tuple(found)


def _read(message: Mapping[str, Any], names: Mapping[str, str]) -> Said | None:
    role = ROLES.get(str(message.get("role")))
    if role is None:
        return None
    text, attachments = read_content(message)
    call_id = _text(message.get("tool_call_id")) if role == "tool" else ""
    name = _text(message.get("name"))
    return Said(
        role=role,
        text=strip_recalled(text),
        speaker="" if role == "tool" else name,
        tool_calls=read_calls(message) if role == "assistant" else (),
        tool_call_id=call_id,
        tool_name=(name or names.get(call_id, "")) if role == "tool" else "",
        attachments=attachments,
    )


def read_content(message: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The words of a message, and the kinds of what else it holds."""
    content = message.get("content")
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list):
        return _text(message.get("refusal")), ()
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [words for part in parts if part.get("type") in TEXT_PARTS and (words := _part_text(part))]
    kinds = tuple(str(part.get("type"))[:32] for part in parts if part.get("type") not in TEXT_PARTS)
    return "\n".join(texts), kinds


def _part_text(part: Mapping[str, Any]) -> str:
    return _text(part.get("text")) or _text(part.get("refusal"))


def read_calls(message: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """The calls of tools that an assistant's message makes, in OpenAI's shape; the older single call too."""
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        return tuple(call for call in calls if isinstance(call, Mapping))
    single = message.get("function_call")
    return ({"id": "", "type": "function", "function": single},) if isinstance(single, Mapping) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def newest_words(messages: Any) -> str:
    """What the user said last, without recalled blocks: what memory is asked about."""
    said = (turn.text.strip() for turn in reversed(read_conversation(messages)) if turn.role == "user")
    return next((words for words in said if words), "")


def scope_of(turns: Sequence[Said], session: str | None) -> str:
    """The same for every request of a conversation: it is made of its opening and of the session's name."""
    told = json.dumps([session or "", *(turn.identity for turn in opening(turns))])
    return _digest(told)[:SCOPE_DIGITS]


def opening(turns: Sequence[Said]) -> Sequence[Said]:
    """The turns up to the first one of a user."""
    first = next((place for place, turn in enumerate(turns) if turn.role == "user"), len(turns) - 1)
    return turns[: first + 1]


def is_opening(turns: Sequence[Said]) -> bool:
    """Whether nobody has answered yet: it may be a new conversation, or the same request once more."""
    return all(turn.role == "user" for turn in turns[len(opening(turns)) :])


def chained(turns: Iterable[Said], after: str = "") -> list[str]:
    """For each turn a digest over it and all before it; `after` is that of the turn before the first."""
    found = []
    for turn in turns:
        after = _digest(f"{after}\n{turn.identity}")[:CHAIN_DIGITS]
        found.append(after)
    return found


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
