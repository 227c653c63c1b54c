"""The composer in a real browser."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from playwright.sync_api import expect

from memory.models import Entity
from tests.factories import make_message
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser

PAGE = "/showcase/agent-memory/composer/"

pytestmark = in_a_browser


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_quiet_stays_here_fits_and_has_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], alice: Entity
) -> None:
    make_message(alice, "</code><img src=x onerror=alert(1)> Billing \u202e0", speaker="<b>Mallory</b>")
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    page = window.goto(PAGE)
    for details in page.locator("details").all():
        details.evaluate("element => { element.open = true }")
    assert window.faults() == []


def test_its_controls_stand_in_an_address_that_gives_the_same_text(
    visit: Callable[..., Visit], alice: Entity
) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"]).goto(PAGE)
    page.get_by_label("What is about to be done").fill("Move Billing 0 to Fastify")
    page.locator("summary", has_text="Layers, floor").click()
    page.get_by_label("Rules from priority").fill("75")
    page.get_by_label("Messages", exact=True).uncheck()
    page.get_by_label("Memory", exact=False).first.fill("600")
    page.get_by_label("Search by words alone").check()
    page.get_by_label("With what scenes used to say").check()
    page.get_by_role("button", name="Compose").click()
    page.wait_for_load_state()
    for piece in ("rules_floor=75", "words_only=on", "evolution=on", "memory=600", "layers=atoms"):
        assert piece in page.url
    shown = page.locator("[data-copy-text]").last
    text = shown.evaluate("element => element.textContent")
    assert "Move Billing 0 to Fastify" in text
    expect(page.locator(".beside .facts")).to_contain_text(sha256(text.encode()).hexdigest())
    page.get_by_role("button", name="Copy the exact text").click()
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.goto(page.url)
    assert shown.evaluate("element => element.textContent") == text
    expect(page.get_by_label("Messages", exact=True)).not_to_be_checked()


def test_without_script_the_form_is_sent_and_all_is_there(visit: Callable[..., Visit], alice: Entity) -> None:
    window = visit(width=PHONE, has_script=False)
    page = window.goto(PAGE)
    page.get_by_label("What is about to be done").fill("Deploy Billing 0")
    page.get_by_role("button", name="Compose").click()
    expect(page.locator("#block-rules")).to_contain_text("Never deploy Billing 0")
    page.locator(".left-out summary").first.click()
    expect(page.locator(".left-out li").first).to_be_visible()
    page.get_by_role("link", name="The tour's risky request").click()
    expect(page.locator("#block-request")).to_be_visible()
    assert window.complaints == []
