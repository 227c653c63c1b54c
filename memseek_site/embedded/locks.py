"""File locks: the kernel drops them with their process, however it dies."""

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

POLL_SECONDS = 0.05


class FileLock:
    """An advisory lock on one file, shared or exclusive; released by `release` or the end of the process."""

    def __init__(self, path: Path, *, is_exclusive: bool) -> None:
        self.path = path
        self._kind = fcntl.LOCK_EX if is_exclusive else fcntl.LOCK_SH
        self._descriptor: int | None = None

    def try_acquire(self) -> bool:
        """Take the lock if it is free; never waits."""
        if self._descriptor is not None:
            return True
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, self._kind | fcntl.LOCK_NB)
        except OSError as problem:
            os.close(descriptor)
            if problem.errno in {errno.EAGAIN, errno.EACCES}:
                return False
            raise
        self._descriptor = descriptor
        return True

    def acquire(self, *, timeout_seconds: float) -> bool:
        """Take the lock, waiting for at most so long; false when it stayed taken."""
        deadline = time.monotonic() + timeout_seconds
        while not self.try_acquire():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._descriptor is not None:
            with suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_held_exclusively(path: Path) -> bool:
    """Whether some process holds the file's exclusive lock at this moment."""
    if not path.exists():
        return False
    with FileLock(path, is_exclusive=False) as probe:
        return not probe.try_acquire()
