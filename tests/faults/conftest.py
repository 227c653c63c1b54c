"""A broker of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.processes import sending_to, tcp_broker


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A broker on TCP to which this process sends its wake-ups."""
    with tcp_broker(tmp_path) as address, sending_to(address, monkeypatch):
        yield address
