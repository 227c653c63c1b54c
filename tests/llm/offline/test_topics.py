"""What a claim belongs to, stable over messages and sessions."""

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
    assert [item.topic for item in ladder.decisions] == ["Nora's art and crafts", "Ben's home, food and pets"]
