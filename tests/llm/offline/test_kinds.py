"""Rules, traits and events, and how much each matters."""

import pytest

from tests.llm.offline.ladder import Ladder


def judged(text: str) -> tuple[str, int, str]:
    ladder = Ladder()
    [item] = ladder.say(text)
    return item.kind, item.priority, item.scope


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Never deploy to production without my written approval.", ("instruction", 92, "")),
        ("Never share customer data with third parties.", ("instruction", 92, "")),
        ("Always keep telemetry enabled when you change a service.", ("instruction", 85, "")),
        ("UI and UX guidelines must use blue by default.", ("instruction", 85, "")),
        ("Keep the billing API on Express until July 30.", ("instruction", 80, "")),
        ("Please give me short answers with the reason first.", ("instruction", 75, "")),
        ("Use metric units by default.", ("instruction", 75, "")),
        ("I am allergic to latex.", ("persona", 92, "")),
        ("I lead the platform team at Northwind.", ("persona", 65, "")),
        ("I prefer small steps over big rewrites.", ("persona", 58, "")),
        ("I always drink tea in the morning.", ("persona", 65, "")),
        ("We must finish the office move before September 10.", ("episodic", 72, "")),
        ("We had a silent outage in March.", ("episodic", 60, "")),
        ("The new webhook contract is still unapproved.", ("episodic", 60, "")),
        ("I fixed the pump today.", ("episodic", 45, "")),
    ],
)
def test_kind_and_priority_follow_from_the_words(said: str, expected: tuple[str, int, str]) -> None:
    assert judged(said) == expected


def test_a_rule_for_one_moment_is_bound_to_it_and_stands_below_the_floor() -> None:
    assert judged("For this check answer only OK.") == ("instruction", 40, "For this check")


def test_a_friends_fact_is_the_friends() -> None:
    ladder = Ladder()
    ladder.say(
        "My friend Anna works at a bakery in Ghent. My sister is allergic to peanuts. I work at the mill."
    )
    assert [item.subject for item in ladder.decisions] == ["Anna", "Alice's sister", "Alice"]
