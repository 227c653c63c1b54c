"""Texts of several tasks as one, and texts without the details of one task."""

from __future__ import annotations

import pytest

from memory.cascade.rules.generalising import common_text, without_details


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
        ("Wait 10 minutes, then look", ["10"], "Wait […] minutes, then look"),
        ("Build the image `billing:2.3`", ["billing:2.3"], "Build the image"),
        ("Robin's mail is answered", ["Robin"], "[…] mail is answered"),
        ("Nothing to hide", ["hid"], "Nothing to hide"),
    ],
)
def test_details_leave_gaps_or_nothing(text: str, details: list[str], left: str) -> None:
    assert without_details(text, details) == left
