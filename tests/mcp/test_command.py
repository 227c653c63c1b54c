"""`manage.py mcp`: what it refuses, what it shows, and that it prints nothing but the protocol."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from tests.cast import Alice
from tests.mcp.conftest import ALICE, Running, token_for
from tests.setup.commands import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def ran(variables: dict[str, str], *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "mcp", *arguments],
        cwd=ROOT,
        env=variables,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("is_remote", [False, True])
def test_the_check_tells_what_a_client_would_see(is_remote: bool, running: Running, alice: Alice) -> None:
    more = {"MEMSEEK_BASE_URL": running.url} if is_remote else {}
    token = token_for(alice.entity, "write", bound=True)
    told = ran(running.stdio(token, **more), "--check")
    assert (told.returncode, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert "Server     memseek 0.1.0" in lines
    assert any(line.startswith("Protocol   2026-07-28 ") for line in lines)
    assert "  observe         write  writes   Observe a claim" in lines
    assert "  not for this key: forget (scope admin)" in lines
    assert f"  memseek://{ALICE}/persona" in lines
    assert ("Workspace  demo" in lines) is not is_remote
    assert token not in told.stdout


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"MEMSEEK_API_KEY": ""}, "A key is needed"),
        ({"MEMSEEK_API_KEY": "msk_nothing"}, "unknown, revoked or expired"),
        ({"MEMSEEK_API_KEY": "msk_nothing", "MEMSEEK_BASE_URL": "http://127.0.0.1:9"}, "did not answer"),
        ({"MEMSEEK_API_KEY": "msk_nothing", "MEMSEEK_BASE_URL": "ftp://somewhere"}, "is no address"),
    ],
)
def test_what_cannot_be_served_is_told_once(
    more: dict[str, str], told: str, running: Running, alice: Alice
) -> None:
    ended = ran({**running.variables, **more})
    assert (ended.returncode, ended.stdout) == (1, "")
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "msk_nothing" not in ended.stderr


def test_a_key_that_another_server_does_not_know_is_told(running: Running, alice: Alice) -> None:
    ended = ran(running.stdio("msk_nothing", MEMSEEK_BASE_URL=running.url))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Is the key known there" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_standard_output_carries_the_protocol_alone(running: Running, alice: Alice) -> None:
    asked = [INITIALIZE, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
    child = subprocess.Popen(
        [sys.executable, "manage.py", "mcp"],
        cwd=ROOT,
        env=running.stdio(token_for(alice.entity), MEMSEEK_LOG_LEVEL="DEBUG"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with child:
        assert child.stdin is not None
        assert child.stdout is not None
        replies = []
        for one in asked:
            child.stdin.write(f"{json.dumps(one)}\n")
            child.stdin.flush()
            replies.append(json.loads(child.stdout.readline()))
        rest, _ = child.communicate("no JSON\n", timeout=30)
    assert [(reply["jsonrpc"], reply["id"], "result" in reply) for reply in replies] == [
        ("2.0", 1, True),
        ("2.0", 2, True),
    ]
    assert [json.loads(line)["jsonrpc"] for line in rest.splitlines()] in ([], ["2.0"])
    assert child.returncode == 0


def test_an_interrupted_child_ends_at_once(running: Running, alice: Alice) -> None:
    child = subprocess.Popen(
        [sys.executable, "manage.py", "mcp"],
        cwd=ROOT,
        env=running.stdio(token_for(alice.entity)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(f"{json.dumps(INITIALIZE)}\n")
    child.stdin.flush()
    assert json.loads(child.stdout.readline())["id"] == 1
    child.send_signal(signal.SIGINT)
    # Its standard input is still open.
    assert child.wait(30) == -signal.SIGINT
    assert child.communicate()[1] == ""
