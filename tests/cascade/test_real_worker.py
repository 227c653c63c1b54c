"""The same words through the same cascade, embedded and as in production, by a worker of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from benchmarks.snapshot import snapshot
from memory.cascade.engine import settle_entity
from tests.cascade.telling import sessions_told
from tests.data_folders import migrated_folder
from tests.factories import make_workspace
from tests.faults.processes import database_url, end_orderly, start_worker, tcp_broker
from tests.setup.commands import ROOT, environment

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TELLING_SECONDS = 90


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the embedded servers' account may enter; whatever runs from it ends with the test."""
    with migrated_folder() as data_dir:
        yield data_dir.parent


@pytest.fixture
def embedded(folder: Path) -> dict[str, str]:
    """Nothing is configured: servers of its own under the data folder."""
    return environment(folder / "memseek")


@pytest.fixture
def production(folder: Path) -> Iterator[dict[str, str]]:
    """Production settings, this test's PostgreSQL by its address, and a Redis server on TCP."""
    with tcp_broker(folder) as broker:
        yield environment(
            folder / "memseek",
            MEMSEEK_ENV="production",
            SECRET_KEY="only-for-a-test-" * 5,
            ALLOWED_HOSTS="memseek.example",
            DATABASE_URL=database_url(),
            DATABASE_OWNER_URL=database_url(settings.DATABASE_OWNER),
            REDIS_URL=broker,
        )


def run(module: list[str], variables: Mapping[str, str]) -> str:
    """A Python program's standard output; it must end well."""
    told = subprocess.run(
        [sys.executable, *module],
        cwd=ROOT,
        env=dict(variables),
        capture_output=True,
        text=True,
        timeout=TELLING_SECONDS,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def told_in_this_process() -> dict[str, Any]:
    """What the words become without any other process."""
    for entity in sessions_told(make_workspace("in-process")):
        settle_entity(entity)
    return {"memory": snapshot(entity).as_json(), "messages": 15, "problems": []}


@pytest.mark.parametrize("path", ["embedded", "production"])
def test_a_worker_makes_of_the_words_what_one_process_makes(
    path: str, folder: Path, request: pytest.FixtureRequest
) -> None:
    variables: dict[str, str] = request.getfixturevalue(path)
    run(["manage.py", "migrate", "--verbosity", "0"], variables)
    log = folder / "worker.log"
    worker = start_worker(variables, log=log)
    try:
        made = json.loads(run(["-m", "tests.cascade.telling"], variables))
    finally:
        assert end_orderly(worker) == 0, log.read_text(errors="replace")
    assert made == told_in_this_process()
    assert [len(made["memory"][layer]) > 0 for layer in ("atoms", "scenes", "traits")] == [True] * 3
