"""A page of another origin connects to the API, as a connector in a browser does."""

import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from memory.ingest.workspaces import create_key
from memory.models import Entity
from tests.factories import make_message

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CONNECT = """
async ([address, token]) => {
  try {
    const health = await fetch(`${address}/health`);
    const timeline = await fetch(`${address}/timeline?entity=agent.alice&status=all&limit=100`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const page = await timeline.json();
    return [(await health.json()).status, timeline.status, page.records.map((record) => record.text)];
  } catch (error) {
    return error.name;
  }
}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="needs Chromium (Debian: apt install chromium)"),
]


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def page_port(tmp_path: Path) -> Iterator[int]:
    """A server of static files, on a port of its own; it answers as localhost and as 127.0.0.1."""
    (tmp_path / "index.html").write_text("<!doctype html><link rel=icon href=data:,><title>Connector</title>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(tmp_path))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def connect(page: Page, origin: str, address: str, token: str) -> Any:
    page.goto(f"{origin}/index.html")
    return page.evaluate(CONNECT, [address, token])


@pytest.mark.django_db(transaction=True)
def test_a_page_of_the_configured_origin_connects_and_no_other(
    alice: Entity, live_server: Any, page_port: int, settings: Any
) -> None:
    allowed, other = f"http://127.0.0.1:{page_port}", f"http://localhost:{page_port}"
    settings.CORS_ALLOWED_ORIGINS = [allowed]
    make_message(alice, "Grüße 🎉")
    token = create_key(workspace=alice.workspace, label="connector").token
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_page()
        outcomes = [connect(page, origin, live_server.url, token) for origin in (allowed, other)]
        browser.close()
    assert outcomes == [["ok", 200, ["Grüße 🎉"]], "TypeError"]
