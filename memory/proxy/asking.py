"""A chat request as it came, and as it goes on: the same bytes where nothing is added."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from memory.proxy.context import Remembered, with_memory
from memory.proxy.conversation import Said, newest_words, read_conversation
from memory.proxy.errors import NO_JSON
from memseek_site.proxy_reading import ProxySettings


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. What is no conversation has no turns; the endpoint says what is wrong with it."""

    raw: bytes
    document: dict[str, Any]
    turns: tuple[Said, ...]
    words: str
    """What the user said last."""

    @property
    def model(self) -> str:
        """What the client calls the model."""
        name = self.document.get("model")
        return name if isinstance(name, str) else ""

    @property
    def all_words(self) -> str:
        """The texts of all turns."""
        return "\n".join(turn.text for turn in self.turns)

    def forwarded(self, told: Remembered, proxy: ProxySettings) -> bytes:
        """The body for the endpoint: the model by its name there, and what memory has to say."""
        changed: dict[str, Any] = {}
        if self.model and proxy.model_for(self.model) != self.model:
            changed["model"] = proxy.model_for(self.model)
        if told.sha256 and isinstance(self.document.get("messages"), list):
            changed["messages"] = with_memory(self.document["messages"], told, proxy.place)
        return json.dumps({**self.document, **changed}).encode() if changed else self.raw


def read_asked(raw: bytes) -> Asked:
    """Read a request's body. Refused (400) when it is no JSON object."""
    try:
        document = json.loads(raw.decode(), parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise NO_JSON() from None
    if not isinstance(document, dict):
        raise NO_JSON()
    messages = document.get("messages")
    return Asked(raw, document, read_conversation(messages), newest_words(messages))


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    """A number that JSON can be written with again: `1e999` is none."""
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits[:20]} is no number here")
    return value
