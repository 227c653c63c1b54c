"""Names and numbers of titles, and summaries made of lines."""

import pytest

from memory.cascade.rules.grounding_titles import ungrounded_in_title
from memory.cascade.rules.summaries import summary_of

EVIDENCE = ["The payments migration must finish by September 10.", "Nora plans the API of the depot."]


@pytest.mark.parametrize(
    ("title", "missing"),
    [
        ("Payments Migration", ()),
        ("Backend Architecture Decisions", ()),
        ("Nora's depot plans", ()),
        ("Payments migration in September", ()),
        ("Depot API", ()),
        ("Payments Migration, part 2", ()),
        ("Ben's depot plans", ("Ben",)),
        ("Depot plans with Zara", ("Zara",)),
        ("Payments Migration 2024", ("2024",)),
        ("Depot ERP", ("ERP",)),
        ("October Migration", ("October",)),
        ("", ()),
    ],
)
def test_a_title_is_held_to_its_claims(title: str, missing: tuple[str, ...]) -> None:
    assert ungrounded_in_title(title, EVIDENCE) == missing


LINES = [
    "Nora grows tomatoes in the greenhouse.",
    "It rained.",
    "The greenhouse tomatoes need water every morning, and Nora carries it from the tank behind the shed.",
    "Nora sells tomatoes at the market on Saturdays, where the greenhouse has a sign of its own.",
    "The sign was blue once.",
]


def test_a_summary_is_made_of_the_lines_that_tell_most_in_their_order() -> None:
    assert summary_of("", LINES) == f"{LINES[0]} {LINES[2]} {LINES[3]}"


def test_a_short_scene_is_its_own_summary() -> None:
    assert summary_of("", LINES[:2]) == f"{LINES[0]} {LINES[1]}"


def test_a_long_line_is_cut_when_nothing_else_fills_the_summary() -> None:
    long = " ".join(f"word{number}" for number in range(60))
    assert summary_of("", [long]).split()[-2:] == ["word39", "…"]


def test_a_given_summary_stays() -> None:
    given = "One two three four five six seven eight."
    assert summary_of(given, LINES) == given
