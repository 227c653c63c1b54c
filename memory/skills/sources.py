"""Handles of what a draft may rest on, and their way back: `t1.s3`, `f1`, `v.l4`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from memory.cascade.rules.handles import SHOWN_CHARACTERS, NotOfferedError

_DECORATION = " \t\r\n\"'`“”‘’()[]{}<>#*.,;:"
_SPELT = re.compile(r"(t\d+|v)[./:-]?([sl]\d+)")


class SourceKind(Enum):
    """What a handle names, as reasons call it."""

    STEP = "a step of a trace"
    FEEDBACK = "feedback"
    LINE = "a line of the active version"


@dataclass(frozen=True, slots=True)
class Source:
    """What was offered: a row by its id, or a line of the active version by its place, from 0."""

    kind: SourceKind
    handle: str
    id: UUID | None = None
    place: int | None = None


class Sources:
    """The handles of one prompt. Ids of offered rows are accepted in their place."""

    def __init__(self) -> None:
        self._by_name: dict[str, Source] = {}

    def offer(self, kind: SourceKind, row: UUID, handle: str) -> str:
        """Offer a row under a handle; gives the handle."""
        self._by_name[handle] = self._by_name[row.hex] = Source(kind, handle, id=row)
        return handle

    def offer_line(self, place: int) -> str:
        """Offer a line of the active version; gives its handle."""
        handle = f"v.l{place + 1}"
        self._by_name[handle] = Source(SourceKind.LINE, handle, place=place)
        return handle

    def resolve(self, said: str) -> Source:
        """The row that a model named; case and decoration do not count.

        NotOfferedError, with the reason, for anything that was not offered.
        """
        plain = "".join(unicodedata.normalize("NFKC", said).strip(_DECORATION).casefold().split())
        spelt = _SPELT.fullmatch(plain)
        found = self._by_name.get(f"{spelt[1]}.{spelt[2]}" if spelt else plain.replace("-", ""))
        if found is None:
            raise NotOfferedError(self._reason(" ".join(said.split())))
        return found

    def _reason(self, said: str) -> str:
        if not said:
            return "An empty name was given; name an offered handle."
        shown = said[:SHOWN_CHARACTERS]
        return f"“{shown}” was not offered; name steps as t1.s1, feedback as f1, lines as v.l1."
