"""`python -m tests.cascade.telling`: tells the tour to the memory that the environment names.

A process of its own, as a web server would be. It waits for a worker and prints what was made of the words as
one JSON object.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.models import Entity, Workspace

NAME = "agent.alice"
SETTLE_SECONDS = 60.0


def main() -> None:
    """Two sessions, each settled before the next one."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")
    django.setup()
    from benchmarks.snapshot import snapshot
    from memory.ingest.workspaces import create_workspace
    from memory.recall.ladder import status
    from memory.stewardship.verify import verify
    from memory.walkthrough.waiting import wait_until_settled
    from memseek_site.servers import ensure_servers

    ensure_servers()
    for entity in sessions_told(create_workspace(name="telling").workspace):
        settled = wait_until_settled(entity, timeout_seconds=SETTLE_SECONDS, notice=complain)
        if not settled.is_settled:
            sys.exit(f"not settled: {settled.reasons}")
    told = {
        "memory": snapshot(entity).as_json(),
        "messages": status(entity).messages,
        "problems": [problem.kind for problem in verify(entity)],
    }
    print(json.dumps(told))


def sessions_told(workspace: Workspace) -> Iterator[Entity]:
    """Store a session of the tour and end it; the entity is given each time."""
    from memory.ingest.entities import ensure_entity
    from memory.ingest.messages import append_messages
    from memory.ingest.sessions import end_session
    from memory.models import Session
    from memory.walkthrough.incoming import incoming_messages
    from memory.walkthrough.story import story

    entity = ensure_entity(workspace=workspace, name=NAME)
    for session in story():
        append_messages(entity=entity, messages=incoming_messages(session))
        end_session(Session.objects.for_entity(entity).get(external_id=session.external_id))
        yield entity


def complain(text: str) -> None:
    """A word to whoever waits."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
