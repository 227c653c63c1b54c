"""The document as a page."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.test import Client
from playwright.sync_api import Browser, sync_playwright
from pytest_django.live_server_helper import LiveServer

from memory.api.operations.document import openapi_document
from memory.api.operations.listing import listed_groups

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def test_the_page_lists_every_operation_without_a_script(db: None) -> None:
    page = Client().get("/api/docs/").content.decode()
    listed = [operation for group in listed_groups(openapi_document()) for operation in group.operations]
    assert len(listed) == sum(len(operations) for operations in openapi_document()["paths"].values())
    assert [one for one in listed if f"<code>{one.method} {one.path}</code>" not in page] == []


def test_the_slash_at_the_end_may_be_left_out(db: None) -> None:
    reply = Client().get("/api/docs")
    assert (reply.status_code, reply["Location"]) == (302, "/api/docs/")


def test_other_methods_are_refused(db: None) -> None:
    assert Client().post("/api/docs/").status_code == 405


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Playwright's loop runs in this thread, and Django takes that for asynchronous code.
        monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_draws_the_document_and_stays_here(
    scheme: str, live_server: LiveServer, browser: Browser
) -> None:
    page = browser.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 900}).new_page()  # type: ignore[arg-type]
    complaints: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.goto(f"{live_server.url}/api/docs/#/Claims/getClaims")
    page.locator("#operations-Claims-getClaims .responses-wrapper").wait_for()
    page.locator(".swagger-ui .info").wait_for()
    operations = page.locator(".opblock").count()
    assert (complaints, hosts) == ([], {urlsplit(live_server.url).netloc})
    assert operations == sum(len(found) for found in openapi_document()["paths"].values())
    assert page.locator(".api-group").count() == 0
    assert page.locator(".btn.authorize, .try-out").count() == 0
