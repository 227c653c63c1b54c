"""Texts that are longer than a message may be: a pasted log, a whole document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memory.ingest.importers.records import ReadMessage
from memory.models.messages import MESSAGE_TEXT_LIMIT

LONGEST_TEXT = 1_000_000
"""What is longer is no message any more; it stays whole, to be refused."""
WITH_FIRST_PART_ONLY = {"attachment_text": "", "tool_calls": []}

_ENDINGS = ("\n\n", "\n", " ")


def in_parts(row: ReadMessage) -> Iterator[ReadMessage]:
    """The message, or several that together say the same word for word, numbered in their metadata."""
    text, key = row.message.get("text"), row.message.get("dedupe_key")
    if not isinstance(text, str) or not MESSAGE_TEXT_LIMIT < len(text) <= LONGEST_TEXT:
        yield row
        return
    pieces = list(_pieces(text))
    for number, piece in enumerate(pieces, start=1):
        given = row.message.get("metadata")
        own = given if isinstance(given, dict) else {}
        fields = {"text": piece, "metadata": own | {"part": number, "parts": len(pieces)}}
        if number > 1:
            fields |= WITH_FIRST_PART_ONLY | {"dedupe_key": f"{key}.part{number}"}
        yield replace(row, message={**row.message, **fields})


def _pieces(text: str) -> Iterator[str]:
    """Cut after a paragraph, a line or a word where one ends in the second half of what fits."""
    while len(text) > MESSAGE_TEXT_LIMIT:
        window = text[:MESSAGE_TEXT_LIMIT]
        ends = (window.rfind(ending) + len(ending) for ending in _ENDINGS if ending in window)
        end = next((end for end in ends if end > MESSAGE_TEXT_LIMIT // 2), MESSAGE_TEXT_LIMIT)
        yield text[:end]
        text = text[end:]
    yield text
