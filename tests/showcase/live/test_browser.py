"""The live view in a real browser."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from playwright.sync_api import Page, expect

from memory.cascade.engine import settle_entity
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import IncomingMessage
from memory.ingest.messages import append_messages
from memory.models import Entity, Member, Process
from tests.factories import make_message, make_run, make_workspace
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser
from tests.showcase.conftest import tell

LIVE = "/showcase/agent-memory/live/"
PASSWORD = "correct horse battery staple"

pytestmark = in_a_browser


@pytest.fixture
def entity(db: None) -> Entity:
    """A memory of a workspace whose operator is Olga, with a batch that failed."""
    found = ensure_entity(workspace=make_workspace("acme"), name="agent.alice-x1")
    with transaction.atomic():
        tell(found)
    user = User.objects.create_user("olga", password=PASSWORD, is_staff=True)
    Member.objects.create(workspace=found.workspace, user=user, role="operator")
    Process.objects.create(kind="worker", name="here:1", configuration_hash="0")
    run = make_run(found, status="failed", error_kind="unreadable", error_text="<i>no JSON</i>")
    parked = {"consumed_by_id": None, "parked_at": datetime.now(UTC), "parked_by_id": run.pk}
    make_message(found, "poison", **parked)
    return found


def sign_in(page: Page) -> None:
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()


def test_a_member_signs_in_chooses_filters_follows_and_leaves(
    visit: Callable[..., Visit], entity: Entity
) -> None:
    window = visit()
    page = window.goto(LIVE)
    sign_in(page)
    page.get_by_role("link", name="agent.alice-x1").click()
    expect(page.locator("#rows article")).to_have_count(2)
    page.get_by_role("link", name="messages").click()
    page.get_by_label("Text holds").fill("understood")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#rows article")).to_have_count(1)
    page.get_by_role("link", name="Clear").click()
    append_messages(
        entity=entity, messages=[IncomingMessage(session="new", role="user", text="I moved to Bergen.")]
    )
    settle_entity(entity)
    expect(page.locator("#rows article.fresh")).to_contain_text("Bergen", timeout=20_000)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#failed table")).to_have_count(0)
    assert window.faults() == []
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_run_is_opened_by_its_name(visit: Callable[..., Visit], entity: Entity) -> None:
    window = visit()
    page = window.goto(f"{LIVE}?run=x1")
    sign_in(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("agent.alice-x1")
    assert window.faults(is_axe_asked=False) == []


def test_it_is_whole_without_script(visit: Callable[..., Visit], entity: Entity) -> None:
    window = visit(width=PHONE, has_script=False)
    page = window.goto(f"{LIVE}{entity.pk}/")
    sign_in(page)
    expect(page.locator("#failed")).to_contain_text("<i>no JSON</i>")
    page.get_by_role("link", name="traits").click()
    expect(page.locator("#rows article")).to_contain_text("Ask before you act.")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("link", name="Look again").click()
    expect(page.locator("#failed")).to_be_empty()
    assert window.faults() == []


def test_its_composer_and_its_graph_are_those_of_the_entity(
    visit: Callable[..., Visit], entity: Entity
) -> None:
    window = visit()
    page = window.goto(f"{LIVE}{entity.pk}/")
    sign_in(page)
    page.get_by_role("link", name="Compose a context from it").click()
    page.get_by_label("What is about to be done").fill("Deploy Billing 0")
    page.get_by_role("button", name="Compose").click()
    expect(page.locator("#block-rules")).to_contain_text("Never deploy Billing 0")
    assert window.faults() == []
    page.locator("#block-rules a.chip").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Never deploy Billing 0")
    assert f"{LIVE}{entity.pk}/atoms/" in page.url
    window.goto(f"{LIVE}{entity.pk}/graph/")
    expect(page.locator("svg a").first).to_be_visible()
    assert window.faults() == []
    page.locator("svg a[data-node]").first.focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert f"{LIVE}{entity.pk}/" in page.url
    assert window.faults() == []


def test_a_member_without_the_admin_corrects_and_forgets_here(
    visit: Callable[..., Visit], entity: Entity
) -> None:
    User.objects.update(is_staff=False)
    window = visit(width=PHONE)
    page = window.goto(f"{LIVE}{entity.pk}/")
    sign_in(page)
    page.locator("#rows article a.id").first.click()
    page.get_by_role("link", name="Correct", exact=True).click()
    page.get_by_label("Text").fill("Billing 0 stays on Express until November 15.")
    page.get_by_label("Reason").fill("The date has moved.")
    assert window.faults() == []
    page.get_by_role("button", name="Correct").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("November 15")
    window.goto(f"{LIVE}{entity.pk}/")
    page.get_by_role("link", name="Forget something, in words").click()
    page.get_by_label("Forget").fill("November 15")
    page.get_by_role("button", name="Look what that means").click()
    expect(page.get_by_role("checkbox").first).to_be_checked()
    assert window.faults() == []
    page.get_by_role("button", name="Forget what is ticked").click()
    expect(page.locator(".notice-good")).to_contain_text("Forgotten")


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_quiet_stay_here_fit_and_have_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], entity: Entity
) -> None:
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    page = window.goto(LIVE)
    assert window.faults() == []
    sign_in(page)
    assert window.faults() == []
    window.goto(f"{LIVE}{entity.pk}/?layer=L2&state=all")
    assert window.faults() == []
