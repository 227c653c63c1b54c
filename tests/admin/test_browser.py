"""Each role signs in with a real browser, does its work, and cannot do what it may not."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from memory.models import (
    Atom,
    Entity,
    Key,
    Message,
    ProcedureVersion,
    SceneVersion,
    TraitVersion,
)
from tests.admin.conftest import Memory, fill, make_member, park
from tests.factories import make_workspace

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PASSWORD = "only in tests"
NARROW, WIDE = 400, 1400

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # Playwright's loop runs in this thread, and Django takes that for asynchronous code.
        monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def alice(transactional_db: None) -> Memory:
    """Rows and their evidence are committed together, or refused."""
    with transaction.atomic():
        return fill("agent.alice", workspace=make_workspace("northwind"))


@pytest.fixture
def sign_in(live_server: LiveServer, alice: Memory, browser: Browser, broker_url: str) -> Callable[..., Page]:
    """Signs a new member of the workspace in, through the page."""

    def enter(role: str, **screen: Any) -> Page:
        user = make_member(f"the-{role}", alice.workspace, role)
        user.set_password(PASSWORD)
        user.save()
        page = browser.new_context(base_url=live_server.url, **screen).new_page()
        page.goto(reverse("admin:login"))
        page.fill("[name=username]", user.username)
        page.fill("[name=password]", PASSWORD)
        page.click("#login-form button[type=submit]")
        expect(page).to_have_url(live_server.url + reverse("admin:index"))
        return page

    return enter


def page_of(row: Any) -> str:
    return reverse(f"admin:memory_{row._meta.model_name}_change", args=[row.pk])


def list_of(model: Any) -> str:
    return reverse(f"admin:memory_{model._meta.model_name}_changelist")


def press(page: Page, name: str) -> None:
    """A button of a row's page, or of the page that confirms."""
    page.locator(".m-actions").get_by_text(name, exact=True).click()
    page.wait_for_load_state()  # a click returns when the answer begins, and what follows may be read at once


def confirm(page: Page, name: str, *, reason: str = "") -> None:
    assert "what will happen" in page.locator("#content").inner_text()
    if reason:
        page.fill("[name=reason]", reason)
    press(page, name)


def test_a_viewer_sees_and_changes_nothing(sign_in: Callable[..., Page], alice: Memory) -> None:
    page = sign_in("viewer")
    page.goto(page_of(alice.atom))
    expect(page.locator("#content")).to_contain_text("never deploy without approval")
    assert page.locator(".m-row-actions").count() == 0
    page.goto(list_of(Atom))
    assert page.locator("select[name=action]").count() == 0
    for name in ("retract", "supersede"):
        answer = page.goto(reverse("admin:memory_atom_do", args=[alice.atom.pk, name]))
        assert answer is not None
        assert answer.status == 403


def test_a_reviewer_corrects_and_reviews_and_operates_nothing(
    sign_in: Callable[..., Page], alice: Memory
) -> None:
    page = sign_in("reviewer")
    page.goto(list_of(Atom))
    page.locator(f"input.action-select[value='{alice.atom.pk}']").check()
    page.select_option("select[name=action]", "retract")
    page.get_by_role("button", name="Run").click()
    page.wait_for_load_state()
    confirm(page, "Retract", reason="It was never so.")
    expect(page.locator("body")).to_contain_text("Retract: 1 done.")
    assert Atom.objects.get(pk=alice.atom.pk).status == "retracted"

    page.goto(page_of(alice.version.scene))
    press(page, "Edit lines")
    text = page.input_value("[name=markdown]")
    page.fill("[name=markdown]", text.replace("Ask for approval.", "Ask Alice for approval."))
    page.fill("[name=reason]", "Whom to ask.")
    press(page, "Preview")
    expect(page.locator(".m-difference ins")).to_contain_text("Alice")
    press(page, "Save")
    head = SceneVersion.objects.heads().get(scene=alice.version.scene)
    assert "Ask Alice for approval." in set(head.lines.values_list("text", flat=True))

    page.goto(page_of(alice.draft))
    expect(page.locator(".m-difference")).to_contain_text("Telemetry shows no errors for")
    press(page, "Approve")
    confirm(page, "Approve")
    assert ProcedureVersion.objects.get(pk=alice.draft.pk).status == "active"

    page.goto(page_of(alice.trait_version.trait))
    press(page, "Correct")
    page.fill("[name=text]", "Careful, and quick.")
    confirm(page, "Correct", reason="She said so.")
    assert (
        TraitVersion.objects.get(trait=alice.trait_version.trait, is_head=True).text == "Careful, and quick."
    )

    for row, name in ((alice.key, "revoke"), (alice.message, "plan-erase"), (alice.entity, "pause")):
        answer = page.goto(reverse(f"admin:memory_{row._meta.model_name}_do", args=[row.pk, name]))
        assert answer is not None
        assert answer.status == 403
    refused = page.goto(reverse("admin:memory_key_add"))
    assert refused is not None
    assert refused.status == 403


def test_an_operator_runs_the_workspace(sign_in: Callable[..., Page], alice: Memory) -> None:
    park(alice)
    type(alice.run).objects.filter(pk=alice.run.pk).update(
        status="failed", error_kind="invalid_json", raw_answer="I am sorry, I cannot."
    )
    page = sign_in("operator")
    page.goto(reverse("admin:memory_work_parked"))
    page.get_by_text("What the model answered").click()
    expect(page.locator("pre")).to_contain_text("I am sorry, I cannot.")
    page.locator("[name=_selected_action]").check()
    press(page, "Retry what is chosen")
    confirm(page, "Retry what it parked")
    assert list(Message.objects.for_entity(alice.entity).pending()) == [alice.message]

    page.goto(page_of(alice.entity))
    press(page, "Pause steps")
    page.locator("[name=steps][value=persona]").check()
    confirm(page, "Pause steps")
    assert "persona" in Entity.objects.get(pk=alice.entity.pk).paused_steps

    page.goto(page_of(alice.key))
    press(page, "Revoke")
    confirm(page, "Revoke")
    assert Key.objects.get(pk=alice.key.pk).revoked_at is not None

    page.goto(page_of(alice.message))
    press(page, "Erase")
    confirm(page, "Erase")
    expect(page.locator("#content")).to_contain_text("messages: 1")
    confirm(page, "Erase for good")
    assert not Message.objects.filter(pk=alice.message.pk).exists()


def test_a_new_key_is_shown_once(sign_in: Callable[..., Page], alice: Memory) -> None:
    page = sign_in("operator")
    page.goto(reverse("admin:memory_key_add"))
    page.locator(".field-workspace .select2-selection").click()
    page.locator(".select2-results__option", has_text="northwind").click()
    page.fill("[name=label]", "connector")
    page.locator("button[name=_save], input[name=_save]").first.click()
    page.wait_for_load_state()
    token = page.input_value("#token")
    assert Key.objects.get(label="connector").digest == Key.digest_of(token)
    page.goto(page_of(Key.objects.get(label="connector")))
    assert token not in page.content()


@pytest.mark.parametrize(("width", "scheme"), [(NARROW, "dark"), (WIDE, "light")])
def test_pages_are_quiet_stay_here_and_fit_the_screen(
    scheme: str, width: int, sign_in: Callable[..., Page], alice: Memory
) -> None:
    page = sign_in("operator", viewport={"width": width, "height": 900}, color_scheme=scheme)
    complaints: list[str] = []
    hosts: set[str] = set()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    widths = {}
    for address in (
        reverse("admin:index"),
        list_of(Atom),
        page_of(alice.atom),
        page_of(alice.version.scene),
        page_of(alice.run),
        page_of(alice.draft),
        reverse("admin:memory_work_parked"),
        reverse("admin:memory_atom_do", args=[alice.atom.pk, "supersede"]),
        reverse("admin:memory_scene_edit", args=[alice.version.scene_id]),
        reverse("admin:memory_key_add"),
    ):
        page.goto(address)
        widths[re.sub(r"[0-9a-f-]{36}", "id", address)] = page.evaluate(
            "document.documentElement.scrollWidth"
        )
    assert (complaints, hosts) == ([], {urlsplit(page.url).netloc})
    assert all(found <= width for found in widths.values()), widths


def test_the_login_page_is_there_without_script(live_server: LiveServer, browser: Browser) -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    page = browser.new_context(base_url=live_server.url, java_script_enabled=False).new_page()
    page.goto(reverse("admin:login"))
    page.fill("[name=username]", "root")
    page.fill("[name=password]", PASSWORD)
    page.click("#login-form button[type=submit]")
    expect(page.locator("#content")).to_contain_text("No workspace yet")
    assert page.url == live_server.url + reverse("admin:index")
