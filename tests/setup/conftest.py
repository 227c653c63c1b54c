"""Data folders whose processes and files are all gone when a test is over."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memseek_site.embedded.layout import layout_of
from tests.setup.commands import kill, processes_about


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A folder for embedded servers, in one that anybody may enter (pytest's own are closed to `nobody`)."""
    parent = Path(tempfile.mkdtemp(prefix="memseek-test-"))
    parent.chmod(0o711)
    yield parent / "memseek"
    kill(processes_about(str(parent)))
    shutil.rmtree(layout_of(parent / "memseek").home, ignore_errors=True)
    shutil.rmtree(parent, ignore_errors=True)
