"""l1_extract: the entity's own days, relative words, unknown times, and words that arrive late."""

from datetime import UTC, date, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from memory.models import Atom, Chain, Entity
from tests.cascade.story import an_entity, answer, merge, runs, say, settle, store

pytestmark = pytest.mark.django_db

MAY_16 = datetime(2026, 5, 16, 18, 0, tzinfo=UTC)


def dropped(entity: Entity) -> list[str]:
    return [
        entry["reason"] for run in runs(entity) for entry in run.decisions if entry["outcome"] == "dropped"
    ]


def test_a_local_evening_is_that_day_although_it_is_the_next_one_in_utc() -> None:
    entity = an_entity(time_zone="America/New_York")
    say(entity, "I fixed the pump today.", at=datetime(2026, 4, 23, 2, 30, tzinfo=UTC))
    claim = store(
        "Alice fixed the pump on 22 April 2026.", happened_from="2026-04-22", happened_until="2026-04-22"
    )
    model = settle(entity, l1_extract=answer(claim))
    atom = Atom.objects.get()
    assert "2026-04-22 22:30 Wednesday" in model.requests[0].user
    assert (atom.text, atom.happened_from) == ("Alice fixed the pump on 22 April 2026.", date(2026, 4, 22))
    assert atom.occurred_at == datetime(2026, 4, 23, 2, 30, tzinfo=UTC)


def test_the_day_in_utc_is_refused() -> None:
    entity = an_entity(time_zone="America/New_York")
    say(entity, "I fixed the pump today.", at=datetime(2026, 4, 23, 2, 30, tzinfo=UTC))
    settle(entity, l1_extract=answer(store("Alice fixed the pump on 23 April 2026.")))
    assert (Atom.objects.count(), dropped(entity)) == (0, ["The cited messages do not hold: 23 April 2026."])


def test_what_nobody_knows_the_time_of_gets_no_date() -> None:
    entity = an_entity()
    say(entity, "The bridge was closed for repairs.", at=None)
    model = settle(
        entity, l1_extract=answer(store("The bridge was closed for repairs.", happened_from="2026-06-02"))
    )
    assert "time unknown" in model.requests[0].user
    assert (Atom.objects.count(), dropped(entity)) == (
        0,
        ["Nobody knows when this was said: leave the dates out."],
    )
    say(entity, "The bridge was closed for repairs.", at=None, session="again")
    settle(entity, answer(store("The bridge was closed for repairs.")))
    atom = Atom.objects.get()
    assert (atom.occurred_at, atom.happened_from, atom.last_seen_at) == (None, None, None)


def test_a_date_that_the_words_hold_needs_no_time_of_saying() -> None:
    entity = an_entity()
    say(entity, "The bridge opened in 1932.", at=None)
    settle(
        entity,
        answer(store("The bridge opened in 1932.", happened_from="1932-01-01", happened_until="1932-12-31")),
    )
    assert Atom.objects.get().happened_from == date(1932, 1, 1)


def test_digits_in_the_words_do_not_allow_another_date() -> None:
    entity = an_entity()
    say(entity, "The bridge was closed for 3 weeks.", at=None)
    settle(entity, answer(store("The bridge was closed for 3 weeks.", happened_from="2026-06-02")))
    assert Atom.objects.get().happened_from is None


@pytest.mark.parametrize(
    "text",
    [
        "Alice met the landlord today.",
        "Alice met the landlord last week.",
        "Alice meets the landlord next Friday.",
        "Alice met the landlord three days ago.",
        "Alice meets the landlord tomorrow.",
        "Alice met the landlord this morning.",
    ],
)
def test_no_relative_word_remains(text: str) -> None:
    entity = an_entity()
    words = "Today, three days ago, this morning, last week, tomorrow, next Friday: I meet the landlord."
    say(entity, words, at=MAY_16)
    settle(entity, l1_extract=answer(store(text)))
    assert Atom.objects.count() == 0
    assert [reason.endswith("means nothing later: write the date.") for reason in dropped(entity)] == [True]


@pytest.mark.parametrize(
    "text", ["Releases happen on the last Friday of the month.", "Alice works late every night."]
)
def test_what_recurs_is_not_relative(text: str) -> None:
    entity = an_entity()
    say(entity, text, at=MAY_16)
    settle(entity, answer(store(text)))
    assert Atom.objects.get().text == text


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Today I met the new landlord.", "Alice met the new landlord on 16 May 2026."),
        ("Yesterday I met the new landlord.", "Alice met the new landlord on 15 May 2026."),
        ("I met the new landlord last month.", "Alice met the new landlord in April 2026."),
        ("I meet the new landlord on Friday.", "Alice meets the new landlord on 22 May 2026."),
    ],
)
def test_relative_words_become_dates_by_the_messages_own_time(said: str, claim: str) -> None:
    entity = an_entity()
    say(entity, said, at=MAY_16)
    model = settle(entity, answer(store(claim)))
    assert "2026-05-16 18:00 Saturday" in model.requests[0].user
    assert Atom.objects.get().text == claim


def test_imported_history_keeps_its_own_time_and_order() -> None:
    entity = an_entity()
    for year in (2025, 2023, 2024):
        say(
            entity,
            f"In {year} I lived in place {year}.",
            session=str(year),
            at=datetime(year, 3, 1, tzinfo=UTC),
        )
    settle(
        entity,
        l1_extract=_claim_of_every_year,
    )
    found = [(atom.occurred_at.year, atom.text) for atom in Atom.objects.in_event_order() if atom.occurred_at]
    assert found == [(year, f"Alice was in place {year}.") for year in (2023, 2024, 2025)]


def _claim_of_every_year(request: Any) -> Any:
    messages = request.payload.messages
    return answer(*(store(f"Alice was in place {m.said_at.year}.", m.handle) for m in messages))


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_every_order_of_arrival_gives_the_same_head_and_history(order: tuple[int, ...]) -> None:
    entity = an_entity()
    places = ("Oslo", "Bergen", "Turku")
    for year in order:
        at = datetime(2020 + year, 3, 1, tzinfo=UTC)
        say(entity, f"I live in {places[year]}.", session=f"{year}", at=at)

        def decide(request: Any) -> Any:
            payload = request.payload
            claim = payload.messages[0].text.replace("I live", "Alice lives")
            targets = [atom.handle for atom in payload.atoms]
            return answer(merge(claim, targets) if targets else store(claim))

        settle(entity, l1_extract=decide)
    rows = Atom.objects.for_entity(entity).order_by("occurred_at")
    assert [(atom.text, atom.status, atom.superseded_by and atom.superseded_by.text) for atom in rows] == [
        ("Alice lives in Oslo.", "superseded", "Alice lives in Bergen."),
        ("Alice lives in Bergen.", "superseded", "Alice lives in Turku."),
        ("Alice lives in Turku.", "live", None),
    ]
    assert Chain.objects.for_entity(entity).count() == 1


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_every_order_of_arrival_gives_the_same_states_when_the_assistant_contradicts(
    order: tuple[int, ...],
) -> None:
    entity = an_entity()
    told = (("user", "Oslo"), ("assistant", "Bergen"), ("user", "Turku"))
    for year in order:
        role, place = told[year]
        say(
            entity,
            f"Alice lives in {place}.",
            role=role,
            session=f"{year}",
            at=datetime(2020 + year, 3, 1, tzinfo=UTC),
        )

        def decide(request: Any) -> Any:
            payload = request.payload
            targets = [atom.handle for atom in payload.atoms]
            claim = payload.messages[0].text
            return answer(merge(claim, targets) if targets else store(claim))

        settle(entity, l1_extract=decide)
    rows = Atom.objects.for_entity(entity).order_by("occurred_at")
    assert [atom.status for atom in rows] == ["superseded", "superseded", "live"]


def test_words_of_unknown_time_stand_where_they_were_recorded() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.", at=datetime.now(UTC) - timedelta(days=30))
    settle(entity, answer(store("Alice lives in Oslo.")))
    say(entity, "I live in Bergen.", at=None, session="undated")
    settle(entity, answer(merge("Alice lives in Bergen.", ["a1"])))
    assert Atom.objects.live().get().text == "Alice lives in Bergen."


def test_a_contradiction_leaves_the_new_claim_live_and_the_old_one_as_history() -> None:
    entity = an_entity()
    say(entity, "I love ramen.")
    settle(entity, answer(store("Alice loves ramen.", kind="persona")))
    say(entity, "I cannot stand ramen any more.")
    settle(
        entity,
        answer(merge("Alice cannot stand ramen any more.", ["a1"], kind="persona", reason="contradiction")),
    )
    assert list(Atom.objects.order_by("seq").values_list("text", "status", "merge_reason")) == [
        ("Alice loves ramen.", "superseded", ""),
        ("Alice cannot stand ramen any more.", "live", "contradiction"),
    ]


def test_a_changed_number_is_an_update_with_its_history() -> None:
    entity = an_entity()
    say(entity, "I have worked at the mill for five years.", at=datetime(2025, 1, 10, tzinfo=UTC))
    settle(entity, answer(store("Alice has worked at the mill for five years.")))
    say(entity, "I have worked at the mill for six years.", at=datetime(2026, 1, 10, tzinfo=UTC))
    settle(entity, answer(merge("Alice has worked at the mill for six years.", ["a1"])))
    rows = [(a.text, a.status, a.occurred_at and a.occurred_at.year) for a in Atom.objects.order_by("seq")]
    assert rows == [
        ("Alice has worked at the mill for five years.", "superseded", 2025),
        ("Alice has worked at the mill for six years.", "live", 2026),
    ]
