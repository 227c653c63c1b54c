"""Who changes something, and the two ways in which a change is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from memory.models import Key

NAME_LIMIT = 128


@dataclass(frozen=True, slots=True)
class Actor:
    """A signed-in person, the bearer of a key, or somebody at a terminal who is called by a name."""

    user: User | None = None
    key: Key | None = None
    name: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        """The columns `user`, `key` and `by` of a row that says who it was."""
        return {"user": self.user, "key": self.key, "by": self.name[:NAME_LIMIT]}


class RefusedChangeError(ValueError):
    """A change that may not be made; the text says why, fit for people."""


class NotThereError(RefusedChangeError):
    """Something was named that is none of the entity; what lies in another one is not told from nothing."""


class StaleChangeError(RefusedChangeError):
    """Somebody was faster: what the change was based on is not current any more."""
