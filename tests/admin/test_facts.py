"""Stored structures on pages: names and values, ids as links, nothing that a page would take for markup."""

from typing import Any
from uuid import UUID

import pytest

from memory.admin.facts import VALUES_SHOWN, facts
from memory.admin.links import id_link

ROW = "0192f0c4-7b1d-7c3a-9a53-3f2a60c1d2e4"
LINK = id_link("atom", UUID(ROW))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({}, "—"),
        ([], "—"),
        (None, "—"),
        (True, "yes"),
        (["a", "b"], "a, b"),
        (["two words", "b"], '<ul class="m-list"><li>two words</li><li>b</li></ul>'),
        ({"left_out": 2}, '<dl class="m-facts"><dt>left out</dt><dd>2</dd></dl>'),
        ({"atoms": [ROW]}, f'<dl class="m-facts"><dt>atoms</dt><dd>{LINK}</dd></dl>'),
        (
            {"kind": "atom", "id": ROW},
            f'<dl class="m-facts"><dt>kind</dt><dd>atom</dd><dt>id</dt><dd>{LINK}</dd></dl>',
        ),
        ({"<b>": "<i>"}, '<dl class="m-facts"><dt>&lt;b&gt;</dt><dd>&lt;i&gt;</dd></dl>'),
        (
            [{"id": ROW, "kind": "atom"}],
            f'<ul class="m-list"><li><span class="m-soft">id:</span> {LINK}, '
            '<span class="m-soft">kind:</span> atom</li></ul>',
        ),
    ],
)
def test_a_structure_is_shown_by_its_names(value: Any, shown: str) -> None:
    assert facts(value) == shown


def test_a_long_list_ends_with_how_many_more_there_are() -> None:
    assert facts(["x"] * (VALUES_SHOWN + 3)).endswith("x, and 3 more")
