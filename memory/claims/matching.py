"""Which policy counts for a predicate. Pure: patterns are texts, rules are values, no database is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Action = Literal["store", "graph", "live", "ignore"]

ANYTHING = "*"
_TAIL = ".*"
_NAME = r"[^\W_][\w-]*"
PREDICATE = re.compile(rf"{_NAME}(?:\.{_NAME})*")
PREDICATE_SHAPE = "names of letters, digits, _ and -, joined by dots, such as billing.plan"
PATTERN_SHAPE = "a predicate such as billing.plan, the beginning of some such as billing.*, or * for all"
ALL_AUTHORITIES = frozenset({1, 2, 3, 4})


@dataclass(frozen=True, slots=True)
class Rule:
    """What a workspace decided about the predicates that a pattern matches."""

    pattern: str = ""
    """Empty where nothing was decided."""
    action: Action = "graph"
    is_many: bool = False
    """Whether several values hold side by side."""
    asserted_by: frozenset[int] = ALL_AUTHORITIES
    source: str = ""
    """Name of the live source."""

    @property
    def is_ignored(self) -> bool:
        """Nothing of it is kept."""
        return self.action == "ignore"

    @property
    def is_live(self) -> bool:
        """The value is fetched when it is needed, never kept."""
        return self.action == "live"

    @property
    def is_projected(self) -> bool:
        """It becomes an edge of the graph."""
        return self.action == "graph"


UNDECIDED = Rule()


def is_predicate(text: str) -> bool:
    """Whether a text can stand as a predicate."""
    return PREDICATE.fullmatch(text) is not None


def is_pattern(text: str) -> bool:
    """Whether a text is a predicate, a beginning of predicates, or the pattern of all."""
    return text == ANYTHING or is_predicate(text.removesuffix(_TAIL))


def matches(pattern: str, predicate: str) -> bool:
    """Whether a pattern speaks of a predicate; `billing.*` speaks of what lies below billing, not of it."""
    if pattern in (ANYTHING, predicate):
        return True
    return pattern.endswith(_TAIL) and predicate.startswith(pattern[:-1])


def most_specific(rules: Iterable[Rule], predicate: str) -> Rule:
    """The rule that counts: the predicate's own, else the longest beginning; UNDECIDED without any."""
    found = [rule for rule in rules if matches(rule.pattern, predicate)]
    return max(found, key=lambda rule: _rank(rule.pattern, predicate), default=UNDECIDED)


def _rank(pattern: str, predicate: str) -> tuple[bool, int]:
    return (pattern == predicate, len(pattern))
