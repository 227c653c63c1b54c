"""Which traces are of one kind of task."""

from __future__ import annotations

import pytest

from memory.skills.belonging import Kin, Shape, nearest


def shape(task: str, *actions: str) -> Shape:
    """Actions as `tool:text`, the tool may be empty."""
    return Shape.of(task, [(tool, text) for tool, _, text in (action.partition(":") for action in actions)])


@pytest.mark.parametrize(
    ("one", "other", "belongs"),
    [
        (
            shape("Deploy the billing service to production"),
            shape("Deploy the search service to production"),
            True,
        ),
        (shape("Release portal 2.3", "test:", "ship:"), shape("Ship portal 2.4", "test:", "ship:"), True),
        (shape("Release portal 2.3", "test:"), shape("Ship portal 2.4", "build:"), False),
        (
            shape("Deploy billing", ":Ran the tests"),
            shape("Send the monthly invoice", ":Ran the tests"),
            False,
        ),
        (shape("Deploy 1"), shape("Deploy 2"), True),
        (shape("部署计费服务"), shape("部署搜索服务"), False),
        (shape("部署计费服务到生产环境"), shape("部署搜索服务到生产环境"), True),
        (shape("…"), shape("…"), False),
        (shape("Cancel booking 4471 for Ines Falk"), shape("Cancel booking 9020 for Ole Brix"), True),
        (shape("Ines Falk als neue Mieterin anlegen"), shape("Ole Brix als neuen Mieter anlegen"), True),
        (shape("Rechnung für Ines erstellen"), shape("Angebot für Ole erstellen"), False),
        (
            shape("Ship parcel 11 to Ines", "pack:", ":Wrote the label by hand"),
            shape("Return parcel 12 to Ole", "pack:"),
            True,
        ),
        (shape("Ship the parcel", "pack:"), shape("Return the parcel", ":Ran pack"), False),
    ],
)
def test_tasks_are_of_one_kind_by_their_words_or_by_what_was_done(
    one: Shape, other: Shape, belongs: bool
) -> None:
    assert (nearest(one, [Kin([other])]) == 0) is belongs
    assert (nearest(other, [Kin([one])]) == 0) is belongs


def test_the_nearest_procedure_is_chosen_and_the_first_of_equals() -> None:
    deploys, invoices = Kin([shape("Deploy the service")]), Kin([shape("Send the invoice")])
    assert nearest(shape("Send an invoice"), [deploys, invoices]) == 1
    assert nearest(shape("Deploy a service"), [deploys, deploys]) == 0
    assert nearest(shape("Water the plants"), [deploys, invoices]) is None
    assert nearest(shape("Water the plants"), []) is None


def test_what_a_person_called_the_task_counts_too() -> None:
    kin = Kin()
    kin.name(["Publish a post", "A post is to be published on the blog."])
    assert nearest(shape("Publish post"), [kin]) == 0
