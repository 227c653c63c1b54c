"""Cutting what waits into batches, and long messages into pieces.

A batch holds messages of one session in the order of their events. What is cut depends only on the
messages: their order of arrival in the list does not matter, other sessions do not matter, and a
message added at a session's end changes its last batch alone.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class BatchMessage:
    """What cutting needs to know of a message.

    `position` orders events and is comparable across sessions, for example `(occurred_at, ordinal)`;
    `length` is in characters.
    """

    id: UUID
    session_id: UUID
    position: tuple[Any, ...]
    length: int


def cut(messages: Iterable[BatchMessage], *, size: int, characters: int) -> list[list[BatchMessage]]:
    """Cut messages into batches of one session, the batch with the earliest first message first.

    No batch has more than `size` messages, nor more than `characters` in total unless one message alone
    is longer. Every message is in exactly one batch.
    """
    if size < 1 or characters < 1:
        raise ValueError("A batch holds at least one message and one character.")
    sessions: dict[UUID, list[BatchMessage]] = {}
    for message in sorted(messages, key=lambda message: (message.position, message.id)):
        sessions.setdefault(message.session_id, []).append(message)
    batches = [batch for ordered in sessions.values() for batch in _fill(ordered, size, characters)]
    return sorted(batches, key=lambda batch: (batch[0].position, batch[0].id))


def _fill(ordered: Sequence[BatchMessage], size: int, characters: int) -> list[list[BatchMessage]]:
    batches: list[list[BatchMessage]] = []
    total = 0
    for message in ordered:
        if not batches or len(batches[-1]) == size or total + message.length > characters:
            batches.append([])
            total = 0
        batches[-1].append(message)
        total += message.length
    return batches


def halve(batch: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Split a batch to find the item that spoils it; ValueError when it cannot be split."""
    if len(batch) < 2:
        raise ValueError("A batch of one cannot be halved.")
    middle = (len(batch) + 1) // 2
    return list(batch[:middle]), list(batch[middle:])


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a long text; `start` is its place there, so that what overlaps is known."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The place in the text just behind this piece."""
        return self.start + len(self.text)


# Where a text may be cut, the best first: each pattern ends at a border.
_BORDERS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？｡][”’」』）]*"),
    re.compile(r"[,;:]\s+|[，、；：]"),
    re.compile(r"\s+"),
)
_WORD_START = re.compile(r"(?<=\s)\S")
_JOINERS = "\u200d\ufe0e\ufe0f"


def pieces(text: str, limit: int, overlap: int = 0) -> tuple[Piece, ...]:
    """Cut a text into pieces of at most `limit` characters, each but the first repeating up to `overlap`.

    Cuts fall between paragraphs, lines, sentences, clauses or words, in this order, if there is such a
    border in the second half of a piece. Nothing is lost: each piece starts where the one before ends,
    or earlier. ValueError unless 0 <= overlap <= limit / 2.
    """
    if limit < 1 or not 0 <= overlap <= limit // 2:
        raise ValueError("The overlap of pieces is at most half their limit.")
    found: list[Piece] = []
    start = 0
    while not found or found[-1].end < len(text):
        end = _end(text, start, limit, overlap)
        found.append(Piece(start, text[start:end]))
        start = _restart(text, end, overlap) if end < len(text) else end
    return tuple(found)


def _end(text: str, start: int, limit: int, overlap: int) -> int:
    furthest = start + limit
    if furthest >= len(text):
        return len(text)
    # Behind the half, since the next piece starts up to `overlap` before the end and must come further.
    earliest = start + max(limit // 2, overlap) + 1
    for border in _BORDERS:
        ends = [match.end() for match in border.finditer(text, earliest - 1, furthest)]
        if ends and ends[-1] >= earliest:
            return ends[-1]
    return _whole_character(text, furthest, earliest)


def _restart(text: str, end: int, overlap: int) -> int:
    word = _WORD_START.search(text, end - overlap, end)
    if word:
        return word.start()
    start = end - overlap
    while start < end and _continues(text, start):
        start += 1
    return start


def _whole_character(text: str, place: int, earliest: int) -> int:
    """Step back from the middle of a composed character, unless it begins before `earliest`."""
    back = place
    while back > earliest and _continues(text, back):
        back -= 1
    return place if _continues(text, back) else back


def _continues(text: str, place: int) -> bool:
    here, before = text[place], text[place - 1]
    return bool(unicodedata.combining(here)) or here in _JOINERS or before == "\u200d"
