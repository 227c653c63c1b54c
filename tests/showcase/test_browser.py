"""The first pages in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from memory.models import Entity
from tests.factories import make_message
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser

PAGES = ["/", "/showcase/", "/showcase/agent-memory/"]

pytestmark = in_a_browser


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_stay_here_fit_and_have_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], alice: Entity
) -> None:
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    for address in PAGES:
        window.goto(address)
        assert window.faults() == []


@pytest.mark.parametrize("path", [*PAGES, "/admin/login/", "/nowhere-but-here/"])
def test_pages_are_whole_without_script(path: str, visit: Callable[..., Visit], alice: Entity) -> None:
    window = visit(width=PHONE, has_script=False)
    window.goto(path)
    box = window.page.locator("body").bounding_box()
    assert box is not None
    assert box["width"] <= PHONE
    assert [said for said in window.complaints if "404" not in said] == []


def test_a_receipt_is_followed_down_to_the_words(visit: Callable[..., Visit], alice: Entity) -> None:
    page = visit().goto("/showcase/agent-memory/")
    page.locator("#persona a.chip").first.click()
    for kind in ("line", "atom", "message"):
        assert page.evaluate("location.hash").startswith(f"#{kind}-")
        if kind != "message":
            page.locator(":target a.chip").first.click()
    assert "Billing 0" in page.locator(":target .text").inner_text()


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
def test_colours_are_chosen_and_remembered(
    has_script: bool, visit: Callable[..., Visit], alice: Entity
) -> None:
    window = visit(has_script=has_script, color_scheme="light")
    page = window.goto("/showcase/agent-memory/?from=here")
    for choice in ("Dark", "Light", "Auto"):
        page.get_by_role("button", name=choice, exact=True).click()
        expect(page).to_have_url(f"{window.origin}/showcase/agent-memory/?from=here")
        for _ in range(2):
            pressed = page.locator(".theme [aria-pressed=true]")
            expect(pressed).to_have_text(choice)
            wanted = {"Auto": "light dark"}.get(choice, choice.lower())
            expect(page.locator("meta[name=color-scheme]")).to_have_attribute("content", wanted)
            page.reload()
    assert window.faults(is_axe_asked=False) == []


def test_the_commands_are_copied(visit: Callable[..., Visit], alice: Entity) -> None:
    window = visit(permissions=["clipboard-read", "clipboard-write"])
    page = window.goto("/")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("[data-copy-status]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("make demo")


def test_the_bar_is_walked_by_keyboard(visit: Callable[..., Visit], alice: Entity) -> None:
    page = visit().goto("/")
    reached = []
    for _ in range(4):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.trim()"))
    assert reached[:3] == ["To the content", "Memseek", "Overview"]
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_hostile_words_are_seen_as_text(visit: Callable[..., Visit], alice: Entity) -> None:
    words = "<img src=x onerror=alert(1)> \u202etxt.exe\u202c </bdi></p><script>alert(2)</script>"
    make_message(alice, words, speaker="\u202eecilA", session="<b>third</b>")
    window = visit(width=PHONE)
    page = window.goto("/showcase/agent-memory/")
    card = page.locator("#words .card", has_text="txt.exe")
    expect(card.locator(".text")).to_have_text(
        "<img src=x onerror=alert(1)> U+202Etxt.exeU+202C </bdi></p><script>alert(2)</script>"
    )
    expect(card.locator(".card-title")).to_have_text("U+202EecilA")
    expect(page.locator(".session").last).to_have_text("<b>third</b>")
    assert window.faults() == []


def test_on_paper_there_is_the_memory_alone(visit: Callable[..., Visit], alice: Entity) -> None:
    page = visit(color_scheme="dark").goto("/showcase/agent-memory/")
    page.emulate_media(media="print")
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator("#persona")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(21, 28, 35)"
