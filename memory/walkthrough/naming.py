"""Which entity a walkthrough writes to."""

from __future__ import annotations

import secrets
import string

RUN_ID_LETTERS = string.ascii_lowercase + string.digits
RUN_ID_LENGTH = 6
DEMO_RUN_ID = "demo"


def new_run_id() -> str:
    """Six random characters."""
    return "".join(secrets.choice(RUN_ID_LETTERS) for _ in range(RUN_ID_LENGTH))


def entity_name(run_id: str) -> str:
    """The entity of a run: the same run finds its memory again."""
    return f"agent.alice-{run_id}"
