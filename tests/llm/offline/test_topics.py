"""What a claim belongs to, stable over messages and sessions."""

from collections import Counter

import pytest

from memory.llm.offline.lexicon import matters
from memory.llm.offline.topics import named_undertaking, theme_of, without_separation
from tests.llm.offline.ladder import OFFICE, PAYMENTS, Ladder


def topics(*texts: str) -> list[str]:
    ladder = Ladder()
    return [item.topic for item in ladder.say(*texts)]


def test_a_sentence_without_a_matter_continues_the_one_before() -> None:
    assert topics(PAYMENTS) == ["payments migration"] * 3


def test_a_separate_matter_opens_its_own() -> None:
    assert topics("The payments migration is under way.", OFFICE) == [
        "payments migration",
        "office move",
        "office move",
    ]


def test_a_part_joins_the_undertaking_it_belongs_to() -> None:
    said = ("The billing API migration is mine.", "The billing database is read-only on Fridays.")
    assert topics(*said) == ["billing API migration"] * 2


def test_design_rules_have_one_name() -> None:
    assert topics("UI and UX guidelines must use blue by default.") == ["UI design guidelines"]


def test_two_migrations_are_two_matters() -> None:
    said = ("The billing API migration starts in May.", "The payments migration starts in June.")
    assert topics(*said) == ["billing API migration", "payments migration"]


def test_themes_belong_to_their_person() -> None:
    ladder = Ladder()
    ladder.say("I signed up for a pottery class.", speaker="Nora")
    ladder.say("I adopted two cats from the shelter and a dog.", speaker="Ben")
    assert [item.topic for item in ladder.decisions] == ["Nora's pottery", "Ben's pets"]


@pytest.mark.parametrize(
    ("text", "theme"),
    [
        ("Please book flights to Rome.", "Ann's travel"),
        ("We need to book the hotel.", "Ann's travel"),
        ("I read two good books.", "Ann's books"),
        ("I play the piano.", "Ann's music"),
        ("I store the car in a garage.", "Ann's car"),
        ("My daughter paints and my son sings.", "Ann's family"),
        ("Painting helps with my identity.", "Ann's painting"),
        ("I finished a painting of my dog.", "Ann's painting"),
        ("The adoption agency called about the kids.", "Ann's adoption plans"),
        ("It was a nice day.", ""),
        ("Always run make lint before you commit.", "build and tests"),
        ("Never push to the main branch.", "version control"),
        ("We run Postgres 16.", "databases"),
        ("Use type hints everywhere.", "code style"),
        ("The engine is written in Rust.", "software and tooling"),
        ("We deploy on Fridays.", "production operations"),
        ("The match engine must never block.", ""),
        ("The camera driver crashes.", ""),
        ("Adoption of the process is slow.", ""),
        ("The worker is reading from a file.", ""),
        ("I love running by the river.", "Ann's sport"),
        ("I ran in the charity race.", "Ann's sport"),
        ("My car needs a new engine.", "Ann's car"),
        ("I take a class in pottery.", "Ann's pottery"),
        ("I wrote a script for the play.", ""),
    ],
)
def test_a_theme_is_told_by_its_own_words(text: str, theme: str) -> None:
    assert theme_of(text, "Ann") == theme


def test_one_word_of_any_talk_decides_only_when_asked() -> None:
    assert (theme_of("I took a trip.", "Ann"), theme_of("I took a trip.", "Ann", is_faint_enough=True)) == (
        "",
        "Ann's travel",
    )


@pytest.mark.parametrize(
    "text",
    [
        "The pipeline runs every night at 2.",
        "The play button must be green.",
        "The train job takes three hours.",
        "The stage environment is frozen.",
        "Always write a class docstring.",
        "Never cache the card of a user.",
        "The book service writes a file.",
        "Always read the schema first.",
        "Log at debug level in the worker.",
        "The lease of the lock is short.",
        "The cause of the crash is a race.",
    ],
)
def test_a_word_of_two_senses_names_no_theme_of_life(text: str) -> None:
    assert not theme_of(text, "Ann", is_faint_enough=True).startswith("Ann's ")


def test_no_word_of_a_theme_is_listed_twice() -> None:
    twice = {
        theme.name: doubled
        for theme in matters().themes
        if (
            doubled := [
                term
                for term, count in Counter((*theme.terms, *theme.faint, *theme.support)).items()
                if count > 1
            ]
        )
    }
    assert twice == {}


def test_an_undertaking_keeps_its_name_beside_a_theme_of_work() -> None:
    assert named_undertaking("The Postgres migration starts in May.") == "Postgres migration"


@pytest.mark.parametrize(
    "opening",
    [
        "This is separate from payments:",
        "Separate from payments,",
        "Unrelated to payments:",
        "Different from payments:",
        "Not about payments, but",
        "On another topic:",
    ],
)
def test_words_that_part_two_matters_open_one(opening: str) -> None:
    assert without_separation(f"{opening} the lease is unsigned.") == ("the lease is unsigned.", True)


@pytest.mark.parametrize("text", ["Apart from pizza, I like ramen.", "Different people like tea, I think."])
def test_an_exception_parts_nothing(text: str) -> None:
    assert without_separation(text) == (text, False)


def test_a_name_in_an_undertaking_keeps_its_capital_and_praise_names_nothing() -> None:
    assert named_undertaking("We finished the Lisbon office move.") == "Lisbon office move"
    assert named_undertaking("It was a cool project.") == ""
