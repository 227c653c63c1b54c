"""The embedded servers under real processes: several users, crashes, and no trace afterwards."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from memseek_site.embedded import broker, postgres
from memseek_site.embedded.errors import EmbeddedError
from memseek_site.embedded.layout import MAXIMUM_SOCKET_PATH_BYTES, SYSTEM_STATE_FOLDER, Layout, layout_of
from memseek_site.embedded.locks import FileLock, is_held_exclusively
from memseek_site.embedded.state import read_state
from memseek_site.embedded.users import EmbeddedUse, ensure_embedded
from tests.setup.commands import ROOT, environment, kill, processes_about, wait_until

pytestmark = pytest.mark.slow

USER_PROGRAM = """
import sys, time
from pathlib import Path
from memseek_site.embedded.users import ensure_embedded
ensure_embedded(Path(sys.argv[1]), is_durable=False)
print("using", flush=True)
sys.stdin.read()
"""


def another_user(data_dir: Path) -> subprocess.Popen[str]:
    """A second process that uses the servers until its standard input is closed."""
    user = subprocess.Popen(
        [sys.executable, "-c", USER_PROGRAM, str(data_dir)],
        cwd=ROOT,
        env=environment(data_dir),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert user.stdout is not None
    assert user.stdout.readline() == "using\n"
    return user


def keeper_of(layout: Layout) -> int:
    state = read_state(layout)
    assert state is not None
    return state.pid


def count(layout: Layout, statement: str) -> int:
    with postgres.connect(layout, postgres.DATABASE) as connection:
        row = connection.execute(statement).fetchone()
        assert row is not None
        return int(row[0])


def test_both_servers_answer_and_the_application_owns_nothing(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    with psycopg.connect(
        host=str(use.layout.sockets), user=postgres.APPLICATION_ROLE, dbname=postgres.DATABASE
    ) as connection:
        role = connection.execute(
            "SELECT rolname, rolsuper, rolbypassrls, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        extension = connection.execute(
            "SELECT count(*) FROM pg_extension WHERE extname = 'vector'"
        ).fetchone()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TABLE mine (id int)")
    assert role == (postgres.APPLICATION_ROLE, False, False, False)
    assert extension == (1,)
    assert broker.is_answering(use.layout)
    use.release_and_wait()
    assert processes_about(str(data_dir)) == {}


def test_the_log_repeats_no_row_that_a_constraint_refuses(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    with postgres.connect(use.layout, postgres.DATABASE) as connection:
        connection.execute("CREATE TEMP TABLE said (word text CHECK (word = ''))")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("INSERT INTO said VALUES (%s)", ["kwokkalotl"])
    use.release_and_wait()
    log = (use.layout.logs / "postgres.log").read_text()
    assert "violates check constraint" in log
    assert "kwokkalotl" not in log


def test_the_last_of_two_users_stops_the_servers(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    other = another_user(data_dir)
    keeper = keeper_of(use.layout)
    use.release_and_wait()
    assert keeper_of(use.layout) == keeper
    assert broker.is_answering(use.layout)
    other.communicate("")
    wait_until(lambda: not processes_about(str(data_dir)))
    wait_until(lambda: not is_held_exclusively(use.layout.keeper_lock))
    assert not is_held_exclusively(use.layout.keeper_lock)


def test_a_user_who_comes_within_the_grace_period_finds_the_same_servers(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    keeper = keeper_of(use.layout)
    use.release()
    again = ensure_embedded(data_dir, is_durable=False)
    assert keeper_of(again.layout) == keeper
    again.release_and_wait()


@pytest.mark.skipif(sys.platform != "linux", reason="children die with a killed parent on Linux only")
def test_after_sigkill_of_the_keeper_the_servers_end_and_the_next_user_finds_every_row(
    data_dir: Path,
) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    with postgres.connect(use.layout, postgres.DATABASE) as connection:
        connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
    os.kill(keeper_of(use.layout), signal.SIGKILL)
    wait_until(lambda: not processes_about(str(data_dir)))
    use.release()
    again = ensure_embedded(data_dir, is_durable=False)
    assert count(again.layout, "SELECT count(*) FROM kept") == 1000
    again.release_and_wait()


def test_after_sigkill_of_everything_the_next_user_finds_every_row(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    with postgres.connect(use.layout, postgres.DATABASE) as connection:
        connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
    for number in processes_about(str(data_dir)):
        os.kill(number, signal.SIGKILL)
    # A killed process answers for a moment longer; the next user comes after it.
    wait_until(lambda: not processes_about(str(data_dir)))
    use.release()
    again = ensure_embedded(data_dir, is_durable=False)
    assert count(again.layout, "SELECT count(*) FROM kept") == 1000
    again.release_and_wait()


@pytest.mark.parametrize("program", ["postgres", "server"])
def test_a_crashed_server_is_started_again(data_dir: Path, program: str) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    before = {
        number: command
        for number, command in processes_about(str(data_dir)).items()
        if "keeper" not in command and program in command.split(" ")[0]
    }
    kill(before)
    wait_until(lambda: broker.is_answering(use.layout) and is_postgres_answering(use.layout))
    assert before.keys().isdisjoint(processes_about(str(data_dir)))
    use.release_and_wait()


def is_postgres_answering(layout: Layout) -> bool:
    try:
        with postgres.connect(layout):
            return True
    except psycopg.OperationalError:
        return False


def test_a_lock_file_that_names_a_foreign_process_does_not_stop_the_start(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    lock_file = use.layout.postgres_data / "postmaster.pid"
    words = lock_file.read_text().split("\n", 1)
    use.release_and_wait()
    lock_file.write_text(f"{os.getppid()}\n{words[1]}")
    again = ensure_embedded(data_dir, is_durable=False)
    assert count(again.layout, "SELECT 1") == 1
    again.release_and_wait()


def test_a_broker_that_cannot_read_its_file_starts_empty_and_keeps_the_old_one(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    use.release_and_wait()
    for part in use.layout.broker_data.rglob("*.aof"):
        part.write_bytes(b"no append-only file at all\r\n")
    again = ensure_embedded(data_dir, is_durable=False)
    assert broker.is_answering(again.layout)
    assert len(list(again.layout.home.glob("broker.unreadable-*"))) == 1
    again.release_and_wait()


def test_sockets_are_private_and_folders_above_keep_their_modes(data_dir: Path) -> None:
    above = data_dir.parent
    modes = {folder: folder.stat().st_mode for folder in (above, *above.parents)}
    use = ensure_embedded(data_dir, is_durable=False)
    assert stat.S_IMODE(use.layout.sockets.stat().st_mode) == 0o700
    assert {folder: folder.stat().st_mode for folder in modes} == modes
    use.release_and_wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's servers run as somebody else")
def test_a_folder_that_nobody_cannot_enter_keeps_its_mode_and_is_still_served(data_dir: Path) -> None:
    data_dir.parent.chmod(0o700)
    use = ensure_embedded(data_dir, is_durable=False)
    assert count(use.layout, "SELECT 1") == 1
    assert stat.S_IMODE(data_dir.parent.stat().st_mode) == 0o700
    assert use.layout.home.parent == SYSTEM_STATE_FOLDER
    use.release_and_wait()
    use.layout.sockets.rmdir()


def test_a_long_data_folder_gets_a_short_socket(data_dir: Path) -> None:
    long_dir = data_dir / ("long-name-" * 12)
    use = ensure_embedded(long_dir, is_durable=False)
    assert len(os.fsencode(use.layout.postgres_socket)) <= MAXIMUM_SOCKET_PATH_BYTES
    assert count(use.layout, "SELECT 1") == 1
    use.release_and_wait()
    use.layout.sockets.rmdir()


def test_a_user_waits_for_a_keeper_that_is_stopping(data_dir: Path) -> None:
    data_dir.mkdir(parents=True)
    stopping = FileLock(layout_of(data_dir).users_lock, is_exclusive=True)
    assert stopping.try_acquire()
    use = EmbeddedUse(layout_of(data_dir))
    assert not FileLock(use.layout.users_lock, is_exclusive=False).acquire(timeout_seconds=0.2)
    stopping.release()
    assert FileLock(use.layout.users_lock, is_exclusive=False).try_acquire()


def test_a_keeper_that_fails_is_an_error_with_its_reason(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    use.release_and_wait()
    (use.layout.postgres_data / "PG_VERSION").write_text("9\n")
    with pytest.raises(EmbeddedError, match="was made by PostgreSQL 9"):
        ensure_embedded(data_dir, is_durable=False)


def test_the_keeper_imports_no_django(data_dir: Path) -> None:
    program = "import sys, memseek_site.embedded.keeper; print('django' in sys.modules)"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == "False\n"


def test_a_second_keeper_gives_way(data_dir: Path) -> None:
    use = ensure_embedded(data_dir, is_durable=False)
    second = subprocess.run(
        [sys.executable, "-m", "memseek_site.embedded.keeper", str(data_dir)], cwd=ROOT, capture_output=True
    )
    assert second.returncode == 3
    use.release_and_wait()
