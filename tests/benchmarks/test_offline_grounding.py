"""The benchmark's own look at evidence finds what was made up, and lets through what was said."""

from datetime import date

import pytest

from benchmarks.offline_grounding import Said, unfounded

WEDNESDAY = date(2026, 7, 22)


@pytest.mark.parametrize(
    ("claim", "words", "found"),
    [
        ("Alice met Bob on July 21, 2026.", "I met Bob yesterday", []),
        ("Alice met Bob on July 20, 2026.", "I met Bob yesterday", ["July 20, 2026"]),
        ("Alice met Carl.", "I met Bob", ["Carl"]),
        ("Alice has 3 cats.", "I have two cats", ["3"]),
        ("Alice went there in June 2026.", "I went there last month", []),
        ("Alice went there in May 2026.", "I went there in May", []),
        ("Alice went there in May 2020.", "I went there in May", ["May 2020"]),
        ("Alice moved in 2016.", "I moved ten years ago", []),
        ("On the weekend of July 11, 2026 Alice swam.", "Two weekends ago I swam", []),
        ("Alice owns 12 hens.", "I own 12 hens", []),
    ],
)
def test_names_numbers_and_dates_are_looked_up(claim: str, words: str, found: list[str]) -> None:
    assert unfounded(claim, Said(words, ("Alice",), WEDNESDAY)) == found
