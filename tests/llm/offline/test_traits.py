"""Traits: standing preferences and rules, no dates, only what changed."""

from dataclasses import replace

import pytest

from memory.cascade.contract import (
    OfferedAtom,
    OfferedLine,
    OfferedScene,
    OfferedTrait,
    PersonaPayload,
    TraitEdit,
)
from memory.llm.offline.traits import characterize

ROLE = OfferedAtom(
    "a1", "Alice leads the platform team.", "persona", 65, "about Alice", "Alice", "user", "live", None
)
APPROVAL = replace(
    ROLE, handle="a2", text="Never deploy without Alice's approval.", kind="instruction", priority=92
)
STYLE = replace(ROLE, handle="a3", text="Give Alice short answers.", kind="instruction", priority=75)


def scene(handle: str, *atoms: OfferedAtom, is_full: bool = True, is_due: bool = False) -> OfferedScene:
    lines = tuple(
        OfferedLine(f"{handle}.l{number}", "core_sop", atom.text, (atom.handle,), is_due=is_due)
        for number, atom in enumerate(atoms, 1)
    )
    return OfferedScene(
        handle,
        "Working with Alice",
        "",
        ("working with Alice",),
        len(atoms),
        is_full,
        lines if is_full else (),
    )


def edits(*scenes: OfferedScene, traits: tuple[OfferedTrait, ...] = ()) -> list[TraitEdit]:
    return characterize(PersonaPayload("e", "UTC", scenes, (ROLE, APPROVAL, STYLE), traits)).items


def test_roles_and_rules_become_traits_with_their_lines() -> None:
    assert [(edit.slot, edit.text, edit.lines) for edit in edits(scene("s1", ROLE, APPROVAL, STYLE))] == [
        ("role", "Speak to Alice as somebody who leads the platform team.", ["s1.l1"]),
        (
            "interaction_protocol",
            "Get Alice's approval before you deploy; give Alice short answers.",
            ["s1.l2", "s1.l3"],
        ),
    ]


def test_a_trait_that_stands_is_not_written_again() -> None:
    current = OfferedTrait(
        "t1", "role", "Speak to Alice as somebody who leads the platform team.", ("s1.l1",)
    )
    assert edits(scene("s1", ROLE), traits=(current,)) == []


def test_what_other_scenes_support_is_kept() -> None:
    current = OfferedTrait("t1", "interaction_protocol", "Give Alice short answers.", ("s2.l9",))
    other = scene("s2", is_full=False)
    assert [(edit.text, edit.lines) for edit in edits(scene("s1", APPROVAL), other, traits=(current,))] == [
        ("Give Alice short answers; get Alice's approval before you deploy.", ["s2.l9", "s1.l1"])
    ]


def test_a_trait_whose_lines_are_gone_is_retracted() -> None:
    current = OfferedTrait("t1", "role", "Alice leads the platform team.", (), is_due=True)
    assert [(edit.action, edit.slot) for edit in edits(scene("s1", STYLE), traits=(current,))] == [
        ("retract", "role"),
        ("set", "interaction_protocol"),
    ]


def test_dated_plans_events_and_due_lines_make_no_trait() -> None:
    dated = replace(STYLE, text="Give Alice short answers until July 15, 2026.")
    ticket = replace(STYLE, text="Give Alice short answers in OPS-12.")
    event = replace(ROLE, kind="episodic")
    payload = PersonaPayload("e", "UTC", (scene("s1", dated),), (dated,), ())
    for atom in (dated, ticket, event):
        assert characterize(replace(payload, scenes=(scene("s1", atom),), atoms=(atom,))).items == []
    assert edits(scene("s1", ROLE, is_due=True)) == []


def trait_of(text: str, *, kind: str = "persona", topic: str = "about Alice", priority: int = 65) -> str:
    """Slot and text that one claim alone makes."""
    atom = replace(ROLE, text=text, kind=kind, topic=topic, priority=priority)  # type: ignore[arg-type]
    items = characterize(PersonaPayload("e", "UTC", (scene("s1", atom),), (atom,), ())).items
    return "".join(f"{item.slot}: {item.text}" for item in items)


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        (
            "Alice is a nurse at the children's hospital.",
            "Alice as somebody who is a nurse at the children's hospital",
        ),
        ("Alice works as a court reporter.", "Alice as somebody who works as a court reporter"),
        ("Alice is now a freelance photographer.", "Alice as somebody who is now a freelance photographer"),
        (
            "Alice's job is keeping the archive in order.",
            "Alice as somebody whose job is keeping the archive in order",
        ),
        ("Alice manages two warehouses.", "Alice as somebody who manages two warehouses"),
        ("The user leads the night shift.", "the user as somebody who leads the night shift"),
    ],
)
def test_what_somebody_does_tells_how_to_speak_to_them(text: str, trait: str) -> None:
    assert trait_of(text) == f"role: Speak to {trait}."


@pytest.mark.parametrize(
    "text",
    [
        "Alice is allergic to peanuts and shellfish.",
        "Alice is gluten intolerant.",
        "Alice is a vegetarian.",
        "Alice is hard of hearing.",
        "Alice lives in Lisbon.",
        "Alice speaks Dutch and Turkish.",
    ],
)
def test_what_an_agent_must_reckon_with_is_part_of_the_archetype(text: str) -> None:
    assert trait_of(text) == f"archetype: Keep in mind that {text}"


@pytest.mark.parametrize(
    "text",
    ["Mia is allergic to nuts.", "Mia works as a court reporter.", "Alice's sister is a vegetarian."],
)
def test_what_a_friend_is_or_does_is_no_trait(text: str) -> None:
    assert trait_of(text, topic="Alice's family") == ""


@pytest.mark.parametrize(
    ("text", "trait"),
    [
        ("Alice hates long answers.", "Avoid long answers."),
        ("Alice likes short answers.", "Favour short answers."),
        ("Alice prefers bullet points.", "Prefer bullet points."),
    ],
)
def test_a_leaning_in_how_to_answer_becomes_a_direction(text: str, trait: str) -> None:
    assert trait_of(text) == f"interaction_protocol: {trait}"


@pytest.mark.parametrize(
    "text",
    [
        "Alice loves the yellow leaves.",
        "Alice thinks Alice is a good player.",
        "Alice lost a job as a banker.",
        "Alice asked a friend who works for the city.",
        "Alice is maybe allergic to wool.",
        "Alice is too lazy to see a doctor about an allergy.",
        "Alice is a big fan of old trams.",
    ],
)
def test_what_is_said_in_passing_is_no_trait(text: str) -> None:
    assert trait_of(text) == ""


def test_a_rule_given_within_a_project_stays_in_its_scene() -> None:
    rule = "Never run schema changes on a Friday."
    assert trait_of(rule, kind="instruction", topic="warehouse migration") == ""
    assert trait_of(rule, kind="instruction", topic="production operations") == (
        "technical_preferences: Never run schema changes on a Friday."
    )


def test_a_rule_that_says_it_holds_everywhere_leaves_its_project() -> None:
    text = "Write tests for every change."
    assert trait_of(text, kind="instruction", topic="warehouse migration") == f"technical_preferences: {text}"


def test_a_preference_is_a_persons_own_within_a_project_too() -> None:
    assert trait_of("Alice prefers tabs.", topic="warehouse migration") == (
        "technical_preferences: Prefer tabs."
    )


def test_rules_on_working_with_somebody_are_the_protocol() -> None:
    rule = "Never share Alice's calendar with strangers."
    assert trait_of(rule, kind="instruction", topic="working with Alice") == f"interaction_protocol: {rule}"


def test_a_trait_that_is_full_cites_only_what_it_says() -> None:
    rules = [
        replace(STYLE, handle=f"a{number}", text=f"Give {word} answers {'and so on ' * 20}in writing.")
        for number, word in enumerate(("brief", "calm", "direct", "short"))
    ]
    [edit] = characterize(PersonaPayload("e", "UTC", (scene("s1", *rules),), tuple(rules), ())).items
    assert (len(edit.text) <= 600, edit.text.count("give ") + 1, edit.lines) == (True, 2, ["s1.l1", "s1.l2"])
