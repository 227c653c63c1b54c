"""Which of the erased words are telling."""

from __future__ import annotations

import pytest

from memory.stewardship.erasing.everyday import is_everyday
from memory.stewardship.erasing.needles import terms_in
from memory.stewardship.erasing.telling import telling_among


@pytest.mark.parametrize(
    ("text", "languages", "expected"),
    [
        ("We moved to a new office, thanks.", ["en"], set()),
        ("we moved to Garden street", ["en"], {"garden"}),
        ("We Moved To Garden Street", ["en"], set()),
        ("Wir haben das Team und die Terrasse", ["de", "en"], {"terrasse"}),
        ("see parseHttp", ["en"], {"parsehttp"}),
        ("our well-known office", ["en"], set()),
        ("Mudamos la casa", ["en"], set()),
        ("a zorbaxian", ["en"], {"zorbaxian"}),
        ("on 2031-07-09", ["en"], {"2031-07-09"}),
        ("👍 thanks", ["en"], set()),
        ("紫猫", ["zh"], {"紫猫"}),
    ],
)
def test_telling_words(text: str, languages: list[str], expected: set[str]) -> None:
    terms = frozenset(terms_in([text], languages))
    assert telling_among(terms, [text], languages).terms == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("moved", True), ("offices", True), ("budgeting", True), ("quokka", False), ("asthma", False)],
)
def test_everyday_words(word: str, expected: bool) -> None:
    assert is_everyday(word, ["en"]) is expected
