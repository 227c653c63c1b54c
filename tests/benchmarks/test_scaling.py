"""`make bench-scaling` with a few messages: the same is made by one and by several, not how fast."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.scaling_results import Made, compare

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--entities", "3", "--messages", "2", "--recalls", "1", "--workers", "2")
MADE = Made(messages={"a": "1", "b": "2"}, atoms={"a": "3", "b": "4"}, above={"a": "5", "b": "6"}, count=4)


@pytest.mark.slow
@pytest.mark.timeout(420)
def test_one_of_each_and_two_of_each_make_the_same() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling", *SMALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert [one["shape"] for one in told["rounds"]] == ["1 web, 1 worker", "2 web, 2 worker"]
    assert (told["same_messages"], told["same_atoms"]) == (3, 3)
    for one in told["rounds"]:
        assert set(one["milliseconds_a_message"]) == {"web", "worker", "database"}


@pytest.mark.parametrize(
    "change",
    [
        {"messages": {"a": "1", "b": "other"}},
        {"atoms": {"a": "3", "b": "other"}},
        {"count": 3},
    ],
)
def test_what_differs_ends_the_program(change: dict[str, object]) -> None:
    other = Made(**({**vars(MADE)} | change))
    with pytest.raises(SystemExit):
        compare([MADE, other], messages=4)


def test_scenes_and_traits_that_differ_are_counted() -> None:
    other = Made(MADE.messages, MADE.atoms, {"a": "5", "b": "other"}, 4)
    assert compare([MADE, MADE], messages=4) == {"same_messages": 2, "same_atoms": 2, "same_above": 2}
    assert compare([MADE, other], messages=4) == {"same_messages": 2, "same_atoms": 2, "same_above": 1}
