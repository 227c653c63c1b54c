"""Reading and writing chat completions: the request's body, and what an endpoint answered to it."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass
from typing import Any

from memory.llm.abilities import Abilities, JsonMode
from memory.llm.accounting import Usage, estimated_tokens
from memory.llm.endpoints import Endpoint
from memory.llm.openai_wire import Exchange, StatusError
from memory.llm.protocol import (
    FinishReason,
    ModelError,
    ModelRequest,
    PermanentModelError,
    TransientModelError,
)
from memory.llm.redaction import emitted
from memory.llm.schemas import Schema, portable_schema, schema_text

SCHEMA_PROMPT = "Answer with one JSON object that fits this JSON Schema, and with nothing else:\n"
# Words before the answer may hold a few braces of their own.
OPENINGS_TRIED = 10
FINISH_REASONS: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote, why it stopped and what it used."""

    text: str
    finish_reason: FinishReason
    usage: Usage


def completion_body(request: ModelRequest, model: str, abilities: Abilities) -> dict[str, Any]:
    """The JSON body that puts the request in the way the endpoint bears."""
    schema = portable_schema(request.schema)
    # Some endpoints take a schema beside `json_object` and ignore it, so all modes but the first tell it too.
    is_told = abilities.json_mode is not JsonMode.SCHEMA
    system = f"{request.system}\n\n{SCHEMA_PROMPT}{schema_text(schema)}" if is_told else request.system
    body: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": request.user}],
    }
    response_format = _response_format(abilities.json_mode, request.schema.__name__, schema)
    if response_format is not None:
        body["response_format"] = response_format
    if abilities.length_parameter is not None:
        body[abilities.length_parameter] = request.max_output_tokens
    if abilities.sends_temperature:
        body["temperature"] = 0
    return body


def _response_format(mode: JsonMode, name: str, schema: Schema) -> dict[str, Any] | None:
    if mode is JsonMode.SCHEMA:
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}
    if mode is JsonMode.OBJECT_WITH_SCHEMA:
        return {"type": "json_object", "schema": schema}
    return {"type": "json_object"} if mode is JsonMode.OBJECT else None


def has_asked_shape(text: str, request: ModelRequest) -> bool:
    """Whether the text holds a JSON object with the answer's required keys, words around it or not."""
    required = {name for name, field in request.schema.model_fields.items() if field.is_required()}
    openings = itertools.islice(re.finditer(r"\{", text.rpartition("</think>")[2]), OPENINGS_TRIED)
    return any(required <= _object_keys(opening) for opening in openings)


def _object_keys(opening: re.Match[str]) -> set[str]:
    """Keys of the JSON object that begins at a brace; none when it is no JSON."""
    try:
        found, _ = json.JSONDecoder().raw_decode(opening.string, opening.start())
    except (ValueError, RecursionError):
        return set()
    return set(found)


def read_completion(exchange: Exchange, request: ModelRequest, endpoint: Endpoint) -> Completion:
    """Understand a successful response.

    Raises TransientModelError (`malformed_response`, `empty_answer`) for what another try may mend,
    PermanentModelError (`wrong_content_type`) for what is no completion endpoint, and StatusError for an
    error that was sent with a good status.
    """
    document = _document(exchange, endpoint)
    _raise_embedded_error(document, endpoint)
    choice = _first_choice(document, endpoint)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text = _text(message.get("content"))
    refusal = message.get("refusal")
    finish_reason = FINISH_REASONS.get(str(choice.get("finish_reason")), "stop")
    if isinstance(refusal, str) and refusal:
        text, finish_reason = text or refusal, "refusal"
    usage = _usage(document, request, text)
    if not text.strip() and finish_reason == "stop":
        raise TransientModelError(
            "empty_answer", "The model wrote nothing.", tokens_in=usage.tokens_in, tokens_out=usage.tokens_out
        )
    return Completion(text, finish_reason, usage)


def _document(exchange: Exchange, endpoint: Endpoint) -> dict[str, Any]:
    content_type = exchange.content_type.partition(";")[0].strip().lower()
    if content_type and not content_type.endswith("json") and content_type != "text/plain":
        message = f"The address answered {content_type[:60]}, no JSON; check the base URL."
        raise PermanentModelError("wrong_content_type", message, raw=_raw(exchange, endpoint))
    try:
        document = json.loads(exchange.text)
    except (ValueError, RecursionError):
        raise _malformed("The response is no valid JSON.", _raw(exchange, endpoint)) from None
    if not isinstance(document, dict):
        raise _malformed("The response is no JSON object.", _raw(exchange, endpoint))
    return document


def _raw(exchange: Exchange, endpoint: Endpoint) -> str:
    return emitted(exchange.text, endpoint.secrets)


def _malformed(message: str, raw: str) -> ModelError:
    return TransientModelError("malformed_response", message, raw=raw)


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
    raise _malformed("The response holds no choice.", raw)


def _text(content: Any) -> str:
    """Content is a text or, at some endpoints, a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def _usage(document: dict[str, Any], request: ModelRequest, text: str) -> Usage:
    reported = document.get("usage")
    reported = reported if isinstance(reported, dict) else {}
    tokens_in, tokens_out = _count(reported.get("prompt_tokens")), _count(reported.get("completion_tokens"))
    if tokens_in is not None and tokens_out is not None:
        return Usage(tokens_in, tokens_out)
    asked = estimated_tokens(request.system) + estimated_tokens(request.user)
    return Usage(
        asked if tokens_in is None else tokens_in,
        estimated_tokens(text) if tokens_out is None else tokens_out,
        is_estimated=True,
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
