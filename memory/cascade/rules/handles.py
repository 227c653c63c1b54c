"""Short names for rows that a model is shown, and their way back to ids.

A model repeats `m3` or `s2.l4` far more reliably than a UUID, and a handle can only name what was
offered. Handles are given in the order of offering, so the same rows give the same prompt.
"""

import enum
import re
import unicodedata
from collections.abc import Collection
from uuid import UUID

# How much of an answer is repeated in a reason.
SHOWN_CHARACTERS = 60


class Kind(enum.StrEnum):
    """What a handle names; the value is its first letter. A line's handle follows its scene's."""

    MESSAGE = "m"
    ATOM = "a"
    SCENE = "s"
    LINE = "l"
    TRAIT = "t"

    @property
    def noun(self) -> str:
        """What a reason calls it."""
        return f"{'an' if self is Kind.ATOM else 'a'} {self.name.lower()}"


class NotOfferedError(ValueError):
    """A model named something that it was not shown. The text is the reason, fit to be shown to it."""


_DECORATION = " \t\r\n\"'`“”‘’()[]{}<>#*.,;:"
_LINE = re.compile(r"(s[0-9]+)[./:-]?(l[0-9]+)")
_UUID = re.compile(r"(?:urn:uuid:)?([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})")


class Handles:
    """The handles of one prompt. Every row has one handle and every handle one row."""

    def __init__(self) -> None:
        self._rows: dict[str, UUID] = {}
        self._handles: dict[UUID, str] = {}
        self._kinds: dict[UUID, Kind] = {}
        self._counts: dict[str, int] = {}

    def offer(self, kind: Kind, row: UUID, *, scene: UUID | None = None) -> str:
        """Return the row's handle, a new one when it was not offered before.

        A line names its `scene`, which must have been offered. ValueError when the row was offered as
        another kind, or when scene and kind do not fit.
        """
        if (kind is Kind.LINE) != (scene is not None):
            raise ValueError("A line, and nothing else, is offered within a scene.")
        if self._kinds.setdefault(row, kind) is not kind:
            raise ValueError(f"{row} was offered as {self._kinds[row].noun} before.")
        if row not in self._handles:
            prefix = f"{self.handle(scene)}.{kind}" if scene is not None else str(kind)
            self._add(prefix, row)
        return self._handles[row]

    def _add(self, prefix: str, row: UUID) -> None:
        self._counts[prefix] = self._counts.get(prefix, 0) + 1
        handle = f"{prefix}{self._counts[prefix]}"
        self._rows[handle] = row
        self._handles[row] = handle

    def handle(self, row: UUID) -> str:
        """Return the handle of an offered row; NotOfferedError for any other."""
        if row not in self._handles:
            raise NotOfferedError(f"{row} was not offered.")
        return self._handles[row]

    def offered(self, kind: Kind) -> tuple[UUID, ...]:
        """Return the offered rows of a kind, in the order of offering."""
        return tuple(row for row in self._handles if self._kinds[row] is kind)

    def resolve(self, said: str, *, kinds: Collection[Kind] = tuple(Kind)) -> UUID:
        """Return the row that a model named by its handle or its whole id.

        Case, white space, brackets, quotation marks and number signs around it do not count.
        NotOfferedError, with the reason, for anything that was not offered or is of another kind.
        """
        row = self._find(said)
        if row is None:
            raise NotOfferedError(self._reason(said))
        kind = self._kinds[row]
        if kind not in kinds:
            wanted = " or ".join(wanted.noun for wanted in Kind if wanted in kinds)
            raise NotOfferedError(f"{self._handles[row]} names {kind.noun}; {wanted} is wanted here.")
        return row

    def _find(self, said: str) -> UUID | None:
        plain = "".join(unicodedata.normalize("NFKC", said).strip(_DECORATION).casefold().split())
        uuid = _UUID.fullmatch(plain)
        if uuid:
            row = UUID(uuid[1])
            return row if row in self._handles else None
        line = _LINE.fullmatch(plain)
        return self._rows.get(f"{line[1]}.{line[2]}" if line else plain)

    def _reason(self, said: str) -> str:
        shown = " ".join(said.split())
        if not shown:
            return "An empty name was given; name an offered handle."
        cut = shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[:SHOWN_CHARACTERS]}…"
        return f"“{cut}” was not offered; {self._range()}."

    def _range(self) -> str:
        counts = [(prefix, count) for prefix, count in self._counts.items() if "." not in prefix]
        if not counts:
            return "nothing was"
        spans = [f"{prefix}1" if count == 1 else f"{prefix}1 to {prefix}{count}" for prefix, count in counts]
        return "offered were " + ", ".join(spans)
