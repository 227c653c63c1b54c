"""Running the project's own commands as real processes, each with a data folder of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND_TIMEOUT_SECONDS = 90
OWN_PREFIXES = ("MEMSEEK_", "DATABASE_", "REDIS_", "DJANGO_")
OWN_NAMES = {
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "API_CORS_ORIGINS",
    "LLM_FAKE",
    "CSRF_TRUSTED_ORIGINS",
    "AGENT_MEMORY_RUN_ID",
}


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    """The caller's environment without anything that Memseek reads, and then what the test gives."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OWN_PREFIXES) and name not in OWN_NAMES and not name.endswith("_API_KEY")
    }
    return {**plain, "MEMSEEK_DATA_DIR": str(data_dir), "MEMSEEK_ENV_FILE": "none in tests", **more}


def manage(data_dir: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """One `manage.py` command, run to its end."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(data_dir, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_SECONDS,
    )


def start(data_dir: Path, *arguments: str, log: Path, **more: str) -> subprocess.Popen[bytes]:
    """A `manage.py` command that goes on; its output goes to a file."""
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment(data_dir, **more),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )


def wait_until(is_so: Callable[[], bool], *, seconds: float = 40.0) -> None:
    """Wait for something that has to come; fails when it does not."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def processes_about(word: str) -> dict[int, str]:
    """Living processes whose command line or environment names a folder, by number."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        number = int(folder.name)
        try:
            command = folder.joinpath("cmdline").read_bytes()
            variables = folder.joinpath("environ").read_bytes()
            state = folder.joinpath("stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
        if number != os.getpid() and state != "Z" and word.encode() in command + variables:
            found[number] = command.replace(b"\0", b" ").decode(errors="replace")
    return found


def kill(processes: Mapping[int, str]) -> None:
    """SIGKILL to exactly these; some may have ended meanwhile."""
    for number in processes:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
