"""Pages of records in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from memory.models import Entity
from showcase.access import Place, Scope
from showcase.links import record_url
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser
from tests.showcase.records.conftest import Told
from tests.showcase.records.test_pages import pages_of

pytestmark = in_a_browser


@pytest.mark.parametrize(
    ("width", "scheme"), [(PHONE, "dark"), (PHONE, "light"), (WIDE, "dark"), (WIDE, "light")]
)
def test_pages_are_quiet_stay_here_fit_and_have_no_barriers(
    width: int, scheme: str, visit: Callable[..., Visit], told: Told
) -> None:
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    for path in pages_of(told, Scope(told.entity, Place.DEMO)).values():
        window.goto(path)
        assert window.faults() == []


def test_pages_are_whole_without_script(visit: Callable[..., Visit], told: Told) -> None:
    window = visit(width=PHONE, has_script=False)
    for path in pages_of(told, Scope(told.entity, Place.DEMO)).values():
        page = window.goto(path)
        box = page.locator("body").bounding_box()
        assert box is not None
        assert box["width"] <= PHONE
        assert page.locator("h1").inner_text()
    assert window.faults() == []


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
def test_two_versions_are_chosen_and_compared(
    has_script: bool, visit: Callable[..., Visit], told: Told
) -> None:
    window = visit(has_script=has_script)
    page = window.goto(record_url(Scope(told.entity, Place.DEMO), "scene", told.head.scene_id))
    page.get_by_role("link", name="Compare two versions").click()
    expect(page.locator(".changed-reworded del")).to_have_text("May")
    expect(page.locator(".changed-reworded ins")).to_have_text("June")
    page.get_by_label("From", exact=True).select_option("2")
    page.get_by_label("To", exact=True).select_option("1")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".changed-reworded ins")).to_have_text("May")
    page.locator("details.kept summary").click()
    expect(page.locator(".changed-unchanged")).to_contain_text(told.rule.text)
    assert window.faults(is_axe_asked=False) == []


def test_a_wording_is_followed_down_to_the_words(visit: Callable[..., Visit], told: Told) -> None:
    window = visit()
    page = window.goto("/showcase/agent-memory/persona/")
    page.locator(".slot", has_text="Wants to be asked first.").locator(".grounds a").click()
    expect(page.locator("h1")).to_have_text(told.rule.text)
    page.locator(".tree .l1 a").first.click()
    expect(page.locator(".kind")).to_contain_text("Atom")
    page.locator(".part.l0 .card-end a").first.click()
    expect(page.locator(".turn-shown .text")).to_have_text(told.messages[0].text)
    page.get_by_role("link", name="Its trace").click()
    expect(page.locator(".tree .l3 .text")).to_have_text("Wants to be asked first.")
    assert window.faults() == []


def test_the_difference_is_walked_by_keyboard(visit: Callable[..., Visit], told: Told) -> None:
    scope = Scope(told.entity, Place.DEMO)
    page = visit().goto(f"{record_url(scope, 'scene', told.head.scene_id)}difference/")
    page.get_by_label("From", exact=True).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".changed-added")).to_have_count(0)
    page.locator("details.kept summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("details.kept").evaluate("one => one.open")


def test_members_see_doors_and_pages_stay_without_barriers(
    visit: Callable[..., Visit], told: Told, alice: Entity, signed_in: Callable[..., object]
) -> None:
    client = signed_in(alice, "operator")
    window = visit(width=PHONE, color_scheme="dark")
    cookie = client.cookies["sessionid"].value  # type: ignore[attr-defined]
    window.page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": window.origin}])
    for path in pages_of(told, Scope(told.entity, Place.LIVE)).values():
        window.goto(path)
        assert window.faults() == []
    page = window.goto(record_url(Scope(told.entity, Place.LIVE), "atom", told.rule.pk))
    page.get_by_role("link", name="Retract").click()
    expect(page.locator("body")).to_contain_text("The claim is taken back")
