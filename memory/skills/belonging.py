"""Which traces are of one kind of task: arithmetic over words and tools.

A trace belongs to the procedure whose tasks it is nearest to. What comes is compared in the order in which
it happened, so that neither the order of arrival nor the cut into batches changes where it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from memory.recall.terms import terms_of

SAME_TASK = 0.5
"""From this share of common words on two tasks are of one kind."""
NEAR_TASK = 0.2
SAME_ACTIONS = 0.5
"""Tasks that are only near are of one kind if this share of what was done is common."""
HOLDS_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a trace is compared by."""

    task: frozenset[str]
    actions: frozenset[str]
    """Names of tools; words of actions that no tool was called for."""

    @classmethod
    def of(cls, task: str, actions: Iterable[tuple[str, str]]) -> Shape:
        """From the task and the actions as (tool name, text); figures belong to single tasks."""
        tools: set[str] = set()
        for tool, text in actions:
            tools.update([f"tool {tool.casefold()}"] if tool else _words(text))
        return cls(_words(task), frozenset(tools))


def _words(text: str) -> frozenset[str]:
    return frozenset(term for term in terms_of(text) if not HOLDS_FIGURE.search(term))


@dataclass(slots=True)
class Kin:
    """What is known of one procedure's tasks: the shapes of its traces and the words of its versions."""

    shapes: list[Shape] = field(default_factory=list)
    named: list[frozenset[str]] = field(default_factory=list)
    """Words of its title and of each line that says when to use it."""

    def name(self, texts: Iterable[str]) -> None:
        """Take in what a version calls the task."""
        self.named += [words for text in texts if (words := _words(text))]

    def nearness(self, shape: Shape) -> float:
        """How near a trace is, from 0 to 2; 0 for one that does not belong here."""
        nearest = max((_nearness(shape, other) for other in self.shapes), default=0.0)
        called = max((_likeness(shape.task, words) for words in self.named), default=0.0)
        return max(nearest, called if called >= SAME_TASK else 0.0)


def _nearness(one: Shape, other: Shape) -> float:
    task, actions = _likeness(one.task, other.task), _likeness(one.actions, other.actions)
    belongs = task >= SAME_TASK or (task >= NEAR_TASK and actions >= SAME_ACTIONS)
    return task + actions if belongs else 0.0


def _likeness(one: Collection[str], other: Collection[str]) -> float:
    together = {*one, *other}
    return len({*one} & {*other}) / len(together) if together else 0.0


def nearest(shape: Shape, kin: Sequence[Kin]) -> int | None:
    """The place of the procedure that a trace belongs to, the first of equals; None for a new one."""
    scored = [(one.nearness(shape), -place) for place, one in enumerate(kin)]
    score, place = max(scored, default=(0.0, 0))
    return -place if score > 0 else None
