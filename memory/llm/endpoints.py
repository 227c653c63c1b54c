"""One model at one address, and what is known about it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from decimal import Decimal

from pydantic import SecretStr

from memory.llm.redaction import url_secrets

TOKENS_PER_PRICE = 1_000_000
NO_KEY = SecretStr("")


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens costs, in the currency the operator counts in."""

    input_per_million: Decimal
    output_per_million: Decimal

    def of(self, *, tokens_in: int, tokens_out: int) -> Decimal:
        """The cost of one call."""
        total = self.input_per_million * tokens_in + self.output_per_million * tokens_out
        return total / TOKENS_PER_PRICE


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind an address. An empty `base_url` means the provider's own."""

    model: str
    base_url: str = field(default="", repr=False)
    api_key: SecretStr = NO_KEY
    price: Price | None = None
    concurrency: int = 4
    """Requests at once to this address, for each process."""
    provider: str = "openai_compatible"
    """Whose protocol is spoken there."""
    secrets: tuple[str, ...] = field(init=False, repr=False)
    """What must never be emitted."""

    def __post_init__(self) -> None:
        known = (self.api_key.get_secret_value(), *url_secrets(self.base_url))
        object.__setattr__(self, "secrets", tuple(secret for secret in known if secret))

    @property
    def base_url_hash(self) -> str:
        """Names the address in the database without showing it."""
        return hashlib.sha256(self.base_url.rstrip("/").encode()).hexdigest()

    @property
    def address(self) -> str:
        """What requests at once are counted by; distinct for providers whose own address is not named."""
        return self.base_url or self.provider

    @property
    def identity(self) -> tuple[str, str]:
        """What abilities are remembered by."""
        return self.base_url_hash, self.model
