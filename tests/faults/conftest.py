"""A broker of the test's own, and a whole site for the tests of a module."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from tests.faults.moods import well
from tests.faults.processes import sending_to, tcp_broker
from tests.faults.site import Site
from tests.stub_provider import StubProvider

KEY = "sk-for-the-stub"


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A broker on TCP to which this process sends its wake-ups."""
    with tcp_broker(tmp_path) as address, sending_to(address, monkeypatch):
        yield address


@pytest.fixture(scope="module")
def provider() -> Iterator[StubProvider]:
    """A model over HTTP that answers at once."""
    with StubProvider(respond=well) as stub:
        yield stub


@pytest.fixture(scope="module")
def site(django_db_setup: None, django_db_blocker: Any, provider: StubProvider) -> Iterator[Site]:
    """Web, worker and broker on this test's database; its rows are gone when the module is over."""
    if not settings.IS_DATABASE_EMBEDDED:
        pytest.skip("a server of one's own is not killed for a test")
    variables = {
        "MEMSEEK_MODEL_STRONG": "stub",
        "MEMSEEK_MODEL_BASE_URL": provider.base_url,
        "MEMSEEK_MODEL_TIMEOUT_SECONDS": "1",
        "OPENAI_API_KEY": KEY,
        "MEMSEEK_EMBEDDING_PROVIDER": "none",
    }
    with tempfile.TemporaryDirectory(prefix="memseek-site-") as folder, django_db_blocker.unblock():
        try:
            with Site(Path(folder), variables) as opened:
                yield opened
        finally:
            connection.close()
            call_command("flush", verbosity=0, interactive=False, reset_sequences=False)
