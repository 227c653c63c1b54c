"""The graph in a real browser: by keyboard, by pointer, without script, on a telephone, on paper."""

import re
from collections.abc import Callable

import pytest
from django.db import transaction
from playwright.sync_api import Page, expect

from memory.models import Atom, Entity, TraitVersion
from tests.factories import make_atom, make_message
from tests.showcase.browsing import PHONE, WIDE, Visit, in_a_browser
from tests.showcase.graph.growing import grow

PAGE = "/showcase/agent-memory/graph/"
HOSTILE = '</text><img src=x onerror=alert(1)> \u202etxt.exe "quoted"'

pytestmark = in_a_browser


def focused(page: Page) -> str:
    """The kind of the node that has the focus."""
    name: str = page.evaluate("document.activeElement.dataset.node ?? ''")
    return name.partition("-")[0]


@pytest.mark.parametrize("width", [PHONE, WIDE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_quiet_stays_here_fits_and_has_no_barriers(
    scheme: str, width: int, visit: Callable[..., Visit], alice: Entity
) -> None:
    make_message(alice, HOSTILE, speaker="<b>Mallory</b>", session="<i>third</i>")
    trait = TraitVersion.objects.get(entity=alice)
    window = visit(width=width, color_scheme=scheme, reduced_motion="reduce")
    for address in (PAGE, f"{PAGE}?at={trait.pk}"):
        window.goto(address)
        assert window.faults() == []
    grow(alice)
    window.goto(PAGE)
    assert window.faults() == []


def test_it_is_walked_by_keyboard_along_the_evidence(visit: Callable[..., Visit], alice: Entity) -> None:
    window = visit()
    page = window.goto(PAGE)
    page.get_by_role("button", name="Apply").focus()
    page.keyboard.press("Tab")
    assert focused(page) == "message"
    top = page.evaluate("document.activeElement.dataset.node")
    seen = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        seen.append(focused(page))
    assert seen == ["atom", "line", "trait"]
    assert (
        page.evaluate("getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth") == "3px"
    )
    page.keyboard.press("ArrowRight")
    assert focused(page) == "trait"
    for kind in ("line", "atom", "message"):
        page.keyboard.press("ArrowLeft")
        assert focused(page) == kind
    first = page.evaluate("document.activeElement.dataset.node")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.node") != first
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.node") == first
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent").count("Understood.")
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.dataset.node") == top
    assert page.locator('a.node[tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/messages/"))
    assert window.faults(is_axe_asked=False) == []


def test_one_step_of_the_tabulator_leads_past_the_drawing(visit: Callable[..., Visit], alice: Entity) -> None:
    page = visit().goto(PAGE)
    page.get_by_role("button", name="Apply").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#outline') !== null")
    expect(page.locator(".graph-svg.walking")).to_have_count(0)


def test_pointing_at_a_node_shows_what_is_below_and_above(visit: Callable[..., Visit], alice: Entity) -> None:
    page = visit(reduced_motion="reduce").goto(PAGE)
    expect(page.locator(".node.lit")).to_have_count(0)
    page.locator('[data-node^="atom-"]').first.hover()
    lit = page.locator(".node.lit").evaluate_all(
        "nodes => nodes.map(node => node.dataset.node.split('-')[0])"
    )
    assert sorted(lit) == ["atom", "line", "message", "trait"]
    expect(page.locator(".edge.lit")).to_have_count(3)
    page.locator("h1").hover()
    expect(page.locator(".node.lit")).to_have_count(0)


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
def test_what_stands_out_is_in_the_address(
    has_script: bool, visit: Callable[..., Visit], alice: Entity
) -> None:
    window = visit(has_script=has_script)
    page = window.goto(PAGE)
    page.get_by_role("link", name=re.compile("Connections of")).first.click()
    assert "at=" in page.url
    expect(page.locator(".node.lit")).to_have_count(7)
    expect(page.locator(".node.at")).to_have_count(1)
    expect(page.locator(".outline-item.lit")).to_have_count(7)
    page.get_by_role("link", name="Show all alike").click()
    expect(page.locator(".node.lit")).to_have_count(0)
    assert window.complaints == []


@pytest.mark.parametrize("has_script", [True, False], ids=["script", "no-script"])
def test_three_hundred_nodes_are_grouped_and_opened(
    has_script: bool, visit: Callable[..., Visit], alice: Entity
) -> None:
    grow(alice)
    window = visit(has_script=has_script)
    page = window.goto(PAGE)
    assert page.locator("[data-node]").count() < 60
    page.locator("a.node[aria-label^='Service 5. 12 atoms']").click()
    expect(page.locator('[data-node^="atom-"]')).to_have_count(12)
    page.get_by_role("link", name="Close Service 5").first.click()
    expect(page.locator('[data-node^="atom-"]')).to_have_count(0)
    page.locator("#outline").get_by_role("link", name=re.compile("^12 messages")).first.click()
    expect(page.locator('[data-node^="message-"]')).to_have_count(12)
    assert window.complaints == []


def test_the_filters_narrow_it(visit: Callable[..., Visit], alice: Entity) -> None:
    window = visit()
    page = window.goto(PAGE)
    page.get_by_label("Words").fill("written approval")
    page.get_by_label("L3 traits").uncheck()
    page.get_by_role("button", name="Apply").click()
    page.wait_for_load_state()  # a click returns when the answer begins, and the drawing is read at once
    kinds = page.locator("[data-node]").evaluate_all(
        "nodes => nodes.map(one => one.dataset.node.split('-')[0])"
    )
    assert sorted(kinds) == ["atom", "line", "message"]
    expect(page.get_by_label("L3 traits")).not_to_be_checked()
    page.get_by_role("link", name="Clear").click()
    page.get_by_label("Session").select_option(label="second")
    page.get_by_label("Said from").fill("2026-06-01")
    page.get_by_label("Said until").fill("2026-06-03")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator('[data-node^="message-"]')).to_have_count(2)
    assert window.faults() == []


def test_words_of_all_kinds_stay_in_their_boxes(visit: Callable[..., Visit], alice: Entity) -> None:
    for text in ("MWMW " * 30, "漢字かな交じり文" * 12, "مرحبا بالعالم " * 12, "x" * 200, HOSTILE * 3):
        with transaction.atomic():
            make_atom(alice, text[:400], [make_message(alice, text, speaker="W" * 60)])
    page = visit().goto(PAGE)
    outside = page.locator("[data-node]").evaluate_all(
        """nodes => nodes.filter(node => {
            const box = [...node.querySelectorAll("rect")].at(-1).getBBox();
            return [...node.querySelectorAll("text")].some(text => {
                const own = text.getBBox();
                return own.x < box.x || own.x + own.width > box.x + box.width + 0.5
                    || own.y < box.y - 1 || own.y + own.height > box.y + box.height + 2;
            });
        }).map(node => node.getAttribute("aria-label"))"""
    )
    assert outside == []


def test_a_telephone_shows_drawing_and_outline_in_the_order_of_the_focus(
    visit: Callable[..., Visit], alice: Entity
) -> None:
    before = Atom.objects.filter(entity=alice).first()
    assert before is not None
    with transaction.atomic():
        make_atom(alice, "Until November 1.", [make_message(alice, "Until November 1.")], replaces=before)
    page = visit(width=PHONE).goto(PAGE)
    places = [page.locator(where).bounding_box() for where in (".graph-picture", ".graph-outline")]
    assert places[0] is not None
    assert places[1] is not None
    assert places[0]["y"] < places[1]["y"]
    assert page.evaluate(
        "document.querySelector('.graph-picture').compareDocumentPosition("
        "document.querySelector('.graph-outline')) === Node.DOCUMENT_POSITION_FOLLOWING"
    )
    page.get_by_role("link", name="outline").click()
    expect(page.locator("#outline-title")).to_be_in_viewport()
    page.locator(".outline-links a.chip").first.click()
    assert page.evaluate("document.querySelector(':target').matches('.outline-item')")


def test_on_paper_there_is_the_drawing_and_the_outline(visit: Callable[..., Visit], alice: Entity) -> None:
    window = visit(color_scheme="dark")
    page = window.goto(PAGE)
    page.emulate_media(media="print")
    expect(page.locator(".filter")).to_be_hidden()
    expect(page.locator(".graph-svg")).to_be_visible()
    expect(page.locator("#outline")).to_be_visible()
    assert window.faults(is_axe_asked=False) == []
