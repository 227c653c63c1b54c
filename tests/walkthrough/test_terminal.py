"""The terminal over HTTP where something is missing: it says what, and never shows a key."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from memory.client.site import BASE_URL_VARIABLE, KEY_VARIABLE
from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_key, revoke_key
from memory.measuring.only_words import ONLY_WORDS
from memory.models import Entity, Message, Workspace
from memory.walkthrough.naming import RUN_ID_VARIABLE
from memory.walkthrough.terminal import NoPlaceError, Place, run_terminal
from tests.factories import make_message, make_workspace
from tests.setup.commands import ROOT

NAME = "agent.alice-demo"
WRONG = "msk_a-wrong-one"


@dataclass(frozen=True)
class Ran:
    """An exit status, and what was printed."""

    status: int
    out: str
    err: str


@contextmanager
def nobody() -> Iterator[Place]:
    raise NoPlaceError("There is neither a key nor a database.")
    yield


@pytest.fixture
def workspace(transactional_db: None) -> Workspace:
    return make_workspace("acme")


@pytest.fixture
def run(live_server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the terminal with a key, lines on its input and arguments; no key may be seen afterwards."""

    def ran(
        key: str, lines: str = "", *arguments: str, run_id: str = "demo", url: str = live_server.url
    ) -> Ran:
        for name, value in ((BASE_URL_VARIABLE, url), (KEY_VARIABLE, key), (RUN_ID_VARIABLE, run_id)):
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        status = run_terminal(nobody, ["--no-tour", "--timeout", "0", *arguments])
        told = capsys.readouterr()
        assert not key or key not in told.out + told.err
        return Ran(status, told.out, told.err)

    return ran


def key_with(workspace: Workspace, *scopes: str, **more: Any) -> str:
    return create_key(workspace=workspace, label="terminal", scopes=scopes, **more).token


def test_a_second_start_finds_what_was_said(run: Any, workspace: Workspace, live_server: Any) -> None:
    key = key_with(workspace, "write")
    first = run(key, "# a note\n\nsay I moved to Berlin.\nquit\nsay unheard\n")
    again = run(key, "l0\n")
    [message] = Message.objects.all()
    assert first.out.startswith(
        f"Memory of {NAME} at {live_server.url}\n> say I moved to Berlin.\nNot settled.\n"
    )
    assert (message.text, message.session.ended_at is None) == ("I moved to Berlin.", False)
    assert "    I moved to Berlin.\n" in again.out
    assert (first.status, again.status) == (0, 0)


def test_a_run_without_a_name_gets_one(run: Any, workspace: Workspace) -> None:
    told = run(key_with(workspace, "write"), run_id="")
    name = Entity.objects.get().name.removeprefix("agent.alice-")
    assert f" (AGENT_MEMORY_RUN_ID={name} comes back to it)\n" in told.out
    assert len(name) == 6


def test_every_line_is_one_object_with_json(run: Any, workspace: Workspace) -> None:
    told = run(key_with(workspace, "write"), "scenes\nfoo\ntrace 12\nquit\n", "--json")
    assert told.out.splitlines() == [
        '{"command": "scenes", "scenes": []}',
        '{"command": "foo", "error": "There is no command \'foo\'. Type help to see the commands."}',
        '{"command": "trace", "error": "Give 4 to 32 digits of an id; its last 8 are shown."}',
        '{"command": "quit"}',
    ]


@pytest.mark.parametrize("name", ["a b", "x" * 33, "é", "../x"])
def test_a_bad_name_of_a_run_is_refused(run: Any, workspace: Workspace, name: str) -> None:
    told = run(key_with(workspace, "write"), run_id=name)
    assert (told.status, told.out) == (1, "")
    assert told.err.startswith("AGENT_MEMORY_RUN_ID is no name of a run.")


def test_a_server_that_is_down_is_told_at_once(run: Any, workspace: Workspace) -> None:
    told = run(key_with(workspace, "write"), url="http://127.0.0.1:9")
    assert (told.status, told.out) == (1, "")
    assert told.err.startswith("Nothing answers at http://127.0.0.1:9. Start a server")


def test_without_a_key_and_a_place_it_says_what_to_do(run: Any, workspace: Workspace) -> None:
    assert run("") == Ran(1, "", "There is neither a key nor a database.\n")


@pytest.mark.parametrize("is_revoked", [True, False])
def test_a_key_that_opens_nothing_is_told(run: Any, workspace: Workspace, is_revoked: bool) -> None:
    issued = create_key(workspace=workspace, label="gone")
    revoke_key(key=issued.key)
    told = run(issued.token if is_revoked else WRONG)
    assert (told.status, told.out) == (1, "")
    assert told.err == (
        "The server does not take this key: it is unknown, revoked or expired (MEMSEEK_API_KEY).\n"
    )


def test_a_key_that_reads_shows_and_says_what_it_may_not(run: Any, workspace: Workspace) -> None:
    make_message(ensure_entity(workspace=workspace, name=NAME), "Hello.")
    told = run(key_with(workspace, "read"), "say Hi.\nl0\nforget Hello\nforget confirm x\n")
    no_write = "This key does not cover that. This key has no write scope.\n"
    assert told.out.count(no_write) == 2
    assert told.out.count("This key does not cover that. This key has no admin scope.\n") == 1
    assert "    Hello.\n" in told.out
    assert told.status == 0


def test_a_reading_key_makes_no_memory(run: Any, workspace: Workspace) -> None:
    told = run(key_with(workspace, "read"))
    assert (told.status, told.out) == (1, "")
    assert told.err == (
        f"The memory {NAME} is not there, and this key makes none. This key has no write scope. "
        "A key that reads looks at a run that is there: AGENT_MEMORY_RUN_ID=… and --no-tour.\n"
    )


def test_a_key_that_is_bound_opens_its_own_memory_alone(run: Any, workspace: Workspace) -> None:
    entity = ensure_entity(workspace=workspace, name=NAME)
    key = key_with(workspace, "write", entities=[entity])
    assert run(key, "status\n").out.splitlines()[1:3] == ["> status", NAME]
    other = run(key, run_id="other")
    assert (other.status, other.out) == (1, "")
    assert "opens certain entities only" in other.err


def test_a_key_that_goes_meanwhile_is_told_and_the_prompt_goes_on(
    run: Any, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = create_key(workspace=workspace, label="short")
    lines = Revoking("l0\n", "l0\n", "help quit\n", after=1, issued=issued)
    monkeypatch.setattr(io, "StringIO", lambda _: lines)
    told = run(issued.token)
    assert "No messages yet.\n" in told.out
    assert "The server does not take this key" in told.out
    assert told.out.endswith("leave; the end of input does too\n\n")


class Revoking:
    """Lines of a script; behind some of them the key is revoked."""

    def __init__(self, *lines: str, after: int, issued: Any) -> None:
        self.lines, self.after, self.issued = lines, after, issued

    def isatty(self) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        for place, line in enumerate(self.lines):
            if place == self.after:
                revoke_key(key=self.issued.key)
            yield line


def test_with_llm_fake_on_the_server_only_the_words_are_stored(
    run: Any, workspace: Workspace, settings: Any
) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, is_llm_fake=True)
    told = run(key_with(workspace, "write"), "say I moved to Berlin.\n")
    assert f"Not settled.\n  {ONLY_WORDS}\n" in told.out


def test_the_terminal_needs_no_django() -> None:
    told = "import sys, memory.walkthrough.terminal; print('django' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "False\n"
