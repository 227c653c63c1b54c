"""Data folders for servers of a test's own, whose processes and files are all gone when it is over."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from memseek_site.embedded.layout import layout_of
from tests.setup.commands import kill, manage, processes_about, wait_until


@contextmanager
def empty_folder() -> Iterator[Path]:
    """A data folder that is not there yet, in one that `nobody` may enter: pytest's own are closed to it."""
    parent = Path(tempfile.mkdtemp(prefix="memseek-test-"))
    parent.chmod(0o711)
    data_dir = parent / "memseek"
    try:
        yield data_dir
    finally:
        kill(processes_about(str(parent)))
        shutil.rmtree(layout_of(data_dir).home, ignore_errors=True)
        shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def migrated_folder() -> Iterator[Path]:
    """A data folder whose database was made before: for tests of what comes after the first start."""
    with empty_folder() as data_dir:
        data_dir.mkdir(mode=0o711)
        subprocess.run(["cp", "-a", str(_pattern() / "servers"), str(data_dir)], check=True)
        yield data_dir


@cache
def _pattern() -> Path:
    """Made once by each process, and gone with it."""
    stack = ExitStack()
    atexit.register(stack.close)
    data_dir = stack.enter_context(empty_folder())
    made = manage(data_dir, "migrate")
    assert made.returncode == 0, made.stderr
    wait_until(lambda: processes_about(str(data_dir)) == {})
    return data_dir
