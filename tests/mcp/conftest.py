"""Alice's memory and Bob's, keys to them, and Memseek as separate processes on this test's database."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.conf import settings
from django.db import transaction

from memory.indexing.step import index_entity
from memory.ingest.access import open_access
from memory.ingest.workspaces import create_key
from memory.mcp.callers import Caller, caller_with
from memory.models import Entity, Key
from memseek_site.supervisor import is_answering
from tests.cast import Alice, make_alice, make_bob
from tests.faults.processes import database_url, end_group, end_orderly, start_group
from tests.setup.commands import environment, wait_until

EVERY_SCOPE = (Key.Scope.READ, Key.Scope.WRITE, Key.Scope.ADMIN)
ALICE = "agent.alice-test"


@pytest.fixture
def alice(db: None) -> Alice:
    """All four layers, indexed, and Bob beside her."""
    with transaction.atomic():
        made = make_alice()
        make_bob()
    index_entity(entity_id=made.entity.pk)
    return made


def token_for(entity: Entity, *scopes: str, bound: bool = False) -> str:
    """A key to the entity's workspace, or to the entity alone; with every scope unless some are named."""
    entities = [entity] if bound else []
    issued = create_key(
        workspace=entity.workspace, label="agent", scopes=scopes or EVERY_SCOPE, entities=entities
    )
    return issued.token


def caller_for(entity: Entity, *scopes: str, bound: bool = False, default: str = "") -> Caller:
    """The bearer of such a key."""
    access = open_access(token_for(entity, *scopes, bound=bound))
    assert access is not None
    return caller_with(access, default)


@dataclass(frozen=True)
class Running:
    """What processes of the product are told, and where the one that serves is."""

    url: str
    variables: dict[str, str]

    def stdio(self, token: str, **more: str) -> dict[str, str]:
        """The environment of a child that speaks over standard streams."""
        return {**self.variables, "MEMSEEK_API_KEY": token, **more}


@pytest.fixture(scope="session")
def variables(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """This test's database and broker, and words alone: no worker has to be started beside them."""
    return environment(
        tmp_path_factory.mktemp("mcp") / "data",
        DATABASE_URL=database_url(),
        REDIS_URL=str(settings.CELERY_BROKER_URL),
        MEMSEEK_EMBEDDING_PROVIDER="none",
        # It lives beside tests that count signs of life in the same database.
        MEMSEEK_HEARTBEAT_SECONDS="3600",
        LLM_FAKE="1",
        API_CORS_ORIGINS='["https://app.example.com"]',
    )


@pytest.fixture(scope="session")
def running(variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The ASGI server as a process of its own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    log = tmp_path_factory.mktemp("mcp-web") / "web.log"
    command = [sys.executable, "-m", "uvicorn", "memseek_site.asgi:application", "--port", str(port)]
    process = start_group(command, variables=variables, log=log)
    try:
        wait_until(lambda: is_answering("127.0.0.1", port))
        yield Running(f"http://127.0.0.1:{port}", variables)
        # uvicorn passes the signal on to itself when it has shut down.
        assert end_orderly(process) in (0, -signal.SIGTERM), log.read_text(errors="replace")
        assert "Traceback" not in log.read_text(errors="replace")
    finally:
        end_group(process)
