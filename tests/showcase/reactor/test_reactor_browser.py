"""The reactor in a real browser: every control, by pointer, by keyboard, by itself and without script."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from memory.models import Entity
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser
from tests.showcase.reactor.telling import REACTOR

LOOKED_AT = ("start", "1-l0", "1-l2", "2-l1", "2-l3")
STAGE_MS = 4_000

pytestmark = in_a_browser


def expect_stage(page: Page, slug: str) -> None:
    expect(page).to_have_url(re.compile(f"{REACTOR}{slug}/$"))
    wanted = "Start" if slug == "start" else re.compile(f"^{slug[2:4].upper()}")
    expect(page.locator(".jump[aria-current=step]")).to_have_text(wanted)


def focused(page: Page) -> str:
    told = page.evaluate("document.activeElement.dataset.go ?? document.activeElement.id")
    return str(told)


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_stages_are_quiet_fit_and_have_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], toured: Entity
) -> None:
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    for slug in LOOKED_AT:
        page = window.goto(f"{REACTOR}{slug}/")
        for details in page.locator("details").all():
            details.click()
        assert window.faults() == []


def test_every_control_steps_without_loading_the_page_anew(
    visit: Callable[..., Visit], toured: Entity
) -> None:
    window = visit()
    page = window.goto(REACTOR)
    page.evaluate("window.isStillHere = true")
    for control, slug in (
        ("Next", "1-l0"),
        ("Next", "1-l1"),
        ("Back", "1-l0"),
        ("Last", "2-l3"),
        ("Back", "2-l2"),
        ("First", "start"),
    ):
        page.get_by_role("link", name=control, exact=True).click()
        expect_stage(page, slug)
    page.locator(".jump", has_text="L2").last.click()
    expect_stage(page, "2-l2")
    expect(page.locator("[data-reactor-status]")).to_have_text("L2 1 scene updated")
    expect(page).to_have_title("1 scene updated · Reactor · Memseek")
    page.go_back()
    expect(page.locator("#stage-title")).to_have_text("Before anything is said")
    assert page.evaluate("window.isStillHere")
    assert window.faults() == []


def test_the_arrow_keys_step_and_the_focus_is_kept(visit: Callable[..., Visit], toured: Entity) -> None:
    page = visit().goto(f"{REACTOR}2-l1/")
    page.keyboard.press("ArrowRight")
    expect_stage(page, "2-l2")
    page.keyboard.press("ArrowLeft")
    expect_stage(page, "2-l1")
    page.keyboard.press("Alt+Shift+ArrowRight")
    expect_stage(page, "2-l1")
    page.locator("[data-go=next]").focus()
    page.keyboard.press("Enter")
    expect_stage(page, "2-l2")
    assert focused(page) == "next"
    page.keyboard.press("Enter")
    expect_stage(page, "2-l3")
    assert focused(page) == "stage-title"
    page.keyboard.press("ArrowRight")
    expect_stage(page, "2-l3")
    page.locator(".jump").first.focus()
    page.keyboard.press("Enter")
    expect_stage(page, "start")
    assert focused(page) == "stage-title"


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_plays_to_the_end_and_pauses_when_told(
    motion: str, visit: Callable[..., Visit], toured: Entity
) -> None:
    window = visit(reduced_motion=motion)
    window.page.clock.install()
    page = window.goto(f"{REACTOR}2-l0/")
    animated = page.locator(".is-new").first.evaluate("element => getComputedStyle(element).animationName")
    assert animated == ("none" if motion == "reduce" else "arrive")
    button = page.locator("[data-play]")
    button.click()
    page.clock.run_for(10)
    expect_stage(page, "2-l1")
    expect(button).to_have_text("Pause")
    button.click()
    page.clock.run_for(2 * STAGE_MS)
    expect(button).to_have_text("Play")
    expect_stage(page, "2-l1")
    button.click()
    for slug in ("2-l2", "2-l3"):
        page.clock.run_for(STAGE_MS)
        expect_stage(page, slug)
    expect(button).to_have_text("Play")
    button.click()
    page.clock.run_for(10)
    expect_stage(page, "start")
    page.keyboard.press("ArrowRight")
    expect_stage(page, "1-l0")
    expect(button).to_have_text("Play")
    assert window.faults(is_axe_asked=False) == []


def test_without_script_the_controls_are_links(visit: Callable[..., Visit], toured: Entity) -> None:
    window = visit(width=PHONE, has_script=False)
    page = window.goto(REACTOR)
    expect(page.locator("[data-play]")).to_be_hidden()
    expect(page.locator("[data-reactor-hint]")).to_be_hidden()
    for control, slug in (("Next", "1-l0"), ("Last", "2-l3"), ("Back", "2-l2"), ("First", "start")):
        page.get_by_role("link", name=control, exact=True).click()
        expect_stage(page, slug)
    page.locator(".jump", has_text="L1").first.click()
    expect_stage(page, "1-l1")
    assert window.faults() == []


def test_a_decision_leads_to_its_record(visit: Callable[..., Visit], toured: Entity) -> None:
    window = visit()
    page = window.goto(f"{REACTOR}2-l1/")
    page.locator(".decision .card.l1 a.id").first.click()
    expect(page).to_have_url(re.compile("/showcase/agent-memory/atoms/"))
    assert window.faults() == []


def test_a_place_on_a_stage_is_reached_without_asking_for_the_stage_again(
    visit: Callable[..., Visit], toured: Entity
) -> None:
    window = visit()
    page = window.goto(f"{REACTOR}2-l1/")
    asked: list[str] = []
    page.on("request", lambda request: REACTOR in request.url and asked.append(request.url))
    page.get_by_role("link", name="Memory at this moment").click()
    expect(page).to_have_url(re.compile("2-l1/#stood$"))
    expect(page.locator("#stood")).to_be_in_viewport()
    page.go_back()
    expect(page).to_have_url(re.compile("2-l1/$"))
    assert asked == []
    page.locator("[data-go=next]").click()
    expect_stage(page, "2-l2")
    page.go_back()
    expect(page.locator("#stage-title")).to_contain_text("skipped")
    assert window.faults(is_axe_asked=False) == []
