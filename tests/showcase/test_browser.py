"""The pages in a real browser."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, sync_playwright
from pytest_django.live_server_helper import LiveServer

from memory.models import Entity

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PAGES = ["/", "/showcase/agent-memory/", "/admin/login/"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
]


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Playwright's loop runs in this thread, and Django takes that for asynchronous code.
        monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_stay_here_and_fit_a_small_screen(
    scheme: str, has_script: bool, live_server: LiveServer, alice: Entity, browser: Browser
) -> None:
    context = browser.new_context(
        viewport={"width": 360, "height": 740},
        color_scheme=scheme,
        java_script_enabled=has_script,
    )
    page = context.new_page()
    complaints: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.on(
        "response",
        lambda response: complaints.append(response.url) if response.status >= 400 else None,
    )
    widths = {}
    for address in PAGES:
        page.goto(live_server.url + address)
        box = page.locator("body").bounding_box()
        assert box is not None
        widths[address] = (
            page.evaluate("document.documentElement.scrollWidth") if has_script else box["width"]
        )
    assert (complaints, hosts) == ([], {urlsplit(live_server.url).netloc})
    assert all(width <= 360 for width in widths.values()), widths


@pytest.mark.django_db(transaction=True)
def test_a_receipt_is_followed_down_to_the_words(
    live_server: LiveServer, alice: Entity, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(f"{live_server.url}/showcase/agent-memory/")
    for kind in ("line", "atom", "message"):
        start = page.locator(":target") if kind != "line" else page.locator("#persona")
        start.locator(f"a.chip-{kind}").first.click()
        assert page.evaluate("location.hash").startswith(f"#{kind}-")
    assert "Billing 0" in page.locator(":target .text").inner_text()
