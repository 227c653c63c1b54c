"""Reading and writing Anthropic's messages: a request's body in several forms, and what was answered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from memory.llm.abilities import STATUSES_OF_A_REFUSAL
from memory.llm.chained import Completion, completed, usage_of
from memory.llm.completions import told_schema
from memory.llm.endpoints import Endpoint
from memory.llm.protocol import FinishReason, ModelRequest
from memory.llm.redaction import emitted
from memory.llm.schemas import portable_schema
from memory.llm.wire import Exchange, StatusError, count, json_object, malformed

TOOL_NAME = "answer"
FINISH_REASONS: dict[str, FinishReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
# What is read from a cache or written to it is not in `input_tokens`.
INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
THINKING_WORDS = re.compile(r"thinking", re.I)
FORM_WORDS = re.compile(
    r"output_?(config|format)|structured.?output|schema|grammar|tool_choice|\btools?\b|extra inputs", re.I
)


class Form(StrEnum):
    """Ways of asking for JSON, the strictest first; older models and gateways do not bear the first."""

    SCHEMA = "schema"
    TOOL = "tool"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Manner:
    """How one model is asked."""

    form: Form = Form.SCHEMA
    is_proven: bool = False
    """A reply in this form had the asked shape."""
    forbids_thinking: bool = True
    """Thinking would be paid from the tokens of the answer; some models do not let themselves be told."""

    def next_form(self) -> Manner | None:
        """What to try when this form is refused or ignored; None when none is left."""
        forms = list(Form)
        position = forms.index(self.form) + 1
        return replace(self, form=forms[position], is_proven=False) if position < len(forms) else None


def next_manner(failure: StatusError, manner: Manner) -> Manner | None:
    """What to try after an error that names a part of the request; None for an error of another kind."""
    if failure.status not in STATUSES_OF_A_REFUSAL:
        return None
    if manner.forbids_thinking and THINKING_WORDS.search(failure.raw):
        return replace(manner, forbids_thinking=False)
    return manner.next_form() if FORM_WORDS.search(failure.raw) else None


def message_body(request: ModelRequest, model: str, manner: Manner) -> dict[str, Any]:
    """The JSON body that puts the request in this manner."""
    schema = portable_schema(request.schema)
    system = told_schema(request.system, schema) if manner.form is Form.PROMPT else request.system
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_output_tokens,
        "messages": [{"role": "user", "content": request.user}],
    }
    if system:
        body["system"] = system
    if manner.forbids_thinking:
        body["thinking"] = {"type": "disabled"}
    if manner.form is Form.SCHEMA:
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    if manner.form is Form.TOOL:
        body["tools"] = [{"name": TOOL_NAME, "description": "Takes the answer.", "input_schema": schema}]
        body["tool_choice"] = {"type": "tool", "name": TOOL_NAME, "disable_parallel_tool_use": True}
    return body


def read_message(exchange: Exchange, request: ModelRequest, endpoint: Endpoint) -> Completion:
    """Understand a successful response; raises as `completions.read_completion` does."""
    document = json_object(exchange, endpoint)
    raw = emitted(exchange.text, endpoint.secrets)
    if document.get("type") == "error":
        raise StatusError(502, raw, None)
    content = document.get("content")
    if not isinstance(content, list):
        raise malformed("The response holds no content.", raw)
    text = _text([block for block in content if isinstance(block, dict)])
    finish_reason = FINISH_REASONS.get(str(document.get("stop_reason")), "stop")
    return completed(text, finish_reason, usage_of(request, text, *_usage(document)))


def _text(blocks: list[dict[str, Any]]) -> str:
    """What the tool was called with; else the texts, without what was thought before them."""
    for block in blocks:
        if block.get("type") == "tool_use" and block.get("name") == TOOL_NAME:
            return json.dumps(block.get("input"), ensure_ascii=False)
    return "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")


def _usage(document: dict[str, Any]) -> tuple[int | None, int | None]:
    """Tokens in and out as reported."""
    reported = document.get("usage")
    reported = reported if isinstance(reported, dict) else {}
    known = [number for name in INPUT_COUNTS if (number := count(reported.get(name))) is not None]
    return (sum(known) if known else None), count(reported.get("output_tokens"))
