"""The skill loop, run as a process against a server that runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memseek_site.trial import Trial, trial_server
from tests.data_folders import migrated_folder
from tests.setup.commands import ROOT, environment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

FIRST = """\
Trace
  Publish release notes for the mobile app: 5 steps
Draft of version 1: """
LAST = """\
  agents get version 1
Feedback on the use
  attach a rollback plan
Draft of version 2: """


@pytest.fixture(scope="module")
def server() -> Iterator[Trial]:
    with migrated_folder() as folder, trial_server(scopes=["admin"], MEMSEEK_DATA_DIR=str(folder)) as server:
        yield server


def run(server: Trial, folder: Path, answers: str) -> str:
    """What the script prints when a person answers so."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "skill_loop.py")],
        cwd=folder,
        env=environment(folder / "unused", MEMSEEK_BASE_URL=server.base_url, MEMSEEK_API_KEY=server.key),
        input=answers,
        capture_output=True,
        text=True,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def test_a_person_approves_twice_and_the_second_version_holds_what_was_said(
    server: Trial, tmp_path: Path
) -> None:
    told = run(server, tmp_path, "y\ny\n")
    assert told.startswith(FIRST)
    assert told.count("Approve it? [y/N] y\n") == 2
    second = told[told.index(LAST) :]
    [added] = [line for line in second.splitlines() if line.startswith("  added, procedure: ")]
    assert "rollback plan" in added.lower()
    assert "feedback “attach a rollback plan”\n" in second
    assert told.endswith("  agents get version 2\n")


def test_without_an_answer_nothing_is_approved(server: Trial, tmp_path: Path) -> None:
    told = run(server, tmp_path, "")
    assert told.endswith(
        "  agents get nothing\nApprove it? [y/N] no answer\n  not approved: the draft waits\n"
    )
