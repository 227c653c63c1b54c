"""Times as people say them, by the day they were said."""

from datetime import date

import pytest

from memory.llm.offline.date_rules import Period
from memory.llm.offline.dates import Dated, resolve

TUESDAY = date(2026, 6, 2)


@pytest.mark.parametrize(
    ("said", "text", "first", "last"),
    [
        ("met her yesterday", "met her on June 1, 2026", date(2026, 6, 1), date(2026, 6, 1)),
        ("met her last night", "met her on the night of June 1, 2026", date(2026, 6, 1), date(2026, 6, 1)),
        ("met her two days ago", "met her on May 31, 2026", date(2026, 5, 31), date(2026, 5, 31)),
        ("met her last Friday", "met her on May 29, 2026", date(2026, 5, 29), date(2026, 5, 29)),
        ("met her last week", "met her in the week of May 25, 2026", date(2026, 5, 25), date(2026, 5, 31)),
        (
            "met her last weekend",
            "met her on the weekend of May 30, 2026",
            date(2026, 5, 30),
            date(2026, 5, 31),
        ),
        ("met her last month", "met her in May 2026", date(2026, 5, 1), date(2026, 5, 31)),
        ("met her three years ago", "met her in 2023", date(2023, 1, 1), date(2023, 12, 31)),
        ("met her in March", "met her in March 2026", date(2026, 3, 1), date(2026, 3, 31)),
        (
            "moved from Porto to Oslo in May",
            "moved from Porto to Oslo in May 2026",
            date(2026, 5, 1),
            date(2026, 5, 31),
        ),
        ("met her in December", "met her in December 2025", date(2025, 12, 1), date(2025, 12, 31)),
        ("met her on 5 May", "met her on May 5, 2026", date(2026, 5, 5), date(2026, 5, 5)),
        ("leaves tomorrow", "leaves on June 3, 2026", date(2026, 6, 3), date(2026, 6, 3)),
        ("leaves next Friday", "leaves on June 5, 2026", date(2026, 6, 5), date(2026, 6, 5)),
        ("leaves next month", "leaves in July 2026", date(2026, 7, 1), date(2026, 7, 31)),
        ("leaves in two weeks", "leaves on June 16, 2026", date(2026, 6, 16), date(2026, 6, 16)),
        ("on 2026-09-10 sharp", "on September 10, 2026 sharp", date(2026, 9, 10), date(2026, 9, 10)),
    ],
)
def test_times_become_days_of_the_calendar(said: str, text: str, first: date, last: date) -> None:
    assert resolve(said, TUESDAY) == Dated(text, Period(first, last))


def test_a_start_looks_ahead() -> None:
    march = date(2027, 3, 5)
    told = Dated("closed from March 5, 2027", Period(march, march), is_start=True)
    assert resolve("closed from March 5", TUESDAY) == told


@pytest.mark.parametrize(
    ("said", "text", "day"),
    [
        ("keep it until July 15", "keep it until July 15, 2026", date(2026, 7, 15)),
        ("keep it until March 1", "keep it until March 1, 2027", date(2027, 3, 1)),
        ("keep it until tomorrow", "keep it until June 3, 2026", date(2026, 6, 3)),
    ],
)
def test_an_end_is_told_from_a_day(said: str, text: str, day: date) -> None:
    assert resolve(said, TUESDAY) == Dated(text, Period(day, day), is_limit=True)


@pytest.mark.parametrize(
    ("said", "text", "first", "last"),
    [
        ("used it since March", "used it since March 2026", date(2026, 3, 1), date(2026, 3, 31)),
        ("used it since 2019", "used it since 2019", date(2019, 1, 1), date(2019, 12, 31)),
    ],
)
def test_a_start_is_told_from_a_time(said: str, text: str, first: date, last: date) -> None:
    assert resolve(said, TUESDAY) == Dated(text, Period(first, last), is_start=True)


@pytest.mark.parametrize(
    "said", ["closed for repairs", "two cats and a dog", "it may rain", "version 2026.1"]
)
def test_words_that_are_no_times_stay(said: str) -> None:
    assert resolve(said, TUESDAY) == Dated(said, None)


def test_nothing_is_guessed_without_an_anchor() -> None:
    assert resolve("met her last week", None) == Dated("met her last week", None, is_unanchored=True)
    assert resolve("keep it until July 15", None) == Dated("keep it until July 15", None)
    whole = Period(date(2024, 7, 15), date(2024, 7, 15))
    assert resolve("keep it until July 15, 2024", None) == Dated(
        "keep it until July 15, 2024", whole, is_limit=True
    )


def test_a_day_that_does_not_exist_stays_as_said() -> None:
    assert resolve("on February 31", TUESDAY) == Dated("on February 31", None)


def test_a_span_has_both_ends() -> None:
    whole = Period(date(2026, 8, 3), date(2026, 8, 17))
    assert resolve("away from August 3 to August 17", TUESDAY) == Dated(
        "away from August 3, 2026 to August 17, 2026", whole
    )


def test_an_adverb_of_time_goes_to_the_end() -> None:
    assert resolve("I recently moved to Oslo", TUESDAY) == Dated(
        "I moved to Oslo shortly before June 2, 2026", None
    )


def test_a_day_outside_the_calendar_is_no_day() -> None:
    assert resolve("built 900 years ago", date(500, 1, 1)) == Dated("built 900 years ago", None)
