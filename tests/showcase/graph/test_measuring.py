"""Widths of text, and lines that stay within their room."""

import pytest

from showcase.graph.measuring import elide, width, wrap

SIZE = 13.0


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("short", ("short",)),
        ("two words", ("two words",)),
        ("word " * 40, None),
        ("x" * 400, None),
        ("漢字かな交じり文" * 20, None),
        ("مرحبا بالعالم " * 20, None),
        ("👩\u200d🔧" * 60, None),
        ("e\u0301" * 200, None),
    ],
)
def test_lines_stay_within_their_room(text: str, lines: tuple[str, ...] | None) -> None:
    found = wrap(text, room=100, size=SIZE, lines=2)
    assert lines is None or found == lines
    assert len(found) <= 2
    assert all(width(line, SIZE) <= 100 for line in found)
    if lines is None:
        assert found[-1].endswith("…")


def test_what_belongs_together_is_not_cut() -> None:
    mechanic, accented = "👩\u200d🔧", "e\u0301"
    for unit in (mechanic, accented):
        [line] = wrap(unit * 60, room=90, size=SIZE, lines=1)
        assert line.removesuffix("…") == unit * (len(line.removesuffix("…")) // len(unit))


def test_a_long_word_is_broken_and_goes_on() -> None:
    first, second = wrap("a" * 20, room=100, size=SIZE, lines=2)
    assert first + second == "a" * 20


def test_one_line_is_elided() -> None:
    assert elide("Billing API Migration and all that", room=120, size=SIZE) == "Billing API Mig…"
    assert elide("", room=120, size=SIZE) == ""
