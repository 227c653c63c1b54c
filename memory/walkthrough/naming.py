"""Which entity a walkthrough writes to."""

from __future__ import annotations

import secrets
import shlex
import string

RUN_ID_LETTERS = string.ascii_lowercase + string.digits
RUN_ID_LENGTH = 6
DEMO_RUN_ID = "demo"
DEMO_WORKSPACE = "demo"
PREFIX = "agent.alice-"


def new_run_id() -> str:
    """Six random characters."""
    return "".join(secrets.choice(RUN_ID_LETTERS) for _ in range(RUN_ID_LENGTH))


def entity_name(run_id: str) -> str:
    """The entity of a run: the same run finds its memory again."""
    return f"{PREFIX}{run_id}"


def prompt_command(entity: str, workspace: str) -> str:
    """What a person types to come to the prompt of an entity's run."""
    place = "" if workspace == DEMO_WORKSPACE else f" --workspace {shlex.quote(workspace)}"
    run_id = shlex.quote(entity.removeprefix(PREFIX))
    return f"AGENT_MEMORY_RUN_ID={run_id} python manage.py walkthrough --no-tour{place}"
