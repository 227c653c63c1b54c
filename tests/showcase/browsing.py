"""Pages in a real browser, and what every one of them must keep to."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PHONE, WIDE = 360, 1600
HEIGHT = 900

in_a_browser = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
    pytest.mark.django_db(transaction=True),
]
"""`pytestmark = in_a_browser` for a module whose tests look at pages in a browser."""


@dataclass
class Visit:
    """A page of a browser of its own, with whatever went wrong in it and every host it asked."""

    page: Page
    origin: str
    width: int
    has_script: bool
    complaints: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def goto(self, path: str) -> Page:
        """Open a path of the site; the page is loaded when this returns."""
        self.page.goto(self.origin + path)
        return self.page

    def faults(self, *, is_axe_asked: bool = True) -> list[str]:
        """What is wrong so far: errors, other hosts, more than the screen is wide, what axe calls serious."""
        found = [f"complaint: {said}" for said in self.complaints]
        found += [f"another host: {host}" for host in sorted(self.hosts - {urlsplit(self.origin).netloc})]
        if not self.has_script:
            return found
        width = self.page.evaluate("document.documentElement.scrollWidth")
        found += [f"{width} pixels wide, on a screen of {self.width}"] if width > self.width else []
        return found + [f"{rule}: {html}" for rule, html in (barriers(self.page) if is_axe_asked else [])]


def visit(
    browser: Browser, origin: str, *, width: int = WIDE, has_script: bool = True, **options: Any
) -> Visit:
    """A new browser context; options are those of Playwright: `color_scheme`, `storage_state`, …"""
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT}, java_script_enabled=has_script, **options
    )
    found = Visit(context.new_page(), origin, width, has_script)
    found.page.on("console", lambda message: found.complaints.append(message.text))
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.on("request", lambda request: found.hosts.add(urlsplit(request.url).netloc))
    found.page.on("response", lambda response: _note(found, response))
    return found


def _note(found: Visit, response: Any) -> None:
    if response.status >= 400:
        found.complaints.append(f"{response.status} {response.url}")


def barriers(page: Page) -> list[tuple[str, str]]:
    """What axe calls serious or critical: the rule, and the first element that breaks it."""
    violations = Axe().run(page).response["violations"]
    return [
        (violation["id"], violation["nodes"][0]["html"])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
    ]
