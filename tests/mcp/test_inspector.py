"""The MCP Inspector's command line, the tool that people look at a server with, over both transports."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memseek_site.embedded.locks import FileLock
from tests.cast import Alice
from tests.mcp.calls import CALLS
from tests.mcp.conftest import ALICE, Running, token_for
from tests.setup.commands import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LOCKED = Path(__file__).parent / "inspector"
FILES = ("package.json", "package-lock.json")
PROGRAMS = Path(sys.executable).parent
INSTALLING_SECONDS = 150
CALLING_SECONDS = 40
OUT_OF_REACH = ("ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH")

Inspect = Callable[..., Any]


@pytest.fixture(scope="session")
def inspector() -> Path:
    """The program, installed once for each lock file; skipped where no registry can be reached, but in CI."""
    lock = hashlib.sha256(b"".join((LOCKED / name).read_bytes() for name in FILES)).hexdigest()[:12]
    folder = ROOT / ".memseek" / f"inspector-{lock}"
    program = folder / "node_modules" / ".bin" / "mcp-inspector"
    folder.mkdir(parents=True, exist_ok=True)
    # Tests side by side share it.
    with FileLock(folder / "install.lock", is_exclusive=True) as held:
        assert held.acquire(timeout_seconds=INSTALLING_SECONDS)
        if not (folder / "installed").exists():
            install(folder)
            (folder / "installed").touch()
    return program


def install(folder: Path) -> None:
    for name in FILES:
        shutil.copy(LOCKED / name, folder)
    told = subprocess.run(
        [str(PROGRAMS / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=folder,
        env={**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=INSTALLING_SECONDS,
    )
    if "CI" not in os.environ and any(reason in told.stderr for reason in OUT_OF_REACH):
        pytest.skip("no package registry can be reached")
    assert told.returncode == 0, told.stderr


@pytest.fixture(params=["http", "stdio"])
def inspect(
    request: pytest.FixtureRequest, inspector: Path, running: Running, alice: Alice, tmp_path: Path
) -> Inspect:
    """Runs the command line against one transport and reads what it prints."""
    token = token_for(alice.entity)
    servers = {
        "http": {
            "type": "streamable-http",
            "url": f"{running.url}/mcp?entity={ALICE}",
            "headers": {"Authorization": f"Bearer {token}"},
        },
        "stdio": {
            "type": "stdio",
            "command": sys.executable,
            "args": [str(ROOT / "manage.py"), "mcp", "--entity", ALICE],
            "env": running.stdio(token),
        },
    }
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))

    def ask(*arguments: str) -> Any:
        told = subprocess.run(
            [str(inspector), "--cli", "--config", str(config), "--server", request.param, *arguments],
            env={**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=CALLING_SECONDS,
        )
        assert told.returncode == 0, (told.stdout, told.stderr)
        return json.loads(told.stdout)

    return ask


def test_it_lists_the_tools_and_finds_no_fault_with_them(inspect: Inspect) -> None:
    tools = inspect("--method", "tools/list", "--strict")["tools"]
    assert [tool["name"] for tool in tools] == list(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_it_calls_every_tool(name: str, inspect: Inspect) -> None:
    pairs = [f"{field}={said(value)}" for field, value in CALLS[name].items()]
    result = inspect("--method", "tools/call", "--tool-name", name, "--tool-arg", *pairs)
    assert not result.get("isError"), result
    assert result["structuredContent"]["entity"] == ALICE


def said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_it_lists_and_reads_the_resources(inspect: Inspect) -> None:
    found = inspect("--method", "resources/list")["resources"]
    assert [resource["title"] for resource in found] == ["Persona", "Rules", "Billing API"]
    read = inspect("--method", "resources/read", "--uri", found[0]["uri"])
    assert "Asks for approval first." in read["contents"][0]["text"]
