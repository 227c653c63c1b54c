"""Traits: standing preferences and rules, no dates, only what changed."""

from dataclasses import replace

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
    return OfferedScene(handle, "Working with Alice", "", (), len(atoms), is_full, lines if is_full else ())


def edits(*scenes: OfferedScene, traits: tuple[OfferedTrait, ...] = ()) -> list[TraitEdit]:
    return characterize(PersonaPayload("e", "UTC", scenes, (ROLE, APPROVAL, STYLE), traits)).items


def test_roles_and_rules_become_traits_with_their_lines() -> None:
    assert [(edit.slot, edit.text, edit.lines) for edit in edits(scene("s1", ROLE, APPROVAL, STYLE))] == [
        ("role", "Alice leads the platform team.", ["s1.l1"]),
        (
            "interaction_protocol",
            "Get Alice's approval before you deploy; give Alice short answers.",
            ["s1.l2", "s1.l3"],
        ),
    ]


def test_a_trait_that_stands_is_not_written_again() -> None:
    current = OfferedTrait("t1", "role", "Alice leads the platform team.", ("s1.l1",))
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
