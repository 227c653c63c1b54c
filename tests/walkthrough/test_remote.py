"""The terminal over HTTP prints what the terminal in the process prints."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from memory.client import Memory
from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_key
from memory.models import Entity, Session
from memory.walkthrough.commands import COMMANDS
from memory.walkthrough.local import LocalMemory
from memory.walkthrough.progress import Notice, Settled
from memory.walkthrough.remote import RemoteMemory
from tests.factories import make_workspace
from tests.walkthrough.engine import engine_for
from tests.walkthrough.twice import (
    Step,
    masked,
    of_atom,
    of_forgetting,
    of_procedure,
    of_scene,
    timeless,
    toured,
    walked,
)

NAME = "agent.alice-twice"
WRITES: tuple[Step, ...] = (
    "say UI and UX guidelines must use blue by default.",
    "say As I said: UI and UX guidelines must use blue by default.",
    of_procedure("procedure use {}"),
    of_procedure("procedure feedback {} attach a rollback plan"),
    of_procedure("procedure reject {} Not now."),
    of_procedure("procedure feedback {} tell the payment partners first"),
    of_procedure("procedure approve {} Good."),
    "procedure approve 0123abcd",
    "procedure approve soon",
    "procedure feedback 0123abcd nothing",
    "forget UI and UX guidelines",
    "forget confirm nonsense",
    of_forgetting("UI and UX guidelines", "0123456789"),
    of_forgetting("UI and UX guidelines"),
    "forget the cat",
    "scenes",
    "memories",
    "l0",
)
READS: tuple[Step, ...] = (
    "scenes",
    "memories",
    "rules",
    "rules 0",
    "rules 101",
    "persona",
    "recall Deploy the next route tonight",
    "l0",
    "l0 tour-2",
    "l0 nowhere",
    of_atom("trace {}"),
    of_scene("trace {}"),
    "trace 0123456789",
    "trace 12",
    "trace soon",
    "search Express",
    "search zzzqqq",
    "answer Until when does the billing API stay on Express?",
    "answer What colour is the cat?",
    "procedure",
    "procedure deploy the next route tonight",
    "procedure paint the fence",
    "forget Express",
    "forget the cat",
    "say \x00",
    "status",
    "help",
    "help trace",
    "nonsense",
    "quit",
)


class WorkedOnLocal(LocalMemory):
    """A worker lives while it is waited for: what it finds does not depend on how fast words come in."""

    def settle(self, notice: Notice) -> Settled:
        with engine_for(self.entity):
            return super().settle(notice)


class WorkedOnRemote(RemoteMemory):
    """The same behind the server."""

    def settle(self, notice: Notice) -> Settled:
        with engine_for(Entity.objects.get(name=self.entity, workspace__name="remote")):
            return super().settle(notice)


@pytest.fixture(autouse=True)
def by_words_alone(settings: Any) -> None:
    """Vectors may come too late on a busy machine, and are then left out."""
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, embedding=replace(product.embedding, provider="none"))


@pytest.fixture
def local(transactional_db: None) -> LocalMemory:
    entity = ensure_entity(workspace=make_workspace("local"), name=NAME)
    return WorkedOnLocal(entity, timeout_seconds=60.0)


@pytest.fixture
def remote(live_server: Any) -> Iterator[RemoteMemory]:
    workspace = make_workspace("remote")
    # What a person approves bears their name, which over HTTP is the name of the key.
    key = create_key(workspace=workspace, label=getpass.getuser(), scopes=["admin"])
    with Memory(live_server.url, key.token) as client:
        memory = WorkedOnRemote(client, NAME, timeout_seconds=60.0)
        memory.open()
        yield memory


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_tour_and_every_command_print_the_same_in_the_process_and_over_http(
    local: LocalMemory, remote: RemoteMemory
) -> None:
    lines = {step.split()[0] for step in READS + WRITES if isinstance(step, str)}
    assert lines >= set(COMMANDS) - {"trace"}
    assert masked(toured(remote)) == masked(toured(local))
    assert masked(walked(remote, WRITES)) == masked(walked(local, WRITES))
    # What is read of one memory is the same to the last digit.
    same = LocalMemory(Entity.objects.get(workspace__name="remote"), timeout_seconds=60.0)
    for is_json in (False, True):
        assert timeless(walked(remote, READS, is_json=is_json)) == timeless(
            walked(same, READS, is_json=is_json)
        )
    for memory in (local, remote):
        memory.close()
    # All that was said at the prompt has been forgotten, and ending it brings nothing back.
    assert not Session.objects.filter(external_id__startswith="terminal-").exists()
