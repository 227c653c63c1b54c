"""Signs of life, the demonstration's account, and the supervisor's small parts."""

import asyncio
import os
import socket
import sys
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import authenticate
from django.test import Client

from memory.models import Member, Process
from memseek_site import VERSION
from memseek_site.demonstration import ensure_operator, ensure_workspace
from memseek_site.heartbeat import Heartbeat
from memseek_site.serving import choose_port
from memseek_site.supervisor import ServedChild, Supervisor, first_free_port
from tests.setup.commands import wait_until


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_keeps_one_row_while_it_runs() -> None:
    heartbeat = Heartbeat("web")
    heartbeat.start()
    wait_until(Process.objects.exists)
    heartbeat.beat()
    shown = Process.objects.values_list("kind", "name", "configuration_hash", "version")
    name = f"{socket.gethostname()}:{os.getpid()}"
    assert list(shown) == [("web", name, settings.MEMSEEK.configuration_hash(), VERSION)]
    heartbeat.stop()
    assert not Process.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_operator_is_made_once_and_may_sign_in() -> None:
    workspace = ensure_workspace()
    login = ensure_operator(workspace)
    assert login is not None
    assert ensure_operator(ensure_workspace()) is None
    assert authenticate(username=login.name, password=login.password) is not None
    assert list(Member.objects.values_list("workspace__name", "user__username", "role")) == [
        ("demo", "operator", "operator")
    ]


@pytest.mark.django_db(transaction=True)
def test_the_asgi_application_gives_signs_of_life_from_start_to_end() -> None:
    asyncio.run(live_once())
    assert not Process.objects.exists()


async def live_once() -> None:
    from memseek_site.asgi import application

    told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    life = asyncio.create_task(application({"type": "lifespan"}, heard.get, told.put))
    for step in ("startup", "shutdown"):
        await heard.put({"type": f"lifespan.{step}"})
        assert await told.get() == {"type": f"lifespan.{step}.complete"}
    await life


def test_a_taken_port_is_passed_over_only_when_the_caller_named_none() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        taken = int(listener.getsockname()[1])
        assert first_free_port("127.0.0.1", [taken]) is None
        assert first_free_port("127.0.0.1", [taken, 0]) == 0
        with pytest.raises(Exception, match="is taken"):
            choose_port("127.0.0.1", taken, is_flexible=True)


@pytest.mark.slow
def test_a_supervisor_shows_output_restarts_and_leaves_nothing() -> None:
    shown: list[str] = []
    supervisor = Supervisor()
    supervisor.add(ServedChild("child", [sys.executable, "-c", "print('words')"], shown.append))
    supervisor.tend_until(lambda: shown.count("child  | words") >= 2)
    supervisor.stop()
    assert shown[:3] == ["child  | words", "child  | ended, starting again", "child  | words"]
    assert [child.process for child in supervisor.children] == [None]


def test_static_files_come_whole_and_with_their_type(client: Client) -> None:
    found = client.get("/static/admin/css/base.css")
    assert (found.status_code, found.streaming, found["content-type"]) == (
        200,
        False,
        'text/css; charset="utf-8"',
    )
    assert len(found.content) == int(found["content-length"])
    part = client.get("/static/admin/css/base.css", headers={"range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, found.content[:10])
    assert client.get("/static/no-such-file.css").status_code == 404
