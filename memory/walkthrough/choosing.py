"""What the command `procedure` shares wherever the memory lives: which row an id means, and what is said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from uuid import UUID

from memory.recall.records import Candidate
from memory.recall.short_ids import read_id, short_id
from memory.walkthrough.access import MemoryProblemError

MOST_SHOWN = 20
NONE_FITS = "No procedure is for that."
DRAFT, ACTIVE, USE_OR_ACTIVE = "draft", "active version", "use or active version"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """Something that an id may mean, by any of its ids."""

    value: T
    ids: tuple[UUID, ...]
    title: str = ""


def matching(choices: Iterable[Choice[T]], id_part: str) -> list[Choice[T]]:
    """Those that have an id which begins or ends so, in their order; NoIdError for what is no id."""
    digits = read_id(id_part).digits
    return [choice for choice in choices if any(_has(id.hex, digits) for id in choice.ids)]


def the_one(choices: Iterable[Choice[T]], id_part: str, noun: str) -> T:
    """The only one that has such an id; MemoryProblemError when none or several do."""
    found = matching(choices, id_part)
    if not found:
        raise MemoryProblemError(f"There is no {noun} with such an id.")
    if len(found) > 1:
        candidates = tuple(Candidate(noun, choice.ids[0], choice.title) for choice in found)
        raise MemoryProblemError(f"{len(found)} have such an id. Give more digits.", candidates)
    return found[0].value


def _has(id: str, digits: str) -> bool:
    return id.startswith(digits) or id.endswith(digits)


def approved(number: int) -> str:
    """What is said of a draft that became active."""
    return f"Approved: version {number} is handed to agents from now on."


def turned_down(number: int) -> str:
    """What is said of a draft that a person refused."""
    return f"Turned down: version {number} is never handed out."


def handed_out(use: UUID, sha256: str) -> str:
    """What is said of a use."""
    return f"Handed out as use [{short_id(use)}]; sha256 {sha256}."


def noted(reasons: Sequence[str]) -> str:
    """What is said of feedback; the reasons say why nothing came of it yet."""
    return f"Noted. Nothing came of it yet: {'; '.join(reasons)}." if reasons else "Noted."
