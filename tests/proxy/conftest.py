"""A server process with the proxy on, in front of a stub of the model's endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from django.conf import settings

from memory.ingest.workspaces import create_key
from memory.models import Entity, Message, Workspace
from tests.faults.processes import database_url
from tests.proxy.serving import UPSTREAM_KEY, site_process
from tests.setup.commands import wait_until
from tests.stub_provider import Reply, StubProvider

ALICE = "agent.alice"


@dataclass(frozen=True)
class Proxied:
    """The proxy's address, a key of a workspace, and the endpoint behind."""

    url: str
    key: str
    workspace: Workspace
    upstream: StubProvider
    log: Path = Path()
    """What the server process has written."""

    def client(self, *, key: str = "", entity: str = ALICE, **headers: str) -> openai.OpenAI:
        """The unchanged client: another base URL, another key."""
        named = {"X-Memseek-Entity": entity} if entity else {}
        return openai.OpenAI(
            base_url=f"{self.url}/v1",
            api_key=key or self.key,
            max_retries=0,
            default_headers={**named, **headers},
        )

    def post(self, body: Any, **headers: str) -> httpx.Response:
        """A request by hand."""
        told = {"Authorization": f"Bearer {self.key}", "X-Memseek-Entity": ALICE, **headers}
        content = body if isinstance(body, bytes) else None
        document = None if isinstance(body, bytes) else body
        return httpx.post(f"{self.url}/v1/chat/completions", content=content, json=document, headers=told)

    def sent(self) -> dict[str, Any]:
        """What the endpoint was asked last."""
        return self.upstream.requests[-1].body

    def stored(self, entity: str = ALICE) -> list[tuple[str, str]]:
        """Role and text of all that is stored, in the order of storing."""
        rows = Message.objects.filter(entity__workspace=self.workspace, entity__name=entity)
        return list(rows.order_by("seq").values_list("role", "text"))

    def wait_for(self, count: int, entity: str = ALICE) -> list[tuple[str, str]]:
        """The same once there are so many."""
        wait_until(lambda: len(self.stored(entity)) >= count)
        return self.stored(entity)

    def entity(self, name: str = ALICE) -> Entity:
        return Entity.objects.select_related("workspace").get(workspace=self.workspace, name=name)


@pytest.fixture(scope="package")
def upstream() -> Iterator[StubProvider]:
    with StubProvider() as stub:
        yield stub


@pytest.fixture(scope="package")
def proxy_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="package")
def proxy_url(
    django_db_setup: None, django_db_blocker: Any, upstream: StubProvider, proxy_folder: Path
) -> Iterator[str]:
    with django_db_blocker.unblock():
        address = database_url()
    with site_process(
        proxy_folder,
        address,
        # Marks of what was erased are made with it, here and there.
        SECRET_KEY=settings.SECRET_KEY,
        MEMSEEK_PROXY="true",
        MEMSEEK_PROXY_BASE_URL=upstream.base_url,
        MEMSEEK_PROXY_API_KEY_ENV="STUB_KEY",
        STUB_KEY=UPSTREAM_KEY,
        MEMSEEK_PROXY_MODELS='{"with-memory": "stub-large"}',
        MEMSEEK_PROXY_TIMEOUT_SECONDS="2",
        MEMSEEK_PROXY_BODY_MEGABYTES="1",
        MEMSEEK_PROXY_CONTEXT_SECONDS="20",
    ) as url:
        yield url


@pytest.fixture
def proxied(transactional_db: None, proxy_url: str, upstream: StubProvider, proxy_folder: Path) -> Proxied:
    workspace = Workspace.objects.create(name="acme")
    upstream.script = []
    upstream.requests = []
    upstream.models = []
    upstream.respond = lambda body: Reply.text("Noted.")
    token = create_key(workspace=workspace, label="proxy").token
    return Proxied(proxy_url, token, workspace, upstream, proxy_folder / "site.log")


def said(*texts: str) -> list[dict[str, str]]:
    """A conversation, the user first, then in turns."""
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
