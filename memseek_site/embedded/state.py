"""What the keeper tells the users of its servers: a small file, replaced as a whole."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from memseek_site.embedded.layout import Layout


@dataclass(frozen=True)
class KeeperState:
    """The keeper's process, and which servers it cannot run for want of a program."""

    pid: int
    missing: Mapping[str, str]


def write_state(layout: Layout, state: KeeperState) -> None:
    """Replace the state that users read."""
    staging = layout.keeper_state.with_suffix(".new")
    staging.write_text(json.dumps(asdict(state)))
    staging.replace(layout.keeper_state)


def read_state(layout: Layout) -> KeeperState | None:
    """The newest state; None when no keeper has told one. A keeper that was killed leaves an old one."""
    try:
        return KeeperState(**json.loads(layout.keeper_state.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
