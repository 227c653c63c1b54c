"""A server for the length of a `with`, when it cannot come up or is interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from memseek_site.trial import Trial, TrialError, trial_server
from tests.setup.commands import ROOT, environment, processes_about, wait_until

pytestmark = pytest.mark.slow

PROGRAM = """
import time
from memseek_site.trial import trial_server
with trial_server():
    print("up", flush=True)
    time.sleep(600)
"""


def test_a_server_that_cannot_come_up_says_why_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(TrialError, match="MEMSEEK_RUN_CALLS"), trial_server(MEMSEEK_RUN_CALLS="many"):
        pytest.fail("it came up")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timeout(400)
def test_interrupted_it_takes_everything_down(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env=environment(tmp_path / "unused", TMPDIR=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "up\n"
        program.send_signal(signal.SIGINT)
        program.communicate()
    assert program.returncode == -signal.SIGINT
    assert list(tmp_path.iterdir()) == []
    wait_until(lambda: processes_about(str(tmp_path)) == {})


def test_the_key_is_not_shown() -> None:
    assert repr(Trial("http://127.0.0.1:1", "msk_secret")) == "Trial(base_url='http://127.0.0.1:1')"
