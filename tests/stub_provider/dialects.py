"""The same server in other tongues: Anthropic's Messages API and Ollama's own protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.stub_provider.replies import Reply, word_counts
from tests.stub_provider.server import StubProvider

MESSAGE_USAGE = {"input_tokens": 120, "output_tokens": 30}
CHAT_COUNTS = {"prompt_eval_count": 120, "eval_count": 30}


class AnthropicStub(StubProvider):
    """Answers `/v1/messages`."""

    root = ""
    completions_path = "/v1/messages"


class OllamaStub(StubProvider):
    """Answers `/api/chat` and `/api/embed`."""

    root = ""
    completions_path = "/api/chat"
    embeddings_path = "/api/embed"

    @staticmethod
    def default_embed() -> Callable[[dict[str, Any]], Reply]:
        """Vectors that count words; as many numbers as are asked for, else eight."""

        def embed(request: dict[str, Any]) -> Reply:
            length = request.get("dimensions", 8)
            return embedded([word_counts(text, length) for text in request["input"]])

        return embed


def message(
    text: str, *, stop_reason: str = "end_turn", usage: Mapping[str, int] | None = MESSAGE_USAGE
) -> Reply:
    """A message of Anthropic's with this text."""
    return _message([{"type": "text", "text": text}] if text else [], stop_reason, usage)


def tool_call(answer: Any, *, stop_reason: str = "tool_use") -> Reply:
    """A message in which the model calls the tool that takes the answer, after a word."""
    called = {"type": "tool_use", "id": "toolu_1", "name": "answer", "input": answer}
    return _message([{"type": "text", "text": "Here it is."}, called], stop_reason, MESSAGE_USAGE)


def _message(content: list[dict[str, Any]], stop_reason: str, usage: Mapping[str, int] | None) -> Reply:
    document: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "stub",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
    }
    return Reply.document(document if usage is None else {**document, "usage": dict(usage)})


def message_error(
    status: int, words: str = "It failed.", *, kind: str = "api_error", retry_after: str | None = None
) -> Reply:
    """An error in Anthropic's shape."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    error = {"type": kind, "message": words}
    return Reply.document({"type": "error", "error": error}, status_code=status, headers=headers)


def chat(text: str, *, done_reason: str = "stop", counts: Mapping[str, int] | None = CHAT_COUNTS) -> Reply:
    """An answer of Ollama's with this text."""
    document = {
        "model": "stub",
        "created_at": "2026-06-02T09:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": done_reason,
    }
    return Reply.document({**document, **(counts or {})})


def chat_error(status: int, words: str = "It failed.", *, retry_after: str | None = None) -> Reply:
    """An error in Ollama's shape."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Reply.document({"error": words}, status_code=status, headers=headers)


def embedded(rows: list[list[float]]) -> Reply:
    """An answer of Ollama's embedding endpoint."""
    return Reply.document({"model": "stub", "embeddings": rows, "prompt_eval_count": 8})


def as_text(answer: Any) -> str:
    """What a model writes."""
    return json.dumps(answer, ensure_ascii=False)
