"""The sandbox in a real browser: words go in, layers arrive, and they leave as they came."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from memory.cascade.engine import settle_entity
from memory.ingest.sandbox import say
from memory.models import Entity, Process
from showcase.sandbox.reading import EXAMPLES
from tests.faults.processes import end_orderly, sending_to, start_worker, tcp_broker, worker_environment
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser

PAGE = "/showcase/agent-memory/try/"
EVIL = "My name is <b>Eve</b><script>document.title='owned'</script> and \u202eold\u202c is my code."
MADE_MS = 30_000

pytestmark = in_a_browser


@pytest.fixture(autouse=True)
def here(db: None, settings: Any) -> None:
    """A worker gave a sign of life, and nobody counts how often one address comes."""
    sandbox = replace(settings.MEMSEEK.sandbox, new_an_hour=0, said_a_minute=0)
    settings.MEMSEEK = replace(settings.MEMSEEK, sandbox=sandbox)
    Process.objects.create(kind="worker", name="here:1", configuration_hash="0")


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A real worker, as a process of its own on this test's database."""
    folder = Path(tempfile.mkdtemp(prefix="memseek-test-"))
    folder.chmod(0o711)
    log = folder / "worker.log"
    with tcp_broker(folder) as broker, sending_to(broker, monkeypatch):
        process = start_worker(worker_environment(folder, broker), log=log)
        try:
            yield
        finally:
            assert end_orderly(process) == 0, log.read_text(errors="replace")
            shutil.rmtree(folder, ignore_errors=True)


def tell(page: Page, text: str) -> None:
    page.get_by_label("Say something worth remembering").fill(text)
    page.get_by_role("button", name="Remember this").click()
    page.wait_for_load_state()


def test_words_climb_to_the_persona_before_the_visitors_eyes(
    visit: Callable[..., Visit], worker: None
) -> None:
    window = visit()
    page = window.goto(PAGE)
    for example in EXAMPLES:
        page.get_by_role("button", name=example).click()
        expect(page.locator("#words article", has_text=example)).to_be_visible()
    for layer in ("atoms", "scenes", "persona"):
        expect(page.locator(f"#{layer} article").first).to_be_visible(timeout=MADE_MS)
    expect(page.locator("[data-live-said]")).to_contain_text("Up to date: 3 messages", timeout=MADE_MS)
    assert window.faults() == []
    page.locator("#atoms a.id").first.click()
    expect(page.locator("main")).to_contain_text("Harbour")
    page.go_back()
    page.get_by_label("What is your agent about to do?").fill("Ship the portal on Friday?")
    page.get_by_role("button", name="See what it is told").click()
    expect(page.locator("main")).to_contain_text("unless Priya has signed off in writing")
    page.goto(window.origin + PAGE)
    page.get_by_role("button", name="Throw it away now").click()
    expect(page.locator("main")).to_contain_text("Erased: your words")
    assert not Entity.objects.exists()


def test_what_happens_meanwhile_arrives_and_leaves_the_draft_alone(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.goto(PAGE)
    tell(page, "I live in Oslo.")
    box = page.get_by_label("Say something worth remembering")
    box.fill("Half a sen")
    entity = Entity.objects.get()
    say(entity=entity, text="Never ship on a Friday.")
    settle_entity(entity)
    expect(page.locator("#atoms article.fresh", has_text="Friday")).to_be_visible(timeout=MADE_MS)
    expect(box).to_have_value("Half a sen")
    expect(page.get_by_role("link", name="Look again")).to_be_hidden()
    assert window.faults() == []


def test_when_its_time_is_over_the_page_says_how_to_begin(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.goto(PAGE)
    tell(page, "I live in Oslo.")
    Entity.objects.update(created_at="2026-01-01T00:00:00Z")
    expect(page.get_by_role("heading", name="What happens to your words")).to_be_visible(timeout=MADE_MS)
    # What the page looks up is gone: that is how it notices.
    window.complaints = [told for told in window.complaints if "404" not in told]
    assert window.faults() == []


def test_without_script_it_is_whole(visit: Callable[..., Visit]) -> None:
    window = visit(width=PHONE, has_script=False)
    page = window.goto(PAGE)
    tell(page, "Never ship the Harbour portal on a Friday.")
    expect(page.locator("#progress")).to_contain_text("1 waiting to become claims")
    page.get_by_role("button", name="That was all: make it now").click()
    settle_entity(Entity.objects.get())
    page.get_by_role("link", name="Look again").click()
    expect(page.locator("#atoms article")).to_contain_text("Friday")
    page.get_by_role("button", name="Throw it away now").click()
    expect(page.locator("main")).to_contain_text("Erased: your words")
    assert window.faults() == []


def test_script_markup_and_direction_are_text(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.goto(PAGE)
    tell(page, EVIL)
    settle_entity(Entity.objects.get())
    expect(page.locator("#atoms article").first).to_be_visible(timeout=MADE_MS)
    expect(page.locator("#words .text")).to_contain_text("<script>document.title='owned'</script>")
    assert page.title() == "Try it yourself · Memseek"
    assert page.locator("main script, main b:text('Eve')").count() == 0
    assert "\u202e" not in page.content()
    assert window.faults() == []


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_stay_here_fit_and_have_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], client: Client
) -> None:
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    page = window.goto(PAGE)
    assert window.faults() == []
    tell(page, EXAMPLES[1])
    assert window.faults() == []
    page.get_by_label("Say something worth remembering").evaluate("box => box.removeAttribute('required')")
    page.get_by_role("button", name="Remember this").click()
    expect(page.locator(".errorlist")).to_contain_text("This field is required.")
    window.complaints = [told for told in window.complaints if "400" not in told]
    assert window.faults() == []


def test_it_is_walked_by_keyboard(visit: Callable[..., Visit]) -> None:
    window = visit()
    page = window.goto(PAGE)
    page.get_by_label("Say something worth remembering").focus()
    page.keyboard.type("Never ship on a Friday.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#words article")).to_contain_text("Never ship on a Friday.")
    assert window.faults() == []


def test_what_is_too_long_is_counted_and_not_cut(visit: Callable[..., Visit]) -> None:
    window = visit(width=PHONE)
    page = window.goto(PAGE)
    field, said = page.get_by_label("Say something"), page.locator("[data-count-said]")
    most = int(field.get_attribute("data-most") or "0")
    field.fill("x" * (most + 1_200))
    assert len(field.input_value()) == most + 1_200
    expect(said).to_have_text(f"{most + 1_200:,} of up to {most:,} characters. 1,200 characters too many.")
    page.get_by_role("button", name="Remember this").click()
    expect(page).to_have_url(f"{window.origin}{PAGE}")
    assert field.evaluate("field => field.validationMessage") == "1,200 characters too many."
    field.fill("I lead 🛠.")
    expect(said).to_have_text(f"9 of up to {most:,} characters. ")
    assert field.evaluate("field => field.validity.valid")
    assert window.faults() == []
