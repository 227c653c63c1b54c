"""What a context is asked with, and how its tokens are shared among the blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memory.cascade.designs import Budgets
from memory.cascade.designs.schema import LEAST_RULES_BUDGET
from memory.recall.arms import Filters

LEAST_TOTAL = 300
"""The frame, a short request and a notice of rules need so much."""
LEAST_RULES = LEAST_RULES_BUDGET
"""Below it there is no place to say how many rules do not fit."""
MOST_SAFETY = 4.0


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What is about to be done, and how much may be told about it.

    `budgets` are tokens by block name and replace those of the workspace's design; 0 leaves a block out.
    `total` bounds the whole text, frame included. `as_of` is the clock that the text shows (the current hour
    when it is None); it does not bring back what held then. `filters` narrow what scenes and memory are
    searched in, not the persona and the rules. `safety` multiplies every count, for models that cut text
    into more tokens (see `memory.recall.tokens.safety_for`). ValueError for values out of their range.
    """

    task: str
    budgets: Mapping[str, int] = field(default_factory=dict)
    total: int | None = None
    rules_floor: int | None = None
    """Priority from which an instruction is a standing rule, 0–100; None takes the design's."""
    as_of: datetime | None = None
    filters: Filters = field(default_factory=Filters)
    include_evolution_record: bool = False
    uses_meaning: bool = True
    """Search by meaning too; without it the text depends on words alone."""
    safety: float = 1.0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.budgets) - set(Budgets.model_fields))
        if unknown:
            raise ValueError(f"There is no block {unknown[0]}; there are {', '.join(Budgets.model_fields)}.")
        if any(tokens < 0 for tokens in self.budgets.values()):
            raise ValueError("A budget is 0 or more tokens.")
        if 0 < self.budgets.get("rules", 0) < LEAST_RULES * self.safety:
            raise ValueError(f"The rules need {LEAST_RULES} tokens or more; 0 leaves them out.")
        if self.total is not None and self.total < LEAST_TOTAL * self.safety:
            raise ValueError(f"A context needs a total of {LEAST_TOTAL} tokens or more.")
        if self.as_of is not None and self.as_of.tzinfo is None:
            raise ValueError("as_of needs a time zone.")
        if not 1.0 <= self.safety <= MOST_SAFETY:
            raise ValueError(f"safety is between 1 and {MOST_SAFETY:g}.")
        if self.rules_floor is not None and not 0 <= self.rules_floor <= 100:
            raise ValueError("rules_floor is a priority between 0 and 100.")

    def budgets_over(self, defaults: Budgets) -> Budgets:
        """The design's budgets with those asked for in their place."""
        return defaults.model_copy(update=dict(self.budgets))


@dataclass(slots=True)
class Shares:
    """Hands out a total. The rules come first, so that a small total crowds out anything else before them.

    Rules and persona get what depends on the total and on each other alone, never on the request: a
    provider's prompt cache keeps its prefix. What a block leaves goes to those after it.
    """

    budgets: Budgets
    left: int | None
    """None: only the blocks' own budgets count."""

    def rules(self) -> int:
        """At most half of the total."""
        return self._at_most(self.budgets.rules, 1, 2)

    def persona(self) -> int:
        """Its part of what the rules left."""
        others = self.budgets.scenes + self.budgets.memory
        return self._at_most(self.budgets.persona, self.budgets.persona, self.budgets.persona + others)

    def request(self) -> int:
        """At most half of what is left."""
        return self._at_most(self.budgets.request, 1, 2)

    def procedure(self) -> int:
        """At most a third of what is left."""
        return self._at_most(self.budgets.procedure, 1, 3)

    def scenes(self) -> int:
        """Their part; memory gets the rest."""
        return self._at_most(
            self.budgets.scenes, self.budgets.scenes, self.budgets.scenes + self.budgets.memory
        )

    def shared(self) -> int:
        """At most a quarter of what is left: others' memory does not crowd out the entity's own."""
        return self._at_most(self.budgets.shared, 1, 4)

    def memory(self) -> int:
        """All that is left."""
        return self._at_most(self.budgets.memory, 1, 1)

    def use(self, tokens: int) -> None:
        """Take off what was used."""
        if self.left is not None:
            self.left -= tokens

    def give_back(self, tokens: int) -> None:
        """Put back what was claimed and not used."""
        self.use(-tokens)

    def _at_most(self, budget: int, part: int, whole: int) -> int:
        if self.left is None:
            return budget
        return min(budget, max(0, self.left) * part // max(1, whole))
