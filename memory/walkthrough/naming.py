"""Which entity a walkthrough writes to."""

from __future__ import annotations

import re
import secrets
import shlex
import string
from datetime import datetime

RUN_ID_VARIABLE = "AGENT_MEMORY_RUN_ID"
RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
RUN_ID_HINT = "Give it 1 to 32 ASCII letters, digits, hyphens or underscores, or unset it."
RUN_ID_LETTERS = string.ascii_lowercase + string.digits
RUN_ID_LENGTH = 6
DEMO_RUN_ID = "demo"
DEMO_WORKSPACE = "demo"
PREFIX = "agent.alice-"
SPEAKER = "Alice"
RESULTS_SHOWN = 10


def new_run_id() -> str:
    """Six random characters."""
    return "".join(secrets.choice(RUN_ID_LETTERS) for _ in range(RUN_ID_LENGTH))


def entity_name(run_id: str) -> str:
    """The entity of a run: the same run finds its memory again."""
    return f"{PREFIX}{run_id}"


def greeting(entity: str, place: str, new_run: str) -> str:
    """The first line; a run that was just named is told, with the way back to it."""
    hint = f" ({RUN_ID_VARIABLE}={new_run} comes back to it)" if new_run else ""
    return f"Memory of {entity} {place}{hint}\n"


def new_session(now: datetime) -> str:
    """Where the words of one start of the prompt go."""
    return f"terminal-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def prompt_command(entity: str, workspace: str) -> str:
    """What a person types to come to the prompt of an entity's run."""
    place = "" if workspace == DEMO_WORKSPACE else f" --workspace {shlex.quote(workspace)}"
    return f"{_with_run(entity)} python manage.py walkthrough --no-tour{place}"


def client_command(entity: str) -> str:
    """The same over HTTP, where the environment names the server and the key."""
    return f"{_with_run(entity)} python examples/agent_memory.py --no-tour"


def _with_run(entity: str) -> str:
    return f"{RUN_ID_VARIABLE}={shlex.quote(entity.removeprefix(PREFIX))}"
