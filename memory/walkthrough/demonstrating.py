"""The tour of this process's own database, as `manage.py demo` and `manage.py walkthrough` tell it."""

from __future__ import annotations

from django.conf import settings

from memory.ingest.entities import ensure_entity
from memory.llm.embedders.registry import query_embedding
from memory.models import Workspace
from memory.walkthrough.local import LocalMemory
from memory.walkthrough.naming import DEMO_RUN_ID, entity_name
from memory.walkthrough.tour import Ask, Output, run_tour

TOUR_TIMEOUT_SECONDS = 180.0


def run_demo_tour(*, workspace: Workspace, output: Output, ask: Ask | None = None) -> None:
    """Tell the story to the demo's own entity; errors are those of `run_tour`."""
    name = entity_name(settings.MEMSEEK.agent_memory_run_id or DEMO_RUN_ID)
    entity = ensure_entity(workspace=workspace, name=name)
    # The request of the fifth act is embedded: by then the embedder is there.
    query_embedding().warm_up()
    run_tour(LocalMemory(entity, timeout_seconds=TOUR_TIMEOUT_SECONDS), output, ask=ask)
