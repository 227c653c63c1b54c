"""Data folders whose processes and files are all gone when a test is over."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data_folders import empty_folder, migrated_folder


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A folder in which nothing was started yet."""
    with empty_folder() as folder:
        yield folder


@pytest.fixture
def migrated_dir() -> Iterator[Path]:
    """A folder with a database that has its tables."""
    with migrated_folder() as folder:
        yield folder
