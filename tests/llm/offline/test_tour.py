"""The scripted tour through all three layers."""

from collections import Counter

from tests.llm.offline.ladder import Ladder, tour_sessions

APPROVAL = "Never deploy to production without Alice's written approval."


def toured(sessions: int) -> Ladder:
    ladder = Ladder()
    for session in tour_sessions()[:sessions]:
        ladder.read(session)
        ladder.synthesize()
        ladder.characterize()
    return ladder


def test_session_one_gives_the_rules_with_the_critical_one_first() -> None:
    ladder = toured(1)
    assert ladder.rules() == [
        APPROVAL,
        "Always keep telemetry enabled when you change a service.",
        "Keep the billing API on Express until July 15, 2026.",
        "Give Alice short answers with the reason first.",
        "When the pager goes off, freeze deploys first, then open the incident channel, "
        "then write the timeline.",
    ]
    assert ladder.rules(floor=90) == [APPROVAL]


def test_session_one_keeps_contexts_apart() -> None:
    assert toured(1).titles() == [
        "Billing API Migration",
        "Incident Response",
        "Production Operations",
        "Working with Alice",
    ]


def test_session_two_is_one_repeat_one_change_and_new_constraints() -> None:
    ladder = toured(1)
    before = len(ladder.decisions)
    ladder.read(tour_sessions()[1])
    fresh = ladder.decisions[before:]
    assert Counter(item.action for item in fresh) == {"skip": 1, "merge": 1, "store": 2}
    [skip] = [item for item in fresh if item.action == "skip"]
    [approval] = [atom for atom in ladder.live() if atom.text == APPROVAL]
    assert (skip.targets, ladder.receipts[approval.handle]) == ([approval.handle], 2)
    assert [item.text for item in fresh if item.action == "store"] == [
        "The billing database is read-only on Fridays.",
        "Never schedule a schema change for a Friday.",
    ]


def test_the_moved_deadline_leaves_the_rules_and_every_line_but_the_record() -> None:
    ladder = toured(2)
    assert "Keep the billing API on Express until October 15, 2026." in ladder.rules()
    assert not any("July 15" in rule for rule in ladder.rules())
    old = {
        (scene.title, line.section)
        for scene in ladder.scenes
        for line in scene.lines
        if "July 15" in line.text
    }
    assert old == {("Billing API Migration", "evolution_record")}


def test_the_persona_says_what_an_agent_should_do() -> None:
    assert {slot: trait.text for slot, trait in toured(2).traits.items()} == {
        "role": "Speak to Alice as somebody who leads the platform team at Northwind.",
        "technical_preferences": "Always keep telemetry enabled when you change a service.",
        "interaction_protocol": "Get Alice's written approval before you deploy to production; "
        "give Alice short answers with the reason first.",
        "decision_pattern": "Prefer small, reversible steps over big rewrites.",
    }


def test_a_third_run_changes_nothing() -> None:
    ladder = toured(2)
    assert (ladder.synthesize().items, ladder.characterize().items) == ([], [])
