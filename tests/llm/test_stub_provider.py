"""The stub as a process of its own, as tests of whole installations run it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from memory.llm.endpoints import Endpoint
from tests.llm.conftest import GOOD, Bench, Serve, question

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"l1_extract": GOOD}))
    command = [sys.executable, "-m", "tests.stub_provider", "--answers", str(answers)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def test_a_stub_process_answers_by_task(bench: Bench, serve: Serve, address: str) -> None:
    model = bench.model(Endpoint("stub", address, SecretStr("a-key-of-no-use")))

    replies = [model.answer(question(system=f"Your task is {task}.")) for task in ("l1_extract", "persona")]

    assert [json.loads(reply.text) for reply in replies] == [
        GOOD,
        {"items": [], "nothing_reason": "The stub has nothing to say."},
    ]
