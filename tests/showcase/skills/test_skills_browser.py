"""The skill loop in a real browser, and a reviewer's way through it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from memory.models import Entity, ProcedureVersion
from memory.skills.review import approve
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser
from tests.showcase.skills.looping import SKILLS, learn, use_and_say
from tests.skills.skilled import PERSON

pytestmark = in_a_browser


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_loop_is_quiet_fits_and_has_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], draft: ProcedureVersion, taught: Entity
) -> None:
    use_and_say(approve(draft=draft, actor=PERSON, base=None))
    learn(taught)
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    window.goto(SKILLS)
    assert window.faults() == []


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
def test_a_citation_leads_to_the_step_and_a_station_to_its_place(
    has_script: bool, visit: Callable[..., Visit], draft: ProcedureVersion
) -> None:
    window = visit(width=PHONE, has_script=has_script)
    page = window.goto(SKILLS)
    page.locator("#versions a.chip").first.click()
    expect(page.locator(":target")).to_contain_text("Move the refunds route")
    page.get_by_role("link", name="Review").click()
    expect(page.locator(":target h3")).to_have_text("Version 1")
    assert window.faults() == []


def test_a_reviewer_signs_in_approves_and_sees_it_active(
    visit: Callable[..., Visit], draft: ProcedureVersion, reviewer: User
) -> None:
    window = visit()
    page = window.goto(SKILLS)
    page.get_by_role("link", name="Sign in").click()
    page.fill("[name=username]", reviewer.username)
    page.fill("[name=password]", "correct horse")
    page.click("#login-form button[type=submit]")
    expect(page).to_have_url(window.origin + SKILLS)
    page.get_by_role("link", name="Approve", exact=True).click()
    page.locator("button.m-button[type=submit]").click()
    page.wait_for_load_state()
    window.goto(SKILLS)
    expect(page.locator("#version-1 .state").first).to_have_text("active")
    expect(page.locator("#version-1")).to_contain_text("Approved by robin")
    expect(page.get_by_text("Waiting for a reviewer")).to_have_count(0)
    draft.refresh_from_db()
    assert draft.status == ProcedureVersion.Status.ACTIVE
