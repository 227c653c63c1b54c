"""The terminal over HTTP, run as a process: with nothing given, and against a server that runs."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memseek_site.trial import Trial, trial_server
from tests.data_folders import empty_folder, migrated_folder
from tests.setup.commands import ROOT, environment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

PAYMENTS = "say The payments migration is under way. We must finish it before September 10."
OFFICE = "say This is separate from payments: the office move is blocked until the new lease is signed."


@pytest.fixture(scope="module")
def server() -> Iterator[Trial]:
    with migrated_folder() as folder, trial_server(scopes=["write"], MEMSEEK_DATA_DIR=str(folder)) as server:
        yield server


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder in one that anybody may enter."""
    with empty_folder() as folder:
        yield folder


def run(data_dir: Path, lines: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The script in a plain environment, from a folder that is not the project's."""
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / "agent_memory.py"), *arguments],
        cwd=data_dir.parent,
        env=environment(data_dir, **variables),
        input=lines,
        capture_output=True,
        text=True,
    )


def test_against_a_server_the_tour_runs_and_a_second_start_resumes(server: Trial, data_dir: Path) -> None:
    given = {
        "MEMSEEK_BASE_URL": server.base_url,
        "MEMSEEK_API_KEY": server.key,
        "AGENT_MEMORY_RUN_ID": "seed",
    }
    first = run(data_dir, f"{PAYMENTS}\n{OFFICE}\n", **given)
    again = run(data_dir, "scenes\nnonsense\n", "--no-tour", **given)
    assert (first.returncode, again.returncode) == (0, 0)
    assert first.stdout.startswith(f"Memory of agent.alice-seed at {server.base_url}\n")
    assert re.findall(r"(?m)^Act (\d)", first.stdout) == ["1", "2", "3", "4", "5", "6"]
    assert "python examples/agent_memory.py --no-tour\n  procedure approve " in first.stdout
    titles = re.findall(r"(?m)^▣ (.+?)  \[[0-9a-f]{8}\] version \d+$", again.stdout)
    assert {"Payments Migration", "Office Move", "Billing API Migration"} <= set(titles)
    assert "There is no command 'nonsense'." in again.stdout
    assert server.key not in first.stdout + first.stderr + again.stdout + again.stderr
    assert not data_dir.exists()


def test_with_nothing_given_it_makes_a_workspace_and_brings_up_a_server(data_dir: Path) -> None:
    told = run(data_dir, f"{PAYMENTS}\nscenes\n", "--no-tour")
    first, about, *rest = told.stdout.splitlines()
    assert told.returncode == 0, told.stderr
    assert re.fullmatch(
        r"Memory of agent\.alice-([a-z0-9]{6}) at http://127\.0\.0\.1:\d+ \(AGENT_MEMORY_RUN_ID=\1 .*\)",
        first,
    )
    assert re.fullmatch(
        r"A workspace of its own, terminal-[0-9a-f]{6}: no MEMSEEK_API_KEY is set\. "
        r"Its key ends within a day, unseen\. So does the server\.",
        about,
    )
    assert any(line.startswith("▣ Payments Migration  [") for line in rest)
    assert "msk_" not in told.stdout + told.stderr


def test_without_a_server_and_a_database_it_says_what_to_do(data_dir: Path) -> None:
    nowhere = "postgresql://nobody:secret-word@127.0.0.1:9/none"
    told = run(data_dir, "", DATABASE_URL=nowhere)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("There is neither a key (MEMSEEK_API_KEY) nor a database")
    assert "secret-word" not in told.stderr
    assert "Traceback" not in told.stderr


def test_an_address_where_nobody_answers_is_told(data_dir: Path) -> None:
    told = run(data_dir, "", MEMSEEK_BASE_URL="http://127.0.0.1:9")
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith("Nothing answers at http://127.0.0.1:9. Start a server there")


def test_a_server_of_another_database_is_told(server: Trial, data_dir: Path) -> None:
    told = run(data_dir, "", MEMSEEK_BASE_URL=server.base_url)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith(f"The server at {server.base_url} works on another database")
