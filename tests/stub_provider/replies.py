"""What the stub may answer, the well-behaved and the rest."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

REPORTED_USAGE = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}


@dataclass(frozen=True)
class Reply:
    """One HTTP response and how it goes over the wire."""

    body: bytes = b""
    status_code: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    wait_seconds: float = 0.0
    """Silence before the first byte; longer than a deadline, it is a hang. Closing the stub ends it."""
    byte_pause_seconds: float = 0.0
    """Pause after each byte of the body."""
    cut_after_bytes: int | None = None
    """The socket is closed after so many bytes of the body although more were announced."""
    closes_at_once: bool = False
    """The socket is closed with no response at all."""
    gate: threading.Event | None = None
    """The rest of the body waits for this."""
    gate_after_bytes: int = 0

    @classmethod
    def json(cls, answer: Any, **options: Any) -> Reply:
        """A completion whose text is this value as JSON."""
        return cls.text(json.dumps(answer, ensure_ascii=False), **options)

    @classmethod
    def text(
        cls,
        text: str | None,
        *,
        finish_reason: str = "stop",
        usage: Mapping[str, int] | None = REPORTED_USAGE,
        refusal: str | None = None,
        model: str = "stub",
    ) -> Reply:
        """A completion with this text; `usage=None` reports none."""
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if refusal is not None:
            message["refusal"] = refusal
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        document = {
            "id": "stub-1",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
        }
        return cls.document(document if usage is None else {**document, "usage": dict(usage)})

    @classmethod
    def vectors(cls, rows: Sequence[Sequence[float]], **options: Any) -> Reply:
        """An answer of the embeddings endpoint."""
        data = [{"object": "embedding", "index": at, "embedding": list(row)} for at, row in enumerate(rows)]
        return cls.document({"object": "list", "model": "stub", "data": data}, **options)

    @classmethod
    def document(cls, document: Any, **options: Any) -> Reply:
        """Any JSON body."""
        return cls(json.dumps(document, ensure_ascii=False).encode(), **options)

    @classmethod
    def status(
        cls, status_code: int, message: str = "It failed.", *, code: str = "", retry_after: str | None = None
    ) -> Reply:
        """An error in the provider's usual shape."""
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        error = {"message": message, "type": "error", "code": code or None, "param": None}
        return cls.document({"error": error}, status_code=status_code, headers=headers)

    @classmethod
    def refusal(cls, words: str = "I cannot help with that.") -> Reply:
        """A completion in which the model declines."""
        return cls.text(None, refusal=words)

    @classmethod
    def html(cls, status_code: int = 200) -> Reply:
        """What a sign-in page or a wrong address gives."""
        return cls(b"<html><body>Sign in</body></html>", status_code, content_type="text/html; charset=utf-8")

    @classmethod
    def events(cls, *documents: Any, is_ended: bool = True) -> Reply:
        """A stream of these, each an event of its own."""
        events = [f"data: {json.dumps(document, ensure_ascii=False)}\n\n" for document in documents]
        end = ["data: [DONE]\n\n"] if is_ended else []
        return cls("".join(events + end).encode(), content_type="text/event-stream")

    @classmethod
    def streamed(cls, *texts: str, finish_reason: str | None = "stop") -> Reply:
        """A completion in pieces."""
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text} for text in texts]
        chunks = [piece(delta) for delta in deltas]
        return cls.events(*chunks, *([piece({}, finish_reason)] if finish_reason else []))

    @classmethod
    def garbage_events(cls) -> Reply:
        """A broken event stream nobody asked for."""
        return cls(b'data: {"choices": [{"del\n\ndata: \xff\xfe\n\n', content_type="text/event-stream")

    @classmethod
    def hang(cls, seconds: float = 60.0) -> Reply:
        """Silence."""
        return replace(cls.json({}), wait_seconds=seconds)

    @classmethod
    def closed(cls) -> Reply:
        """No response, a closed socket."""
        return cls(closes_at_once=True)

    def slowly(self, byte_pause_seconds: float) -> Reply:
        """The same, byte by byte."""
        return replace(self, byte_pause_seconds=byte_pause_seconds)

    def gated(self, gate: threading.Event, after: str) -> Reply:
        """The same, waiting behind the first place of a text until somebody opens the gate."""
        return replace(
            self, gate=gate, gate_after_bytes=self.body.index(after.encode()) + len(after.encode())
        )

    def cut_off(self, after_bytes: int) -> Reply:
        """The same, its socket closed in the middle of the body."""
        return replace(self, cut_after_bytes=after_bytes)


def piece(delta: Mapping[str, Any], finish_reason: str | None = None, *, index: int = 0) -> dict[str, Any]:
    """One event of a streamed completion."""
    choice = {"index": index, "delta": dict(delta), "finish_reason": finish_reason}
    return {
        "id": "stub-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "stub",
        "choices": [choice],
    }


def answers_by_task(answers: Mapping[str, Any]) -> Callable[[dict[str, Any]], Reply]:
    """A `respond` that looks for a task's name in the system prompt and gives the JSON set for it at once.

    The longest name that occurs wins, so that `scene_synthesis_repair` is not taken for `scene_synthesis`.
    """
    names = sorted(answers, key=len, reverse=True)

    def respond(request: dict[str, Any]) -> Reply:
        system = "\n".join(m["content"] for m in request["messages"] if m["role"] == "system")
        found = next((name for name in names if name in system), None)
        if found is None:
            return Reply.status(400, f"No answer is set for a task named in: {system[:200]}")
        return Reply.json(answers[found])

    return respond


def embeddings_by_words(dimensions: int = 8) -> Callable[[dict[str, Any]], Reply]:
    """An `embed` whose vectors count hashed words: equal texts are equal, texts that share words are near.

    A request that asks for dimensions gets those.
    """

    def embed(request: dict[str, Any]) -> Reply:
        length = request.get("dimensions", dimensions)
        return Reply.vectors([word_counts(text, length) for text in request["input"]])

    return embed


def word_counts(text: str, dimensions: int) -> list[float]:
    """The vector that `embeddings_by_words` gives a text; the first number is never zero."""
    counts = [1.0] + [0.0] * (dimensions - 1)
    for word in text.lower().split():
        counts[blake2b(word.encode(), digest_size=4).digest()[0] % dimensions] += 1.0
    return counts
