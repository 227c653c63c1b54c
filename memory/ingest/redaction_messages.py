"""Messages and turns as they may be stored: redacted before anything of them is compared, hashed or kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from memory.ingest.incoming import TOOL_CALLS_BYTES_LIMIT, Said
from memory.ingest.problems import IngestError, Problem
from memory.ingest.redaction import is_redacting, redact, redact_json
from memory.ingest.storable import canonical_json
from memory.models.messages import MESSAGE_TEXT_LIMIT, METADATA_BYTES_LIMIT

Words = TypeVar("Words", bound=Said)

NAMES_OF_CALLS = frozenset({"id", "type", "name"})
"""What pairs a call with its result, and says which tool: never taken for a secret."""
TEXTS = ("text", "attachment_text")
VALUES: Mapping[str, tuple[frozenset[str], int]] = {
    "tool_calls": (NAMES_OF_CALLS, TOOL_CALLS_BYTES_LIMIT),
    "metadata": (frozenset(), METADATA_BYTES_LIMIT),
}


def redacted_messages(messages: Sequence[Words]) -> tuple[list[Words], Counter[str]]:
    """The messages without what the settings name, and how many of which kind were taken out.

    Speakers, sessions and keys are addresses and stay. IngestError where the placeholders make a message
    larger than one may be.
    """
    counts: Counter[str] = Counter()
    if not is_redacting():
        return list(messages), counts
    problems: list[Problem] = []
    done = [_redacted(index, message, counts, problems) for index, message in enumerate(messages)]
    if problems:
        raise IngestError(problems)
    return done, counts


def _redacted(index: int, message: Words, counts: Counter[str], problems: list[Problem]) -> Words:
    changed: dict[str, Any] = {}
    for name in TEXTS:
        told = redact(getattr(message, name))
        if told.counts:
            changed[name] = told.text
            counts.update(told.counts)
            if len(told.text) > MESSAGE_TEXT_LIMIT:
                problems.append(_too_large(index, name, MESSAGE_TEXT_LIMIT, "characters"))
    for name, (kept, limit) in VALUES.items():
        value, taken = redact_json(getattr(message, name), kept=kept)
        if taken:
            changed[name] = value
            counts.update(taken)
            if len(canonical_json(value)) > limit:
                problems.append(_too_large(index, name, limit, "bytes of JSON"))
    return message.redacted(changed) if changed else message


def _too_large(index: int, field: str, limit: int, unit: str) -> Problem:
    return Problem(index, field, f"has more than {limit} {unit} once it is redacted")
