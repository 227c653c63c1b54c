"""Texts of several tasks as one, and texts without the details of one task."""

from __future__ import annotations

import pytest

from memory.cascade.rules.generalising import common_text, without_details
from memory.cascade.rules.particulars import Particulars, TraceWords


@pytest.mark.parametrize(
    ("texts", "common"),
    [
        (["Run the tests"], "Run the tests"),
        (
            ["Deploy the billing service to production", "Deploy the search service to production"],
            "Deploy the service to production",
        ),
        (["Run the tests of billing-api", "Run the tests of search-api"], "Run the tests"),
        (["Open a pull request for fix-481", "Open a pull request for fix-502"], "Open a pull request"),
        (["Bump version to 2.3.1", "Bump version to 2.3.2"], "Bump version"),
        (["Run unit tests", "Run all tests"], "Run […] tests"),
        (["Look up the invoice", "Look up the delivery"], "Look up […]"),
        (["Send mail", "Ship the product"], "Send mail"),
        (["发送月度报告", "发送月度报告"], "发送月度报告"),
    ],
)
def test_what_texts_have_in_common(texts: list[str], common: str) -> None:
    assert common_text(texts) == common
    assert common_text(list(reversed(texts))) == common


@pytest.mark.parametrize(
    ("text", "details", "left"),
    [
        ("Deploy Vega 2.3 to production", ["Vega", "2.3"], "Deploy to production"),
        ("Tell Robin that it is done", ["Robin"], "Tell […] that it is done"),
        ("Ask Robin to sign and wait", ["Robin"], "Ask […] to sign and wait"),
        ("Wait 10 minutes, then look", ["10"], "Wait […] minutes, then look"),
        ("Build the image `billing:2.3`", ["billing:2.3"], "Build the image"),
        ("Robin's mail is answered", ["Robin"], "[…] mail is answered"),
        ("Nothing to hide", ["hid"], "Nothing to hide"),
    ],
)
def test_details_leave_gaps_or_nothing(text: str, details: list[str], left: str) -> None:
    assert without_details(text, details) == left


@pytest.mark.parametrize(
    ("line", "details"),
    [
        ("Falk confirmed it on the phone.", ["Falk"]),
        ("Call the guest. Ines has the key.", ["Ines"]),
        ("Cancel the booking.", []),
        ("Robin signs it off.", []),
        ("Portal and phone are both fine.", []),
    ],
)
def test_a_name_known_from_one_text_is_a_detail_where_a_sentence_begins_with_it(
    line: str, details: list[str]
) -> None:
    traces = [
        TraceWords("Cancel booking 4471 for Ines Falk", ("Let Robin sign it off.",), ("Clicked on Cancel",)),
        TraceWords("Cancel booking 9020 for Ole Brix", (), ("Opened the Portal", "the portal was slow")),
    ]
    assert [one.text for one in Particulars(traces, []).find(line)] == details
