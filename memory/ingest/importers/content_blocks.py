"""The content of a chat message: plain text, or blocks as OpenAI, Anthropic and LangChain write them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.ingest.incoming import TOOL_CALLS_BYTES_LIMIT
from memory.ingest.storable import json_problem

TOOL_USES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})
RESULT_ENDING = "tool_result"


@dataclass(slots=True)
class Part:
    """A stretch of a message that one voice said: its words and calls, or what a tool answered."""

    texts: list[Any] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    is_result: bool = False
    call_id: str = ""

    @property
    def text(self) -> Any:
        """Its texts, each from a new line; a lone one as it is, to be refused when it is none."""
        return self.texts[0] if len(self.texts) == 1 else "\n".join(self.texts)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found, not even something to leave out."""
        return not (self.texts or self.calls or self.left_out or self.is_result)


def read_content(content: Any) -> list[Part]:
    """The parts of a message in their order, at least one; a tool's answer is a part of its own."""
    if not isinstance(content, list):
        return [Part(texts=[] if content is None else [content])]
    parts = [Part()]
    for block in content:
        if _kind(block).endswith(RESULT_ENDING):
            parts += [_result(block), Part()]
        else:
            _add(parts[-1], block)
    return [part for part in parts if not part.is_empty] or [Part()]


def _kind(block: Any) -> str:
    return str(block.get("type", "")) if isinstance(block, Mapping) else ""


def _add(part: Part, block: Any) -> None:
    kind = _kind(block)
    text = block.get("text", block.get("refusal")) if isinstance(block, Mapping) else block
    if kind in THOUGHTS:
        part.left_out.append(kind)
    elif kind in TOOL_USES:
        add_call(part, name=block.get("name"), arguments=block.get("input"), call_id=block.get("id"))
    elif isinstance(text, str):
        part.texts.append(text)
    else:
        part.left_out.append(kind or type(block).__name__)


def add_call(part: Part, *, name: Any, arguments: Any, call_id: Any = None) -> None:
    """Add a call in OpenAI's shape; what is too large to be stored is left out and named."""
    written = arguments if isinstance(arguments, str) else _as_json(arguments)
    call: dict[str, Any] = {"type": "function", "function": {"name": str(name), "arguments": written}}
    if call_id:
        call["id"] = str(call_id)
    if json_problem([*part.calls, call], bytes_limit=TOOL_CALLS_BYTES_LIMIT):
        part.left_out.append(f"call of {name}")
    else:
        part.calls.append(call)


def _as_json(value: Any) -> str:
    try:
        return json.dumps({} if value is None else value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(type(value).__name__)


def _result(block: Mapping[str, Any]) -> Part:
    """What a tool answered. Its own blocks are read one level deep; a result within a result is left out."""
    part = Part(is_result=True, call_id=str(block.get("tool_use_id") or ""))
    content = block.get("content")
    for inner in content if isinstance(content, list) else [content]:
        if inner is None:
            continue
        if _kind(inner).endswith(RESULT_ENDING):
            part.left_out.append(_kind(inner))
        else:
            _add(part, inner)
    return part


def alone(left_out: Sequence[str]) -> str:
    """The reason why a message that holds just these is left out."""
    return f"messages of nothing but {', '.join(dict.fromkeys(map(str, left_out)))}"
