"""What entities and shares give back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from memory.client.results import Result


class LayerCounts(Result):
    """How much stands on each layer: live rows, and with `_all` or as versions the history too."""

    messages: int = 0
    atoms: int = 0
    atoms_all: int = 0
    scenes: int = 0
    scene_versions: int = 0
    traits: int = 0
    trait_versions: int = 0


class Entity(Result):
    """Whose memory it is."""

    id: UUID
    name: str
    group_id: str = ""
    user_id: str = ""
    time_zone: str = "UTC"
    paused_steps: tuple[str, ...] = ()
    created_at: datetime
    counts: LayerCounts = LayerCounts()


class LadderStatus(Result):
    """How much stands on each layer, what waits and who works on it."""

    entity: str
    messages: int
    atoms_live: int
    atoms_all: int
    scenes_live: int
    scene_versions: int
    traits: int
    pending: Mapping[str, int] = {}
    parked: Mapping[str, int] = {}
    worker_seen_seconds: float | None = None
    """Age of the newest sign of life of any worker; None when there never was one."""


class EntityStatus(Result):
    """Where an entity's memory stands."""

    layers: LadderStatus
    paused_steps: tuple[str, ...] = ()
    is_settled: bool
    waits_for: str | None = None
    """The lowest step with something to do; what is parked is not waited for."""
    reasons: tuple[str, ...] = ()
    """Why something waits."""
    worker: str = ""
    """What is to be said of a worker that gives no sign of life; empty when one does."""
    has_steps: bool = True
    """Whether steps run at all: a server may store words only, and then nothing ever settles."""


class Share(Result):
    """The memory of `entity` is open to `reader`, to read and never to write."""

    id: UUID
    entity: str
    reader: str
    reason: str = ""
    by: str = ""
    created_at: datetime
