"""What ingest refuses, said so that a caller can find the place: which message, which field, why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a call. `index` is the message's place in it, None when no message is meant."""

    index: int | None
    field: str
    problem: str

    def told(self, items_name: str) -> str:
        """The same as one line; `items_name` is what the call names the list that the index counts in."""
        place = self.field if self.index is None else f"{items_name}[{self.index}].{self.field}"
        return f"{place}: {self.problem}"


class IngestError(Exception):
    """The call was refused as a whole; nothing of it is stored."""

    items_name = "messages"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return self.summary()

    def summary(self) -> str:
        """The first problems as one line of text."""
        shown = "; ".join(problem.told(self.items_name) for problem in self.problems[:PROBLEMS_SHOWN])
        more = len(self.problems) - PROBLEMS_SHOWN
        return f"{shown}; and {more} more" if more > 0 else shown


class IngestConflict(IngestError):  # noqa: N818  # a conflict is what callers have to tell apart
    """A key or ordinal already stands for other words, or the session has ended."""


@contextmanager
def told_of(items_name: str) -> Iterator[None]:
    """Refusals out of the block name this list instead of messages."""
    try:
        yield
    except IngestError as error:
        error.items_name = items_name
        raise


def refused(field: str, problem: str) -> IngestError:
    """A refusal that concerns no single message."""
    return IngestError([Problem(None, field, problem)])
