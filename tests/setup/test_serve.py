"""`serve` and `doctor` as real processes on embedded servers."""

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from memseek_site.embedded.layout import layout_of
from memseek_site.embedded.locks import FileLock
from memseek_site.supervisor import is_answering
from tests.setup.commands import manage, processes_about, start, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def doctor(data_dir: Path, **more: str) -> tuple[int, list[dict[str, Any]]]:
    """The doctor's exit code and findings."""
    told = manage(data_dir, "doctor", "--json", **more)
    assert told.stderr == ""
    return told.returncode, json.loads(told.stdout)["findings"]


def findings_about(topic: str, findings: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(finding["level"], finding["text"]) for finding in findings if finding["topic"] == topic]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_serve_answers_and_leaves_neither_process_nor_lock(
    data_dir: Path, port: int, ending: signal.Signals
) -> None:
    log = data_dir.parent / "serve.log"
    serving = start(data_dir, "serve", "--port", str(port), log=log)
    wait_until(lambda: b"Memseek is at" in log.read_bytes())
    wait_until(lambda: [level for level, _ in findings_about("worker", doctor(data_dir)[1])] == ["fine"])
    code, findings = doctor(data_dir)
    assert findings_about("agreement", findings) == [("fine", "web and worker run under one configuration")]
    assert code == 0
    serving.send_signal(ending)
    assert serving.wait(30) == 0
    # Where somebody was still leaving when it ended, the keeper follows after its grace period.
    wait_until(lambda: processes_about(str(data_dir)) == {})
    assert FileLock(layout_of(data_dir).users_lock, is_exclusive=True).try_acquire()
    assert "Traceback" not in log.read_text()


def test_after_sigkill_of_serve_nothing_of_it_lives_and_it_starts_again(
    migrated_dir: Path, port: int
) -> None:
    for _ in range(2):
        log = migrated_dir.parent / "serve.log"
        serving = start(migrated_dir, "serve", "--port", str(port), log=log)
        wait_until(lambda log=log: b"Memseek is at" in log.read_bytes())  # type: ignore[misc]
        serving.kill()
        assert serving.wait() == -signal.SIGKILL
        wait_until(lambda: not processes_about(str(migrated_dir)))
        assert "Traceback" not in log.read_text()


def test_a_killed_web_process_is_started_again(migrated_dir: Path, port: int) -> None:
    log = migrated_dir.parent / "serve.log"
    serving = start(migrated_dir, "serve", "--port", str(port), log=log)
    wait_until(lambda: is_answering("127.0.0.1", port))
    for number, command in processes_about(str(migrated_dir)).items():
        if "uvicorn" in command:
            os.kill(number, signal.SIGKILL)
    wait_until(lambda: b"web    | ended, starting again" in log.read_bytes())
    wait_until(lambda: is_answering("127.0.0.1", port))
    serving.terminate()
    assert serving.wait(30) == 0


def test_a_taken_port_is_told_and_starts_nothing(data_dir: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        told = manage(data_dir, "serve", "--port", str(listener.getsockname()[1]))
    assert (told.returncode, "is taken; choose another one with --port" in told.stderr) == (1, True)


def test_the_doctor_finds_a_database_that_is_not_migrated(data_dir: Path) -> None:
    code, findings = doctor(data_dir)
    assert code == 1
    assert [level for level, _ in findings_about("database", findings)] == ["fine"]
    assert [level for level, _ in findings_about("migrations", findings)] == ["broken"]


def test_the_doctor_of_a_migrated_installation_is_content(data_dir: Path) -> None:
    manage(data_dir, "migrate", "--verbosity", "0")
    code, findings = doctor(data_dir, GROQ_API_KEY="gsk-secret")
    assert code == 0
    assert findings_about("keys", findings) == [("note", "GROQ_API_KEY is set, but no setting uses it")]
    assert findings_about("waiting", findings) == [("fine", "nothing waits")]
    assert "gsk-secret" not in json.dumps(findings)


def test_the_doctor_tells_of_wrong_settings_and_starts_nothing(data_dir: Path) -> None:
    code, findings = doctor(data_dir, MEMSEEK_RUN_CALLS="many")
    assert code == 1
    assert findings_about("settings", findings)[0][0] == "broken"
    assert not data_dir.joinpath("servers").exists()


def test_the_doctor_finds_servers_that_do_not_answer(data_dir: Path) -> None:
    code, findings = doctor(
        data_dir, DATABASE_URL="postgresql://u:secret@127.0.0.1:9/none", REDIS_URL="redis://127.0.0.1:9/0"
    )
    assert code == 1
    assert [level for level, _ in findings_about("broker", findings)] == ["broken"]
    assert findings_about("database", findings) == [
        ("broken", "127.0.0.1:9/none does not answer (OperationalError)")
    ]


def test_the_doctor_misses_the_key_of_a_configured_model(data_dir: Path) -> None:
    _, findings = doctor(data_dir, MEMSEEK_MODEL_STRONG="large")
    assert findings_about("model", findings) == [
        ("broken", "large is to answer, but OPENAI_API_KEY holds no key")
    ]
