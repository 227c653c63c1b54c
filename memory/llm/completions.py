"""Reading and writing chat completions: the request's body, and what an endpoint answered to it."""

from __future__ import annotations

import json
from typing import Any

from memory.llm.abilities import Abilities, JsonMode
from memory.llm.chained import Completion, completed, usage_of
from memory.llm.endpoints import Endpoint
from memory.llm.protocol import FinishReason, ModelRequest
from memory.llm.redaction import emitted
from memory.llm.schemas import Schema, portable_schema, schema_text
from memory.llm.wire import Exchange, StatusError, count, json_object, malformed

SCHEMA_PROMPT = "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n"
FINISH_REASONS: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}


def completion_body(request: ModelRequest, model: str, abilities: Abilities) -> dict[str, Any]:
    """The JSON body that puts the request in the way the endpoint bears."""
    schema = portable_schema(request.schema)
    # Some endpoints take a schema beside `json_object` and ignore it, so all modes but the first tell it too.
    is_told = abilities.json_mode is not JsonMode.SCHEMA
    system = told_schema(request.system, schema) if is_told else request.system
    said = (("system", system), ("user", request.user))
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": role, "content": words} for role, words in said if words],
    }
    response_format = _response_format(abilities.json_mode, request.schema.__name__, schema)
    if response_format is not None:
        body["response_format"] = response_format
    if abilities.length_parameter is not None:
        body[abilities.length_parameter] = request.max_output_tokens
    if abilities.sends_temperature:
        body["temperature"] = 0
    return body


def told_schema(system: str, schema: Schema) -> str:
    """The system prompt with the answer's schema behind it."""
    return f"{system}\n\n{SCHEMA_PROMPT}{schema_text(schema)}".strip()


def _response_format(mode: JsonMode, name: str, schema: Schema) -> dict[str, Any] | None:
    if mode is JsonMode.SCHEMA:
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
    if mode is JsonMode.OBJECT_WITH_SCHEMA:
        return {"type": "json_object", "schema": schema}
    return {"type": "json_object"} if mode is JsonMode.OBJECT else None


def read_completion(exchange: Exchange, request: ModelRequest, endpoint: Endpoint) -> Completion:
    """Understand a successful response.

    Raises TransientModelError (`malformed_response`, `empty_answer`) for what another try may mend,
    PermanentModelError (`wrong_content_type`) for what is no completion endpoint, and StatusError for an
    error that was sent with a good status.
    """
    document = json_object(exchange, endpoint)
    _raise_embedded_error(document, endpoint)
    choice = _first_choice(document, endpoint)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text = _text(message.get("content"))
    refusal = message.get("refusal")
    finish_reason = FINISH_REASONS.get(str(choice.get("finish_reason")), "stop")
    if isinstance(refusal, str) and refusal:
        text, finish_reason = text or refusal, "refusal"
    reported = document.get("usage")
    reported = reported if isinstance(reported, dict) else {}
    tokens_in, tokens_out = (count(reported.get(f"{name}_tokens")) for name in ("prompt", "completion"))
    return completed(text, finish_reason, usage_of(request, text, tokens_in, tokens_out))


def _raise_embedded_error(document: dict[str, Any], endpoint: Endpoint) -> None:
    """Routers answer 200 and put the provider's error, with its own status, into the body."""
    error = document.get("error")
    if not error or document.get("choices"):
        return
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 502
    raise StatusError(status, emitted(json.dumps(error, ensure_ascii=False), endpoint.secrets), None)


def _first_choice(document: dict[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    choices = document.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raw = emitted(json.dumps(document, ensure_ascii=False), endpoint.secrets)
    raise malformed("The response holds no choice.", raw)


def _text(content: Any) -> str:
    """Content is a text or, at some endpoints, a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))
