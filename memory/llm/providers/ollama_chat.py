"""Reading and writing Ollama's chats: a request's arguments, and what was answered to it."""

from __future__ import annotations

import threading
from typing import Any

from memory.llm.accounting import estimated_tokens
from memory.llm.chained import Completion, completed, usage_of
from memory.llm.endpoints import Endpoint
from memory.llm.protocol import ModelRequest
from memory.llm.redaction import removed_secrets
from memory.llm.schemas import portable_schema
from memory.llm.wire import malformed

SMALLEST_CONTEXT_TOKENS = 8_192
LARGEST_CONTEXT_TOKENS = 131_072
# Tokens are estimated; a prompt that turns out longer would lose its beginning.
PROMPT_MARGIN = 1.3


class ContextSizes:
    """How large a context each model is asked to have: it never shrinks, for every change loads it anew.

    Ollama takes a few thousand tokens by itself, whatever the model can, and silently drops the beginning of
    a prompt that is longer.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sizes: dict[tuple[str, str], int] = {}

    def size_for(self, endpoint: Endpoint, request: ModelRequest) -> int:
        """Tokens that hold the prompt and its answer, in steps of two."""
        prompt = estimated_tokens(request.system) + estimated_tokens(request.user)
        needed = round(prompt * PROMPT_MARGIN) + request.max_output_tokens
        with self._lock:
            size = self._sizes.get(endpoint.identity, SMALLEST_CONTEXT_TOKENS)
            while size < min(needed, LARGEST_CONTEXT_TOKENS):
                size *= 2
            self._sizes[endpoint.identity] = size
        return size


def chat_arguments(request: ModelRequest, model: str, context_tokens: int) -> dict[str, Any]:
    """What the SDK's `chat` is called with."""
    said = (("system", request.system), ("user", request.user))
    return {
        "model": model,
        "messages": [{"role": role, "content": words} for role, words in said if words],
        "format": portable_schema(request.schema),
        # Thoughts would be taken from the tokens of the answer.
        "think": False,
        "options": {
            "temperature": 0,
            "num_predict": request.max_output_tokens,
            "num_ctx": context_tokens,
        },
    }


def read_chat(response: Any, request: ModelRequest, endpoint: Endpoint) -> Completion:
    """Understand the SDK's response; raises as `completions.read_completion` does."""
    if response.done is False:
        raise malformed("The response ended before the answer did.", "")
    text = removed_secrets(response.message.content or "", endpoint.secrets)
    usage = usage_of(request, text, response.prompt_eval_count, response.eval_count)
    return completed(text, "length" if response.done_reason == "length" else "stop", usage)
