"""The demonstration's memory, and one of another workspace that no page may show."""

import os
from collections.abc import Callable, Iterator

import pytest
from django.db import transaction
from playwright.sync_api import Browser, sync_playwright
from pytest_django.live_server_helper import LiveServer

from memory.models import Entity, Process
from tests.factories import (
    NewLine,
    make_atom,
    make_entity,
    make_message,
    make_rule,
    make_scene,
    make_trait,
    make_workspace,
)
from tests.showcase.browsing import CHROMIUM, FLAGS, Visit
from tests.showcase.browsing import visit as new_visit

SECRET = "Bob's launch code is 4711."


def tell(entity: Entity, *, number: int = 0) -> None:
    """A small whole ladder: three messages, two atoms, a scene, and with number 0 a trait."""
    topic = f"Billing {number}"
    rule = f"Never deploy {topic} to production without written approval."
    date = f"{topic} stays on Express until October 15."
    messages = [make_message(entity, rule), make_message(entity, date, session="second")]
    make_message(entity, "Understood.", role="assistant", speaker="Assistant", session="second")
    atoms = [make_rule(entity, rule, messages[:1]), make_atom(entity, date, messages[1:])]
    version = make_scene(
        entity,
        topic,
        [NewLine("work_context", date, atoms[1:]), NewLine("prohibitions", rule, atoms[:1])],
        summary=f"{topic}: what stays, until when, and what must not happen.",
    )
    if number == 0:
        make_trait(entity, "interaction_protocol", "Ask before you act.", list(version.lines.all()))


@pytest.fixture
def alice(db: None) -> Entity:
    """The tour's entity, with a worker at hand."""
    entity = make_entity("agent.alice-demo", workspace=make_workspace("demo"))
    with transaction.atomic():  # rows and their evidence are committed together, or refused
        tell(entity)
    Process.objects.create(kind="worker", name="here:1", configuration_hash="0")
    return entity


@pytest.fixture
def bob(db: None) -> Entity:
    """Of another workspace: none of this may leak."""
    entity = make_entity("agent.bob", workspace=make_workspace("southwind"))
    make_message(entity, SECRET)
    return entity


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for the tests of a module."""
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        # Playwright's loop runs in this thread, and Django takes that for asynchronous code.
        environment.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, live_server: LiveServer) -> Iterator[Callable[..., Visit]]:
    """Opens a window on the live server: `visit(width=PHONE, has_script=False, color_scheme="dark")`."""
    opened: list[Visit] = []

    def open_window(**options: object) -> Visit:
        opened.append(new_visit(chromium, live_server.url, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_window
    for window in opened:
        window.page.context.close()
