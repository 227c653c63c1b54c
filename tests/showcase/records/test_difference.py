"""Any two versions of a scene, compared."""

import pytest
from django.test import Client

from showcase.access import Place, Scope
from showcase.links import difference_url
from showcase.records.differences import DifferencePage, difference_page
from tests.factories import NewLine, make_next_version
from tests.showcase.records.conftest import Told, erase_line, line_of

MAY, JUNE = (f"The move of Ledger 0 is in {month} this year." for month in ("May", "June"))


def page_of(told: Told, older: int | None = None, newer: int | None = None) -> DifferencePage:
    return difference_page(Scope(told.entity, Place.DEMO), told.head.scene_id, older, newer)


def test_the_last_step_is_compared_by_line_and_by_word(told: Told) -> None:
    page = page_of(told)
    [line] = page.lines
    assert (page.compared.from_number, page.compared.to_number) == (1, 2)
    assert (line.change, line.section, line.before, line.after) == ("reworded", "work_context", MAY, JUNE)
    assert [(piece.edit.value, piece.text) for piece in line.words if piece.edit != "equal"] == [
        ("delete", "May"),
        ("insert", "June"),
    ]
    assert [(kept.section, kept.text) for kept in page.kept] == [("prohibitions", told.rule.text)]


def test_any_two_may_be_chosen_in_any_order(told: Told) -> None:
    make_next_version(told.head, added=[NewLine("open_questions", "Who is on call?", [told.new])], removed=[])
    page = page_of(told, 3, 1)
    assert [(line.change, line.before, line.after) for line in page.lines] == [
        ("reworded", JUNE, MAY),
        ("removed", "Who is on call?", ""),
    ]
    assert [choice.number for choice in page.choices] == [3, 2, 1]


def test_against_nothing_all_lines_came(told: Told) -> None:
    page = page_of(told, 0, 1)
    assert [(line.change, line.after) for line in page.lines] == [("added", MAY), ("added", told.rule.text)]
    assert page.kept == ()


def test_what_was_erased_is_in_neither_and_said(told: Told, client: Client) -> None:
    erase_line(line_of(told.first, told.rule.text))
    type(told.first).objects.filter(pk=told.first.pk).update(erased_at=told.first.created_at)
    page = page_of(told)
    assert (page.is_erased, page.kept) == (True, ())
    url = difference_url(Scope(told.entity, Place.DEMO), told.head.scene_id, 1, 2)
    assert "Words of one of these versions were erased" in client.get(url).content.decode()


@pytest.mark.parametrize("query", ["from=1&to=9", "from=9&to=1", "from=x", "to=-1", "from=" + "9" * 40])
def test_a_version_that_is_not_there_is_not_found(query: str, told: Told, client: Client) -> None:
    url = difference_url(Scope(told.entity, Place.DEMO), told.head.scene_id, 1, 2).split("?")[0]
    assert client.get(f"{url}?{query}").status_code == 404


def test_who_wrote_a_line_is_said(told: Told, client: Client) -> None:
    line = line_of(told.head, JUNE)
    type(line).objects.filter(pk=line.pk).update(run=told.head.run_id)
    [shown] = page_of(told).lines
    assert shown.author is not None
    assert shown.author.text.endswith("with quiet-model")
