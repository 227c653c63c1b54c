"""Reading a reply while it passes by: whole as JSON, or in pieces as server-sent events. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memory.ingest.recalled import strip_recalled
from memory.llm.accounting import Usage, estimated_tokens
from memory.llm.wire import count
from memory.proxy.conversation import Said, call_identity, read_calls, read_content

MOST_BYTES = 16 * 1024 * 1024
"""What is longer passes through all the same, and only its beginning is read."""
END_OF_EVENT = (b"\r\n\r\n", b"\n\n", b"\r\r")
MOST_HELD_BYTES = 256 * 1024
LAST_EVENT = b"[DONE]"
MOST_CALLS = 256
NAME_CHARACTERS = 128


@dataclass(frozen=True, slots=True)
class Reply:
    """What the endpoint answered, as far as it came."""

    said: Said
    is_whole: bool
    model: str = ""
    usage: Usage | None = None

    def noted(self, problem: str) -> Said:
        """The turn as it is stored; `problem` says why the rest is missing, where it is."""
        note = {"model": self.model} if self.model else {}
        if not self.is_whole:
            note["incomplete"] = problem or "cut"
        text = strip_recalled(self.said.text)
        return Said(self.said.role, text, tool_calls=self.said.tool_calls, note=note)

    def usage_after(self, asked: str) -> Usage:
        """What the endpoint reported, else an estimate from the words of the request and of the reply."""
        calls = "".join("".join(call_identity(call)) for call in self.said.tool_calls)
        tokens_out = estimated_tokens(self.said.text + calls)
        return self.usage or Usage(estimated_tokens(asked), tokens_out, is_estimated=True)


class Reader(Protocol):
    """Takes the bytes of a reply as they come."""

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""

    def reply(self) -> Reply | None:
        """What was read so far; None when it holds no answer."""


def reader_for(content_type: str) -> Reader:
    """The reader of a kind of reply."""
    return EventReader() if content_type.lower().startswith("text/event-stream") else DocumentReader()


class DocumentReader:
    """A reply that is one JSON document: of several choices the first one is the turn."""

    def __init__(self) -> None:
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """The next bytes."""
        if len(self._body) + len(chunk) <= MOST_BYTES:
            self._body += chunk

    def reply(self) -> Reply | None:
        """The turn of a document that came whole; of half a document nothing can be told."""
        document = _object(bytes(self._body))
        choice = first_choice(document)
        message = choice.get("message")
        if not isinstance(message, Mapping):
            return None
        text = read_content(message)[0] or _transcript(message)
        said = Said("assistant", text, tool_calls=read_calls(message))
        return Reply(said, True, _model(document), read_usage(document))


@dataclass(slots=True)
class _Call:
    """A call of a tool, put together from its pieces."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def whole(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": "".join(self.arguments)},
        }


class EventReader:
    """A reply that comes in pieces: those of the first choice are put together."""

    def __init__(self) -> None:
        self._rest = b""
        self._size = 0
        self._texts: list[str] = []
        self._calls: dict[int, _Call] = {}
        self._is_whole = False
        self._has_begun = False
        self._model = ""
        self._usage: Usage | None = None

    def feed(self, chunk: bytes) -> None:
        """The next bytes, cut anywhere."""
        self._size += len(chunk)
        if self._size > MOST_BYTES:
            return
        self._rest += chunk
        for data in self._events():
            self._take(data)

    def reply(self) -> Reply | None:
        """What has come so far; whole once the first choice has told why it ends."""
        if not self._has_begun:
            return None
        calls = tuple(call.whole() for _, call in sorted(self._calls.items()))
        said = Said("assistant", "".join(self._texts), tool_calls=calls)
        return Reply(said, self._is_whole, self._model, self._usage)

    def _events(self) -> Iterator[bytes]:
        """The data of every event that is there whole."""
        while found := [(at, mark) for mark in END_OF_EVENT if (at := self._rest.find(mark)) >= 0]:
            at, mark = min(found)
            event, self._rest = self._rest[:at], self._rest[at + len(mark) :]
            lines = event.splitlines()
            yield b"\n".join(line[5:].strip() for line in lines if line.startswith(b"data:"))

    def _take(self, data: bytes) -> None:
        if data == LAST_EVENT:
            self._is_whole = self._has_begun
            return
        document = _object(data)
        self._model = self._model or _model(document)
        self._usage = read_usage(document) or self._usage
        choice = first_choice(document)
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            self._has_begun = True
            self._add(delta)
        if choice.get("finish_reason"):
            self._is_whole = True

    def _add(self, delta: Mapping[str, Any]) -> None:
        for name in ("content", "refusal"):
            if isinstance(delta.get(name), str):
                self._texts.append(delta[name])
        pieces = delta.get("tool_calls")
        for piece in pieces if isinstance(pieces, list) else []:
            if isinstance(piece, Mapping):
                self._add_call(piece)
        single = delta.get("function_call")
        if isinstance(single, Mapping):
            self._add_call({"index": 0, "function": single})

    def _add_call(self, piece: Mapping[str, Any]) -> None:
        index = count(piece.get("index", 0)) or 0
        function = piece.get("function")
        if index >= MOST_CALLS or not isinstance(function, Mapping):
            return
        call = self._calls.setdefault(index, _Call())
        call.id = call.id or _text(piece.get("id"))
        call.name = (call.name + _text(function.get("name")))[:NAME_CHARACTERS]
        call.arguments.append(_text(function.get("arguments")))


def whole_events(data: bytes) -> tuple[bytes, bytes]:
    """What ends with the end of an event, and the piece of one behind it: half an event must not be its last.

    A piece that has grown long goes on as it is.
    """
    end = max(data.rfind(mark) + len(mark) if mark in data else 0 for mark in END_OF_EVENT)
    return (data[:end], data[end:]) if len(data) - end <= MOST_HELD_BYTES else (data, b"")


def first_choice(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The choice with index 0; nothing where a document has none."""
    choices = document.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, Mapping) and choice.get("index", 0) == 0:
            return choice
    return {}


def read_usage(document: Mapping[str, Any]) -> Usage | None:
    """The tokens that an endpoint reports."""
    usage = document.get("usage")
    if not isinstance(usage, Mapping):
        return None
    tokens_in, tokens_out = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    return None if tokens_in is None else Usage(tokens_in, tokens_out or 0)


def _object(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _transcript(message: Mapping[str, Any]) -> str:
    audio = message.get("audio")
    return _text(audio.get("transcript")) if isinstance(audio, Mapping) else ""


def _model(document: Mapping[str, Any]) -> str:
    return _text(document.get("model"))[:NAME_CHARACTERS]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
