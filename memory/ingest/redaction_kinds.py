"""What can be taken out of a text, and how its place is marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What was taken out, in the words of the placeholder and of the counts."""

    PRIVATE_KEY = "private key"
    API_KEY = "API key"
    TOKEN = "token"  # noqa: S105 - the name of a kind
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    EMAIL = "e-mail"
    PHONE = "phone number"
    CARD = "card number"
    ACCOUNT = "bank account"
    IDENTITY = "national id"
    ADDRESS = "IP address"

    @property
    def placeholder(self) -> str:
        """What stands in its place."""
        return f"[redacted: {self.value}]"


PLACEHOLDER = re.compile(r"\[redacted: [A-Za-z][A-Za-z -]{0,30}\]")
"""Any of them, those of another version too."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text that has to go."""

    start: int
    end: int
    kind: Kind


Find = Callable[[str], Iterable[Span]]
