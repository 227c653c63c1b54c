"""What streams are told of a step, in the transaction that it happens in: ids, never words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory.models import Entity, Outbox, Run, Step


def announce(
    *, entity: Entity, step: Step, run: Run, event: Outbox.Event, ids: Mapping[str, Any] | None = None
) -> None:
    """Leave an event, unless it is of a rebuild: nobody listens to that, it tells when it is applied."""
    if entity.shadow_of_id is not None:
        return
    Outbox.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        event=event,
        ids={"step": step.value, "run": str(run.pk), **(ids or {})},
    )
