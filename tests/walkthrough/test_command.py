"""The command as people run it: a real process, a worker, embedded servers of its own."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data_folders import migrated_folder
from tests.setup.commands import ROOT, environment

PAYMENTS = (
    "say The payments migration is under way. We must finish it before September 10, "
    "but the new webhook contract is still unapproved."
)
OFFICE = (
    "say This is separate from payments: the office move is blocked until the new lease is signed, "
    "and it must happen by September 20."
)
GUIDELINES = "say UI and UX guidelines must use blue by default."
TIMEOUT_SECONDS = 150


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """A data folder for this module, in one that anybody may enter."""
    with migrated_folder() as folder:
        yield folder


def walkthrough(
    data_dir: Path, script: str, *arguments: str, run: str | None = "seed", **more: str
) -> subprocess.CompletedProcess[bytes]:
    """`manage.py walkthrough` with a script on its input."""
    named = {"AGENT_MEMORY_RUN_ID": run} if run is not None else {}
    return subprocess.run(
        [sys.executable, "manage.py", "walkthrough", *arguments],
        cwd=ROOT,
        env=environment(data_dir, **named, **more),
        input=script.encode(errors="surrogateescape"),
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
    )


def objects(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, object]]:
    """One object for each line of output."""
    return [json.loads(line) for line in done.stdout.decode("ascii").splitlines()]


@pytest.mark.slow
def test_the_three_lines_of_the_first_walk_open_three_scenes(data_dir: Path) -> None:
    script = "\n".join([PAYMENTS, OFFICE, GUIDELINES, "scenes", "status", "rules", "quit", "say unheard"])
    done = walkthrough(data_dir, script, "--no-tour", "--json")
    assert done.returncode == 0
    *said, scenes, status, rules, end = objects(done)
    assert [page["is_settled"] for page in said] == [True, True, True]
    assert [scene["title"] for scene in scenes["scenes"]] == [  # type: ignore[attr-defined]
        "Payments Migration",
        "Office Move",
        "UI Design Guidelines",
    ]
    assert status["scenes_live"] == 3
    assert [rule["text"] for rule in rules["rules"]] == [  # type: ignore[attr-defined]
        "UI and UX guidelines must use blue by default."
    ]
    assert end == {"command": "quit"}


@pytest.mark.slow
def test_a_second_start_tells_the_story_and_resumes(data_dir: Path) -> None:
    done = walkthrough(data_dir, "scenes\nnonsense\ntrace 12\n", run="seed")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.startswith("Memory of agent.alice-seed in workspace demo\n")
    assert re.findall(r"(?m)^Act (\d)", text) == ["1", "2", "3", "4", "5", "6"]
    shown = text[text.index("> scenes") :]
    titles = re.findall(r"(?m)^▣ (.+?)  \[[0-9a-f]{8}\] version (\d+)$", shown)
    assert {title for title, _ in titles} >= {"Payments Migration", "Office Move", "UI Design Guidelines"}
    assert ("Billing API Migration", "2") in titles
    assert "There is no command 'nonsense'. Type help to see the commands." in shown
    assert shown.endswith("> trace 12\nGive 4 to 32 digits of an id; its last 8 are shown.\n\n")


@pytest.mark.slow
def test_without_a_name_the_run_gets_one_and_prints_it(data_dir: Path) -> None:
    done = walkthrough(data_dir, "l0\n", "--no-tour", run=None, LLM_FAKE="1")
    first, second, *_ = done.stdout.decode().splitlines()
    named = re.fullmatch(
        r"Memory of agent\.alice-([a-z0-9]{6}) in workspace demo \(AGENT_MEMORY_RUN_ID=\1 comes back to it\)",
        first,
    )
    assert named
    assert second.startswith("LLM_FAKE=1: only the words are stored (L0).")


@pytest.mark.slow
def test_bytes_that_are_no_text_do_no_harm(data_dir: Path) -> None:
    done = walkthrough(data_dir, "say \udce9\udcff\nl0\n", "--no-tour", "--json", LLM_FAKE="1")
    assert [list(page)[:2] for page in objects(done)] == [["command", "error"], ["command", "session"]]


@pytest.mark.slow
@pytest.mark.parametrize("run", ["a b", "x" * 33, "é", "../x"])
def test_a_bad_name_of_a_run_is_refused(data_dir: Path, run: str) -> None:
    done = walkthrough(data_dir, "", run=run)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"AGENT_MEMORY_RUN_ID is no name of a run." in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--workspace", ""], "--workspace has 0 characters"),
        (["--workspace", "x" * 65], "--workspace has more than 64 characters"),
        (["--timeout", "nan"], "invalid number of seconds value: 'nan'"),
        (["--timeout", "-1"], "invalid number of seconds value: '-1'"),
    ],
)
def test_wrong_options_are_refused_in_one_line(data_dir: Path, arguments: list[str], told: str) -> None:
    done = walkthrough(data_dir, "", *arguments)
    assert done.returncode != 0
    assert told in done.stderr.decode().splitlines()[-1]
