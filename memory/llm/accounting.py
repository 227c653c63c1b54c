"""What an answer cost: requests, tokens and money, over every try that it took."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from decimal import Decimal

from memory.llm.endpoints import Price
from memory.llm.protocol import BudgetExceeded, ModelError

# Rough, for endpoints that report no usage and for refusing what cannot fit: four characters of an alphabet
# make a token, a character of Chinese, Japanese or Korean makes one.
CHARACTERS_PER_TOKEN = 4
FIRST_CJK_CHARACTER = "\u2e80"


def estimated_tokens(text: str) -> int:
    """About how many tokens a text takes; never less than one for a text that is not empty."""
    wide = sum(character >= FIRST_CJK_CHARACTER for character in text)
    return wide + -(-(len(text) - wide) // CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one exchange, reported by the endpoint or estimated."""

    tokens_in: int
    tokens_out: int
    is_estimated: bool = False


@dataclass(slots=True)
class Tally:
    """Adds up one answer, retries, probing and fallbacks included."""

    max_calls: int | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None
    is_usage_estimated: bool = False
    _started: float = field(default_factory=time.monotonic)

    def ensure_call(self) -> None:
        """Raise BudgetExceeded when one more request would be one too many."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetExceeded("run_calls", f"The run may send no more than {self.max_calls} requests.")

    def count_call(self) -> None:
        """Count a request about to be sent; raises as `ensure_call` does."""
        self.ensure_call()
        self.calls += 1

    def add(self, usage: Usage, price: Price | None) -> None:
        """Add what an exchange used."""
        self.tokens_in += usage.tokens_in
        self.tokens_out += usage.tokens_out
        self.is_usage_estimated = self.is_usage_estimated or usage.is_estimated
        if price is not None:
            added = price.of(tokens_in=usage.tokens_in, tokens_out=usage.tokens_out)
            self.cost = (self.cost or Decimal(0)) + added

    def add_tokens_of(self, error: ModelError, price: Price | None) -> None:
        """Add what an answer that cannot be used has cost all the same."""
        self.add(Usage(error.tokens_in, error.tokens_out), price)

    @property
    def milliseconds(self) -> int:
        return round((time.monotonic() - self._started) * 1_000)
