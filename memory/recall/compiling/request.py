"""What a context of a turn is asked with, and how its tokens are shared among its parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory.cascade.designs import Budgets
from memory.recall.arms import Filters
from memory.recall.context.request import LEAST_RULES, MOST_SAFETY

Strategy = Literal["text", "vector", "hybrid", "graph"]
STRATEGIES: tuple[Strategy, ...] = ("text", "vector", "hybrid", "graph")
DEFAULT_BUDGET = 12_000
LEAST_BUDGET = 800
"""The frame, a few rules and a short turn need so much."""
MOST_BUDGET = 1_000_000
MOST_DEPTH = 3
SCENES_TOKENS = 800
"""Names and summaries of scenes; the sections that speak of a turn stand beside it."""
BRIEFS_TOKENS = 900
SUMMARY_TOKENS = 1_200
PARTS = {"rules": 6, "persona": 10, "scenes": 16, "briefs": 14, "summary": 10, "memory": 4, "procedure": 5}
"""Of a budget, each part may take one in so many, and never more than its own number of tokens."""


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """How the context of a turn is put together.

    `query` is what memory is searched for; None takes the words of the newest user turn. `budget` bounds all
    messages, in tokens of `memory.recall.tokens`. `strategy` says which memory is recalled: by words
    (`text`), by meaning (`vector`), by both and the graph (`hybrid`), or from the graph alone (`graph`).
    `depth` is how far the graph is walked, 0 to 3 steps; None takes 1 for hybrid and 2 for graph. `filters`
    narrow what is recalled, not the persona, the rules and the session's own turns. `as_of` is the clock that
    the text shows (the current hour when None). ValueError for values out of their range.
    """

    query: str | None = None
    budget: int = DEFAULT_BUDGET
    strategy: Strategy = "hybrid"
    depth: int | None = None
    filters: Filters = field(default_factory=Filters)
    rules_floor: int | None = None
    as_of: datetime | None = None
    uses_live: bool = True
    """Fetch the values of live claims; without it they are told as not fetched."""
    safety: float = 1.0

    def __post_init__(self) -> None:
        if not LEAST_BUDGET * self.safety <= self.budget <= MOST_BUDGET:
            raise ValueError(f"A budget is {LEAST_BUDGET} to {MOST_BUDGET} tokens.")
        if self.strategy not in STRATEGIES:
            raise ValueError(f"There is no strategy {self.strategy}; there are {', '.join(STRATEGIES)}.")
        if self.depth is not None and not 0 <= self.depth <= MOST_DEPTH:
            raise ValueError(f"depth is 0 to {MOST_DEPTH}.")
        if self.rules_floor is not None and not 0 <= self.rules_floor <= 100:
            raise ValueError("rules_floor is a priority between 0 and 100.")
        if self.as_of is not None and self.as_of.tzinfo is None:
            raise ValueError("as_of needs a time zone.")
        if not 1.0 <= self.safety <= MOST_SAFETY:
            raise ValueError(f"safety is between 1 and {MOST_SAFETY:g}.")

    @property
    def graph_depth(self) -> int | None:
        """How far the graph is walked; None when it is not asked."""
        if self.strategy in ("text", "vector"):
            return self.depth or None
        if self.depth is not None:
            return self.depth
        return 2 if self.strategy == "graph" else 1


@dataclass(frozen=True, slots=True)
class Allotment:
    """Tokens that each part may take. It depends on the budget and the design alone, never on the query."""

    persona: int
    rules: int
    scenes: int
    briefs: int
    summary: int
    memory: int
    procedure: int
    """Kept free beside the turn where any procedure may be handed out, whatever is asked."""

    @classmethod
    def of(cls, request: CompileRequest, budgets: Budgets) -> Allotment:
        """The design's budgets, each cut to its part of the whole."""
        wanted = {
            "persona": budgets.persona,
            "rules": budgets.rules,
            "scenes": min(budgets.scenes, SCENES_TOKENS),
            "briefs": BRIEFS_TOKENS,
            "summary": SUMMARY_TOKENS,
            "memory": budgets.memory + budgets.scenes,
            "procedure": budgets.procedure,
        }
        shares = {name: min(tokens, request.budget // PARTS[name]) for name, tokens in wanted.items()}
        if 0 < shares["rules"] < LEAST_RULES * request.safety:
            shares["rules"] = min(budgets.rules, int(LEAST_RULES * request.safety) + 1)
        return cls(**shares)
