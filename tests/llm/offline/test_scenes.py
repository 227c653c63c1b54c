"""Claims into scenes: where they go, what they replace, what the cap does."""

from datetime import UTC, datetime

import pytest

from memory.cascade.contract import (
    LineEdit,
    OfferedAtom,
    OfferedLine,
    OfferedScene,
    SceneEdit,
    SynthesisAnswer,
    SynthesisPayload,
)
from memory.llm.offline.scenes import synthesize
from memory.llm.offline.sections import section_of
from tests.llm.offline.ladder import OFFICE, PAYMENTS, Ladder

MAY, JUNE = datetime(2026, 5, 2, tzinfo=UTC), datetime(2026, 6, 23, tzinfo=UTC)


def atom(
    handle: str, text: str, *, kind: str = "episodic", topic: str = "office move", **rest: object
) -> OfferedAtom:
    return OfferedAtom(handle, text, kind, 70, topic, "", "user", **{"state": "live", "said_at": MAY, **rest})  # type: ignore[arg-type]


def test_distinct_contexts_of_one_day_open_separate_scenes() -> None:
    ladder = Ladder()
    ladder.say(
        PAYMENTS,
        OFFICE,
        "UI and UX guidelines must use blue by default.",
    )  # fmt: skip
    ladder.synthesize()
    assert ladder.titles() == ["Office Move", "Payments Migration", "UI Design Guidelines"]
    assert ladder.scene("Payments Migration") == {
        "work_context": ["The payments migration is under way."],
        "related_tasks": ["Alice's team must finish the payments migration before September 10, 2026."],
        "open_questions": ["The new webhook contract is unapproved."],
    }
    assert ladder.scene("UI Design Guidelines") == {
        "core_sop": ["UI and UX guidelines must use blue by default."]
    }


@pytest.mark.parametrize(
    ("text", "kind", "section"),
    [
        ("The office move is under way.", "episodic", "work_context"),
        ("Never move servers on Fridays.", "instruction", "prohibitions"),
        ("When the pager goes off, freeze deploys first, then open the channel.", "instruction", "core_sop"),
        ("This guidance applies only to the Porto office.", "episodic", "applies_when"),
        ("Alice prefers small steps over big rewrites.", "persona", "decision_logic"),
        ("Alice's team had a silent outage in March 2026.", "episodic", "prohibitions"),
        ("The office move is blocked until the lease is signed.", "episodic", "open_questions"),
        ("The office move must happen by September 20, 2026.", "episodic", "related_tasks"),
        ("Alice's team moved from Kafka to Redis.", "episodic", "evolution_record"),
        ("The lease costs 4,000 euros a month and was signed.", "episodic", "key_evidence"),
        ("The staging server answers in 240 ms.", "episodic", "key_evidence"),
        ("According to the survey, people want more plants.", "episodic", "key_evidence"),
        ("Nora planted tulips in March.", "episodic", "key_evidence"),
        ("Nora is swamped with work.", "episodic", "work_context"),
        ("Nora loves the bowl she made.", "persona", "work_context"),
        ("Nora will always remember the tulips.", "episodic", "work_context"),
        ("The shop is open on Sundays.", "episodic", "work_context"),
        ("Nora is not sure whether the shop opens.", "episodic", "open_questions"),
        ("Nora is considering a smaller shop.", "episodic", "open_questions"),
        ("Nora plans to open a shop.", "episodic", "related_tasks"),
        ("Nora and others plan events every week.", "episodic", "work_context"),
        ("Ben is responsible for the keys.", "episodic", "related_tasks"),
        ("The floor plan is at https://plans.example/7.", "episodic", "related_tasks"),
        ("Nora chose the smaller shop because the rent is low.", "episodic", "decision_logic"),
        ("Nora loves that Ben chose pottery.", "persona", "work_context"),
        ("The build failed after the upgrade.", "episodic", "prohibitions"),
        ("Nora no longer rents the studio.", "episodic", "evolution_record"),
        ('Asked "Did it go well?", Nora answered: Nora is happy with it.', "episodic", "work_context"),
        ("Nora has met many potters.", "episodic", "work_context"),
        ("Since Nora was young, the garden calms Nora.", "episodic", "work_context"),
        ("Learning what clay can do was the best part.", "episodic", "key_evidence"),
        ('Asked "Any tips for glazing?", Nora answered: Stir it well.', "episodic", "core_sop"),
        ("Never touch the kiln without gloves.", "episodic", "prohibitions"),
        ("Nora said: Potters are patient people.", "episodic", "work_context"),
        ("Der Umzug ist noch nicht genehmigt.", "episodic", "open_questions"),
    ],
)
def test_a_line_stands_in_the_section_of_what_it_does(text: str, kind: str, section: str) -> None:
    assert section_of(atom("a1", text, kind=kind)) == section


def test_a_changed_value_replaces_its_line_and_is_recorded_once() -> None:
    before = Ladder()
    before.say("Keep the billing API on Express until July 15.", at=MAY)
    before.synthesize()
    before.say("Keep the billing API on Express until October 15.", at=JUNE)
    after = Ladder()
    after.say("Keep the billing API on Express until July 15.", at=MAY)
    after.say("Keep the billing API on Express until October 15.", at=JUNE)
    expected = {
        "core_sop": ["Keep the billing API on Express until October 15, 2026."],
        "evolution_record": [
            "On 23 June 2026: Keep the billing API on Express until October 15, 2026 "
            "(before: Keep the billing API on Express until July 15, 2026)."
        ],
    }
    for ladder in (before, after):
        ladder.synthesize()
        assert [ladder.scene(title) for title in ladder.titles()] == [expected]


def test_a_third_value_keeps_one_record_of_the_whole_chain() -> None:
    ladder = Ladder()
    for day, date in enumerate(("July 15", "August 15", "October 15"), 1):
        ladder.say(f"Keep the billing API on Express until {date}.", at=datetime(2026, 6, day, tzinfo=UTC))
        ladder.synthesize()
    [title] = ladder.titles()
    assert ladder.scene(title)["evolution_record"] == [
        "On 3 June 2026: Keep the billing API on Express until October 15, 2026 "
        "(before: Keep the billing API on Express until August 15, 2026; "
        "before that: Keep the billing API on Express until July 15, 2026)."
    ]


def test_a_due_line_without_a_successor_goes_and_pinned_lines_stay() -> None:
    gone = atom("a1", "The lease is signed.", state="retracted")
    kept = atom("a2", "The lease costs 4,000 euros.")
    lines = (
        OfferedLine("s1.l1", "work_context", "The lease is signed.", ("a1",), is_due=True),
        OfferedLine(
            "s1.l2", "key_evidence", "The lease is signed and costs 4,000 euros.", ("a1", "a2"), is_due=True
        ),
        OfferedLine("s1.l3", "work_context", "Ask Ben about keys.", ("a1",), is_pinned=True, is_due=True),
    )
    scene = OfferedScene("s1", "Office Move", "", ("office move",), 2, True, lines)
    assert synthesize(SynthesisPayload("e", "UTC", (gone, kept), (scene,))).items == [
        SceneEdit(
            action="update",
            scene="s1",
            lines=[
                LineEdit(op="remove", line="s1.l1", section="work_context"),
                LineEdit(
                    op="replace",
                    line="s1.l2",
                    section="key_evidence",
                    text="The lease costs 4,000 euros.",
                    atoms=["a2"],
                ),
            ],
            reason="lines added 0, replaced 1, removed 1",
        )
    ]


def test_at_the_cap_a_claim_joins_the_scene_that_shares_most_words_where_none_are_related() -> None:
    scenes = (
        OfferedScene("s1", "Office Move", "", ("office move", "furniture"), 3, False),
        OfferedScene("s2", "Incident Response", "", ("incident response",), 3, False),
    )
    new = atom("a1", "The lift for furniture is broken.", topic="lift audit", is_new=True)
    answer = synthesize(SynthesisPayload("e", "UTC", (new,), scenes, scene_cap=2))
    assert [(edit.action, edit.scene) for edit in answer.items] == [("update", "s1")]


def test_a_full_scene_is_continued_in_a_second_part() -> None:
    scene = OfferedScene("s1", "Office Move", "", ("office move",), 90, False, characters=5_190)
    answer = synthesize(
        SynthesisPayload("e", "UTC", (atom("a1", "The office move is late.", is_new=True),), (scene,))
    )
    assert [(edit.action, edit.title) for edit in answer.items] == [("create", "Office Move, part 2")]


def test_where_every_scene_is_full_a_claim_stands_alone() -> None:
    scene = OfferedScene("s1", "Office Move", "", ("office move",), 90, False, characters=5_190)
    new = atom("a1", "The office move is late.", is_new=True)
    assert synthesize(SynthesisPayload("e", "UTC", (new,), (scene,), scene_cap=1)).items == []


def test_nothing_new_is_said_plainly() -> None:
    assert synthesize(SynthesisPayload("e", "UTC", (), ())) == SynthesisAnswer(
        items=[], nothing_reason="Every offered atom already stands in a scene."
    )
