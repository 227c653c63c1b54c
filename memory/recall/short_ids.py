"""Short ids, the form in which people see and type ids.

**Display form:** the last 8 hexadecimal digits. Ids are time-ordered (UUID version 7), so rows made
together share their first digits, and only the end tells them apart. Typed may be the whole id, with or
without hyphens, or at least 4 digits from either end of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

SHORT_DIGITS = 8
LEAST_DIGITS = 4
ALL_DIGITS = 32

_DIGITS = re.compile(r"[0-9a-f]+")


class NoIdError(ValueError):
    """What was typed cannot be an id; the text says what can."""


@dataclass(frozen=True, slots=True)
class IdPart:
    """At least four digits that an id begins or ends with."""

    digits: str

    @property
    def whole(self) -> UUID | None:
        """The id itself when all of it was typed."""
        return UUID(self.digits) if len(self.digits) == ALL_DIGITS else None

    @property
    def first(self) -> UUID:
        """The least id that begins with these digits."""
        return UUID(self.digits.ljust(ALL_DIGITS, "0"))

    @property
    def last(self) -> UUID:
        """The greatest id that begins with these digits."""
        return UUID(self.digits.ljust(ALL_DIGITS, "f"))

    @property
    def ending(self) -> str:
        """The end of the text of every id (hyphens included) that ends with these digits."""
        text = str(UUID(self.digits.rjust(ALL_DIGITS, "0")))
        at = len(text)
        missing = len(self.digits)
        while missing:
            at -= 1
            missing -= text[at] != "-"
        return text[at:]


def short_id(id: UUID) -> str:
    """The display form of an id."""
    return id.hex[-SHORT_DIGITS:]


def read_id(typed: str) -> IdPart:
    """Read an id or an end of one; NoIdError when it is none."""
    digits = typed.strip().strip("[]()<>…").lower().removeprefix("urn:uuid:").replace("-", "")
    if not _DIGITS.fullmatch(digits):
        raise NoIdError("An id is written in hexadecimal digits, 0-9 and a-f.")
    if not LEAST_DIGITS <= len(digits) <= ALL_DIGITS:
        raise NoIdError(
            f"Give {LEAST_DIGITS} to {ALL_DIGITS} digits of an id; its last {SHORT_DIGITS} are shown."
        )
    return IdPart(digits)
