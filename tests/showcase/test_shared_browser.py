"""The pages of links in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from memory.ingest.access import open_access
from memory.ingest.workspaces import create_key
from memory.models import Entity, Scene
from memory.stewardship.links import make_link
from tests.factories import make_message
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser

pytestmark = in_a_browser
LONG = "x" * 400


@pytest.fixture
def paths(alice: Entity) -> dict[str, str]:
    """A link to a timeline of several pages, and one to a scene."""
    for number in range(60):
        make_message(alice, f"Word {number}. {LONG}")
    access = open_access(create_key(workspace=alice.workspace, label="maker", scopes=["read"]).token)
    assert access is not None
    scene = Scene.objects.for_entity(alice).get().pk
    return {
        "timeline": f"/shared/{make_link(access, entity=alice).token}/",
        "scene": f"/shared/{make_link(access, entity=alice, scene=scene).token}/",
    }


@pytest.mark.parametrize("target", ["timeline", "scene"])
@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "dark"), (WIDE, "light")])
def test_a_link_is_quiet_stays_here_fits_and_has_no_barriers(
    visit: Callable[..., Visit], paths: dict[str, str], target: str, width: int, scheme: str
) -> None:
    window = visit(width=width, color_scheme=scheme)
    page = window.goto(paths[target])
    page.wait_for_selector("h1")
    assert window.faults() == []
    assert page.context.cookies() == []


def test_a_timeline_is_leafed_through_without_script(
    visit: Callable[..., Visit], paths: dict[str, str]
) -> None:
    window = visit(width=PHONE, has_script=False)
    page = window.goto(paths["timeline"])
    page.click("text=Older")
    assert "before=" in page.url
    expect(page.locator("article.card").first).to_be_visible()
    assert page.locator("article.card").count() > 0
    page.click("text=Newer")
    assert page.url.endswith(paths["timeline"])
    assert window.faults() == []
