"""What an endpoint bears: how it is asked for JSON and which parameters it takes. Found once, remembered.

Nothing here sends a request. `refused_ability` reads an endpoint's complaint, `Abilities` says what to try
instead, and the two memories keep what worked: parameters for this process, the JSON mode for all of them.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, Protocol

from django.utils import timezone

from memory.llm.endpoints import Endpoint


class JsonMode(StrEnum):
    """Ways of asking for JSON, the strictest first."""

    SCHEMA = "json_schema"
    OBJECT_WITH_SCHEMA = "json_object_schema"
    OBJECT = "json_object"
    PROMPT = "prompt"

    @property
    def next_mode(self) -> JsonMode | None:
        """What to try when this one is refused."""
        modes = list(JsonMode)
        position = modes.index(self) + 1
        return modes[position] if position < len(modes) else None


LengthParameter = Literal["max_tokens", "max_completion_tokens"]
RefusedAbility = Literal["json_mode", "length_parameter", "temperature"]
DISAPPOINTMENTS_BEFORE_PROBING = 3


@dataclass(frozen=True, slots=True)
class Abilities:
    """How to put a request to one model at one address."""

    json_mode: JsonMode = JsonMode.SCHEMA
    is_mode_proven: bool = False
    """A reply in this mode had the asked shape; an unproven mode may be ignored silently."""
    length_parameter: LengthParameter | None = "max_tokens"
    sends_temperature: bool = True
    disappointments: int = 0
    """Replies in a row, in a proven mode, without the asked shape."""

    def proven(self) -> Abilities:
        """The same after a reply of the asked shape."""
        return replace(self, is_mode_proven=True, disappointments=0)

    def disappointed(self) -> Abilities:
        """The same after a reply of another shape; after several in a row the mode is looked for anew."""
        if self.disappointments + 1 < DISAPPOINTMENTS_BEFORE_PROBING:
            return replace(self, disappointments=self.disappointments + 1)
        return replace(self, json_mode=JsonMode.SCHEMA, is_mode_proven=False, disappointments=0)

    def without(self, refused: RefusedAbility) -> Abilities | None:
        """The next thing to try; None when nothing is left."""
        if refused == "json_mode":
            return self._next_mode()
        if refused == "length_parameter":
            following: LengthParameter | None = (
                "max_completion_tokens" if self.length_parameter == "max_tokens" else None
            )
            return replace(self, length_parameter=following) if self.length_parameter else None
        return replace(self, sends_temperature=False) if self.sends_temperature else None

    def _next_mode(self) -> Abilities | None:
        # A proven mode that is refused now (another server behind the address) is looked for from the start.
        if self.is_mode_proven and self.json_mode is not JsonMode.SCHEMA:
            return replace(self, json_mode=JsonMode.SCHEMA, is_mode_proven=False)
        following = self.json_mode.next_mode
        return replace(self, json_mode=following, is_mode_proven=False) if following else None


STATUSES_OF_A_REFUSAL = frozenset({400, 404, 415, 422, 500, 501})
JSON_MODE_WORDS = re.compile(
    r"response_?(format|schema)|json.?(schema|object|mode)|structured.?output|grammar|additionalProperties",
    re.I,
)
LENGTH_WORDS = re.compile(r"max_(completion_)?tokens", re.I)
TEMPERATURE_WORDS = re.compile(r"temperature", re.I)
STATUSES_OF_AN_OVERFLOW = frozenset({400, 413, 422, 500})
CONTEXT_WORDS = re.compile(
    r"context.?(length|window|size|limit)|maximum context|(prompt|input) is too long|too many \w* ?tokens",
    re.I,
)


def is_context_overflow(status: int, complaint: str) -> bool:
    """Whether an endpoint says that prompt and answer together are longer than the model can take."""
    return status in STATUSES_OF_AN_OVERFLOW and bool(CONTEXT_WORDS.search(complaint))


def refused_ability(status: int, complaint: str, abilities: Abilities) -> RefusedAbility | None:
    """Which part of the request an error is about, None for an error of another kind.

    A bad status alone says nothing; the complaint has to name the part, and the part has to have been sent.
    """
    if status not in STATUSES_OF_A_REFUSAL or is_context_overflow(status, complaint):
        return None
    if abilities.length_parameter and LENGTH_WORDS.search(complaint):
        return "length_parameter"
    if abilities.sends_temperature and TEMPERATURE_WORDS.search(complaint):
        return "temperature"
    if abilities.json_mode is not JsonMode.PROMPT and JSON_MODE_WORDS.search(complaint):
        return "json_mode"
    return None


class ModeStore(Protocol):
    """Keeps proven JSON modes beyond the process."""

    def load(self, endpoint: Endpoint) -> JsonMode | None:
        """The mode that worked last, if any."""
        ...

    def save(self, endpoint: Endpoint, mode: JsonMode) -> None:
        """Remember that this mode works."""
        ...


class DatabaseModeStore:
    """Keeps proven modes as `ModelEndpoint` rows, so that the next process does not probe again."""

    def load(self, endpoint: Endpoint) -> JsonMode | None:
        from memory.models import ModelEndpoint

        rows = ModelEndpoint.objects.filter(base_url_hash=endpoint.base_url_hash, model=endpoint.model)
        known = rows.values_list("json_mode", flat=True).first()
        # A row of another version may name a mode that this one does not know.
        return JsonMode(known) if known in list(JsonMode) else None

    def save(self, endpoint: Endpoint, mode: JsonMode) -> None:
        from memory.models import ModelEndpoint

        ModelEndpoint.objects.update_or_create(
            base_url_hash=endpoint.base_url_hash,
            model=endpoint.model,
            defaults={"json_mode": mode.value, "found_at": timezone.now()},
        )


class AbilityMemory:
    """Abilities by endpoint for this process, with the proven mode shared through a store."""

    def __init__(self, store: ModeStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Abilities] = {}

    def recall(self, endpoint: Endpoint) -> Abilities:
        """What is known about the endpoint; defaults for one never asked."""
        with self._lock:
            known = self._known.get(endpoint.identity)
        if known is not None:
            return known
        mode = self._store.load(endpoint)
        return Abilities() if mode is None else Abilities(json_mode=mode, is_mode_proven=True)

    def learn(self, endpoint: Endpoint, abilities: Abilities) -> None:
        """Remember what worked; a newly proven mode goes to the store, one row an endpoint."""
        with self._lock:
            before = self._known.get(endpoint.identity)
            self._known[endpoint.identity] = abilities
        if abilities.is_mode_proven and (before is None or before.json_mode != abilities.json_mode):
            if before is None and self._store.load(endpoint) == abilities.json_mode:
                return
            self._store.save(endpoint, abilities.json_mode)

    def forget_process(self) -> None:
        """Drop what only this process knows, as a new process would start."""
        with self._lock:
            self._known.clear()
