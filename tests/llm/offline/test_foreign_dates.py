"""Times in German, Spanish, French and Chinese, by the day they were said: Wednesday, July 22, 2026."""

from datetime import date

import pytest

from memory.cascade.rules.grounding import dates_said, ungrounded
from memory.llm.offline.foreign_dates import has_relative_words, resolve_foreign

SAID_ON = date(2026, 7, 22)
TABLE = [
    ("de", "Ich war vorgestern in Rom.", "Ich war am 20. Juli 2026 in Rom.", "2026-07-20", "2026-07-20"),
    ("de", "Ich fliege am nächsten Freitag.", "Ich fliege am 24. Juli 2026.", "2026-07-24", "2026-07-24"),
    ("de", "Wir waren im letzten Monat dort.", "Wir waren im Juni 2026 dort.", "2026-06-01", "2026-06-30"),
    ("de", "Ich ziehe nächstes Jahr um.", "Ich ziehe im Jahr 2027 um.", "2027-01-01", "2027-12-31"),
    ("de", "Es war am 5. Oktober 2024.", "Es war am 5. Oktober 2024.", "2024-10-05", "2024-10-05"),
    ("de", "Guten Morgen ist ein Film.", "Guten Morgen ist ein Film.", "None", "None"),
    ("es", "Anoche cené en casa.", "el 21 de julio de 2026 cené en casa.", "2026-07-21", "2026-07-21"),
    ("es", "La semana pasada estuve en Roma.", "en la semana del 13 de julio de 2026 estuve en Roma.",
     "2026-07-13", "2026-07-19"),
    ("es", "Corro por la mañana.", "Corro por la mañana.", "None", "None"),
    ("es", "Viví allí de 2010 a 2014.", "Viví allí de 2010 a 2014.", "2010-01-01", "2014-12-31"),
    ("fr", "Je pars après-demain.", "Je pars le 24 juillet 2026.", "2026-07-24", "2026-07-24"),
    ("fr", "C'était vendredi dernier.", "C'était le 17 juillet 2026.", "2026-07-17", "2026-07-17"),
    ("fr", "Le 1er mai je pars.", "Le 1 mai 2027 je pars.", "2027-05-01", "2027-05-01"),
    ("zh", "我上周五去了银行。", "我2026年7月17日去了银行。", "2026-07-17", "2026-07-17"),
    ("zh", "我去年搬家了。", "我2025年搬家了。", "2025-01-01", "2025-12-31"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "said", "written", "first", "last"), TABLE)
def test_times_become_days_in_the_words_of_the_language(
    language: str, said: str, written: str, first: str, last: str
) -> None:
    dated = resolve_foreign(said, SAID_ON, language)
    period = dated.period
    found = (str(period.first), str(period.last)) if period else ("None", "None")
    assert (dated.text, *found) == (written, first, last)


@pytest.mark.parametrize(("said", "written"), [(row[1], row[2]) for row in TABLE])
def test_the_days_stand_in_the_words_or_in_the_time_of_saying(said: str, written: str) -> None:
    assert (
        ungrounded(f"Alice: {written}", [said], extra=["Alice"], allowed_dates=dates_said(said, SAID_ON))
        == ()
    )


@pytest.mark.parametrize(
    ("language", "said", "marks"),
    [
        ("de", "Die Frist läuft bis zum 5. Oktober.", (True, False)),
        ("de", "Ich wohne seit 2019 hier.", (False, True)),
        ("es", "Trabajo aquí desde 2019.", (False, True)),
        ("fr", "Je travaille ici depuis 2019.", (False, True)),
        ("fr", "C'est à rendre avant le 5 octobre.", (True, False)),
    ],
)
def test_ends_and_starts_are_told_apart(language: str, said: str, marks: tuple[bool, bool]) -> None:
    dated = resolve_foreign(said, SAID_ON, language)
    assert (dated.is_limit, dated.is_start) == marks


def test_without_the_day_of_saying_nothing_is_guessed() -> None:
    near, written = (
        resolve_foreign(text, None, "de") for text in ("Ich war gestern da.", "Es ist am 5. Mai.")
    )
    assert (near.text, near.period, near.is_unanchored) == ("Ich war gestern da.", None, True)
    assert (written.text, written.period, written.is_unanchored) == ("Es ist am 5. Mai.", None, False)


@pytest.mark.parametrize(("language", "said"), [("de", "Ich war neulich da."), ("es", "Fui hace poco.")])
def test_vague_times_stay_vague(language: str, said: str) -> None:
    dated = resolve_foreign(said, SAID_ON, language)
    assert (dated.text, dated.period, has_relative_words(said, language)) == (said, None, True)


def test_a_birthday_gets_no_year() -> None:
    assert (
        resolve_foreign("Mein Geburtstag ist am 5. Mai.", SAID_ON, "de").text
        == "Mein Geburtstag ist am 5. Mai."
    )
