"""Which traces are of one kind of task: arithmetic over words and tools.

A trace belongs to the procedure whose tasks it is nearest to. What comes is compared in the order in which
it happened, so that neither the order of arrival nor the cut into batches changes where it belongs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from memory.cascade.rules.grounding import Ground
from memory.cascade.rules.grounding_words import GERMAN_WORDS
from memory.recall.terms import terms_of

SAME_TASK = 0.5
"""From this share of common words on two tasks are of one kind."""
NEAR_TASK = 0.2
SAME_ACTIONS = 0.5
"""Tasks that are only near are of one kind if this share of what was done is common."""
HOLDS_FIGURE = re.compile(r"\d")
SMALL_WORDS = GERMAN_WORDS | frozenset(
    """
    als am an bei bis durch gegen ins ohne seit um unter vom vor
    le la les un une du des de et ou en au aux par pour sur dans avec
    el los las al del y o con por para que
    """.split()  # noqa: SIM905 - a list of words
)
"""Words of other languages that tell nothing of a task; English ones are no terms."""
ENDING = re.compile(r"(?<=[^\W\d_]{4})(?:innen|ing|in|en|em|er|es|ed|e|n|s)$")
_NOTHING = Ground(())


@dataclass(frozen=True, slots=True)
class Shape:
    """What a trace is compared by."""

    task: frozenset[str]
    """Without the names, numbers and dates that may be details of one task."""
    named: frozenset[str]
    """With its names."""
    tools: frozenset[str]
    deeds: frozenset[str]
    """Words of actions that no tool was called for."""

    @classmethod
    def of(cls, task: str, actions: Iterable[tuple[str, str]]) -> Shape:
        """From the task and the actions as (tool name, text); figures belong to single tasks."""
        done = list(actions)
        tools = frozenset(tool.casefold() for tool, _ in done if tool)
        deeds = frozenset(word for tool, text in done if not tool for word in _words(text))
        return cls(_words(_without_names(task)), _words(task), tools, deeds)

    def task_likeness(self, other: Shape) -> float:
        """How like the tasks are, with or without their names, whichever is more."""
        return max(_likeness(self.task, other.task), _likeness(self.named, other.named))

    def action_likeness(self, other: Shape) -> float:
        """How like the actions are: by their tools where both called some, else by words."""
        if self.tools and other.tools:
            return _likeness(self.tools, other.tools)
        return _likeness(self.deeds, other.deeds)


def _words(text: str) -> frozenset[str]:
    terms = (term for term in terms_of(text) if not HOLDS_FIGURE.search(term) and term not in SMALL_WORDS)
    return frozenset(ENDING.sub("", term) for term in terms)


def _without_names(text: str) -> str:
    for detail in _NOTHING.ungrounded(text):
        text = re.sub(rf"(?<!\w){re.escape(detail)}(?!\w)", " ", text)
    return text


@dataclass(slots=True)
class Kin:
    """What is known of one procedure's tasks: the shapes of its traces and the words of its versions."""

    shapes: list[Shape] = field(default_factory=list)
    named: list[frozenset[str]] = field(default_factory=list)
    """Words of its title and of each line that says when to use it."""

    def name(self, texts: Iterable[str]) -> None:
        """Take in what a version calls the task."""
        told = (form for text in texts for form in (text, _without_names(text)))
        self.named += [words for form in told if (words := _words(form))]

    def nearness(self, shape: Shape) -> float:
        """How near a trace is, from 0 to 2; 0 for one that does not belong here."""
        nearest = max((_nearness(shape, other) for other in self.shapes), default=0.0)
        likes = (_likeness(own, words) for own in (shape.task, shape.named) for words in self.named)
        called = max(likes, default=0.0)
        return max(nearest, called if called >= SAME_TASK else 0.0)


def _nearness(one: Shape, other: Shape) -> float:
    task, actions = one.task_likeness(other), one.action_likeness(other)
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
