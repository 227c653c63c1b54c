"""The hook script as a real process, in front of a live server that may be away, hang and come back."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from memory.ingest.workspaces import create_key
from memory.models import Message, Workspace
from tests.proxy.serving import Line
from tests.setup.commands import ROOT, wait_until

SCRIPT = ROOT / "examples" / "capture" / "memseek_hook.py"
ENTITY = "agent.alice"
SLACK_SECONDS = 1.5
"""What starting a process may take on a busy machine."""


@dataclass(frozen=True)
class Ran:
    """How a call of the script ended."""

    code: int
    output: str
    complaint: str
    seconds: float

    def told(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.output)


@dataclass
class Hooks:
    """The script with its environment."""

    key: str
    base_url: str
    spool: Path
    more: dict[str, str] = field(default_factory=dict)
    seconds: float = 2.0

    def environment(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if not name.startswith("MEMSEEK_")}
        own = {
            "MEMSEEK_BASE_URL": self.base_url,
            "MEMSEEK_API_KEY": self.key,
            "MEMSEEK_ENTITY": ENTITY,
            "MEMSEEK_HOOK_SPOOL": str(self.spool),
            "MEMSEEK_HOOK_SECONDS": str(self.seconds),
        }
        return {**plain, **own, **self.more}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A call that goes on."""
        return subprocess.Popen(
            [sys.executable, str(SCRIPT), *arguments],
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, given: str = "") -> Ran:
        """A call to its end: it fails never, and shows the key to nobody."""
        began = time.monotonic()
        process = self.start(*arguments)
        output, complaint = process.communicate(given)
        ran = Ran(process.returncode, output, complaint, time.monotonic() - began)
        assert ran.code == 0, ran
        assert self.key not in ran.output + ran.complaint
        return ran

    def hook(self, event: str, **fields: Any) -> Ran:
        """An event as Claude Code tells it."""
        base = {"session_id": "s1", "hook_event_name": event, "cwd": "/srv/billing", "transcript_path": ""}
        return self.run("hook", given=json.dumps({**base, **fields}))

    def record(self, text: str, *, role: str = "user", session: str = "s1") -> Ran:
        return self.run("record", "--role", role, "--session", session, given=text)

    def waiting(self) -> list[Path]:
        """Files that wait, in their order."""
        return sorted(self.spool.glob("*/*.json"))

    def wait_until_delivered(self) -> None:
        wait_until(lambda: not self.waiting())


@pytest.fixture
def line(live_server: Any) -> Iterator[Line]:
    """A line to the live server."""
    address = urlsplit(live_server.url)
    line = Line(lambda: socket.create_connection((str(address.hostname), int(address.port or 80))))
    yield line
    line.close()


@pytest.fixture
def hooks(transactional_db: None, line: Line, tmp_path: Path) -> Hooks:
    workspace = Workspace.objects.create(name="acme")
    key = create_key(workspace=workspace, label="capture").token
    return Hooks(key, f"http://127.0.0.1:{line.port}", tmp_path / "spool")


def stored() -> list[tuple[str, str, str]]:
    """Session, role and text of all that the server holds, in the order of storing."""
    rows = Message.objects.order_by("seq").values_list("session__external_id", "role", "text")
    return list(rows)
