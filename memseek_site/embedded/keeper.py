"""The keeper: one process per data folder that runs both servers while somebody uses them.

    python -m memseek_site.embedded.keeper DATA_DIR [--quick]

Users hold a shared lock on `users.lock`. The keeper ends when it could take that lock alone for the grace
period, or at once when a user left the request for it. It holds the lock while it stops, so that a user who
comes in between waits and then starts a new keeper. `--quick` trades durability for speed, for tests.
"""

import argparse
import os
import signal
import sys
import time
from pathlib import Path

from memseek_site.embedded import broker, postgres, programs
from memseek_site.embedded.children import ServerChild
from memseek_site.embedded.errors import EmbeddedError, MissingProgramError
from memseek_site.embedded.layout import Layout, layout_of, prepare_data_dir, prepare_home
from memseek_site.embedded.locks import FileLock
from memseek_site.embedded.privileges import server_user
from memseek_site.embedded.state import KeeperState, write_state

GRACE_SECONDS = 2.0
TICK_SECONDS = 0.1
LOCK_PATIENCE_SECONDS = 0.5
EXIT_ANOTHER_LIVES = 3


class Keeper:
    """Runs both servers, tells users when they answer, and knows when nobody is left."""

    def __init__(self, layout: Layout, *, is_durable: bool) -> None:
        self.layout = layout
        self.is_durable = is_durable
        self.user = server_user()
        self.users_lock = FileLock(layout.users_lock, is_exclusive=True)
        self.ready_lock = FileLock(layout.ready_lock, is_exclusive=True)
        self.is_stopping = False
        self.children: list[ServerChild] = []
        self.missing: dict[str, str] = {}
        self._unused_since: float | None = None
        self._ready_processes: tuple[int, ...] = ()

    def run(self) -> None:
        """Run until nobody uses the servers or a signal arrives."""
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, self._note_signal)
        self._prepare()
        try:
            while not self.is_stopping and not self._is_abandoned():
                self._tend()
                time.sleep(TICK_SECONDS)
        finally:
            self._stop()

    def _note_signal(self, *_: object) -> None:
        self.is_stopping = True

    def _prepare(self) -> None:
        prepare_home(self.layout, self.user)
        for name, make in (("postgres", self._postgres), ("broker", self._broker)):
            try:
                self.children.append(make())
            except MissingProgramError as problem:
                self.missing[name] = str(problem)
        write_state(self.layout, KeeperState(os.getpid(), self.missing))
        if not self.children:
            raise EmbeddedError("\n".join(self.missing.values()))

    def _postgres(self) -> ServerChild:
        folder = programs.postgres_programs(self.layout, self.user)
        postgres.initialise(self.layout, self.user, folder, is_durable=self.is_durable)
        postgres.clear_orphan(self.layout)
        return postgres.postgres_child(self.layout, self.user, folder, is_durable=self.is_durable)

    def _broker(self) -> ServerChild:
        program = programs.broker_program(self.layout, self.user)
        broker.clear_orphan(self.layout)
        return broker.broker_child(self.layout, self.user, program, is_durable=self.is_durable)

    def _tend(self) -> None:
        for child in self.children:
            if child.name == "broker" and child.process is None:
                broker.set_aside_unreadable_data(self.layout, self.user, child)
            child.tend()
        self._tell_readiness()

    def _tell_readiness(self) -> None:
        """Look at the servers only when a process has changed since they last answered."""
        processes = tuple(child.process.pid for child in self.children if child.process is not None)
        if processes == self._ready_processes:
            return
        self.ready_lock.release()
        self._ready_processes = ()
        # A user's probe may hold the lock for a moment: then the next look takes it.
        if len(processes) == len(self.children) and self._all_answer() and self.ready_lock.try_acquire():
            self._ready_processes = processes

    def _all_answer(self) -> bool:
        import psycopg

        if "broker" not in self.missing and not broker.is_answering(self.layout):
            return False
        try:
            if "postgres" not in self.missing:
                postgres.prepare_roles(self.layout)
        except psycopg.OperationalError:
            return False
        return True

    def _is_abandoned(self) -> bool:
        """True once nobody has held the users' lock for the grace period; then it is held from here on."""
        is_asked = self.layout.stop_request.exists()
        if not self.users_lock.try_acquire():
            self._unused_since = None
            self.layout.stop_request.unlink(missing_ok=True)
            return False
        now = time.monotonic()
        self._unused_since = self._unused_since or now
        if is_asked or now - self._unused_since >= GRACE_SECONDS:
            return True
        self.users_lock.release()
        return False

    def _stop(self) -> None:
        self.ready_lock.release()
        for child in self.children:
            child.ask_to_stop()
        for child in self.children:
            child.wait_for_end()
        self.layout.keeper_state.unlink(missing_ok=True)
        self.layout.stop_request.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    """Keep the servers of one data folder; 3 when another keeper lives there."""
    parser = argparse.ArgumentParser(prog="memseek_site.embedded.keeper")
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("--quick", action="store_true", help="trade durability for speed (tests)")
    options = parser.parse_args(arguments)
    layout = layout_of(options.data_dir)
    prepare_data_dir(layout)
    # Never released: it ends with this process, so that whoever sees it free sees nobody left.
    lock = FileLock(layout.keeper_lock, is_exclusive=True)
    # Users probe this lock for a moment, so one refusal is not an answer.
    if not lock.acquire(timeout_seconds=LOCK_PATIENCE_SECONDS):
        return EXIT_ANOTHER_LIVES
    layout.keeper_state.unlink(missing_ok=True)
    try:
        Keeper(layout, is_durable=not options.quick).run()
    except EmbeddedError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # At once: tearing an interpreter down takes longer than the servers took to stop.
    os._exit(code)
