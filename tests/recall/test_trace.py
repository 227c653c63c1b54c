from typing import Any

import pytest
from django.utils import timezone

from memory.models import Atom, Correction, Message
from memory.recall.records import TraceNode
from memory.recall.short_ids import NoIdError, short_id
from memory.recall.trace import AmbiguousIdError, NoRecordError, trace, uses
from tests.cast import Alice
from tests.factories import NewLine, cite, make_atom, make_message, make_scene

Shape = tuple[str, str, list[Any]]

UNKNOWN_ID = "01890a5d-ac96-774b-bcce-b302099a8057"


def shape(node: TraceNode) -> Shape:
    """Kind, text and children of a node."""
    return (node.kind, node.text, [shape(child) for child in node.children])


APPROVAL: Shape = (
    "atom",
    "Never deploy without Alice's approval.",
    [
        ("message", "Never deploy without my approval.", []),
        ("message", "As I said: never deploy without my approval.", []),
    ],
)


def test_a_trait_is_traced_down_to_the_words(alice: Alice) -> None:
    tree = trace(alice.entity, short_id(alice.trait.pk))
    assert (tree.direction, shape(tree.root)) == (
        "down",
        (
            "trait",
            "Asks for approval first.",
            [("line", "Never deploy without Alice's approval.", [APPROVAL])],
        ),
    )


def test_words_are_told_with_speaker_time_and_session(alice: Alice) -> None:
    first, second = trace(alice.entity, short_id(alice.approval.pk)).root.children
    assert first.facts == {"speaker": "Alice", "said": "2026-06-02 09:01 UTC", "session": "first"}
    assert second.facts == {
        "speaker": "Alice",
        "said": "2026-06-02 09:00 UTC",
        "session": "second",
        "receipt": "repeats it",
    }


def test_an_atom_tells_its_place_in_its_chain(alice: Alice) -> None:
    new = trace(alice.entity, short_id(alice.deadline.pk)).root
    old = trace(alice.entity, short_id(alice.old_deadline.pk)).root
    assert new.facts == {
        "kind": "episodic",
        "priority": "50",
        "status": "live",
        "merged for": "value",
        "in place of": short_id(alice.old_deadline.pk),
    }
    assert old.facts["superseded by"] == short_id(alice.deadline.pk)


def test_a_scene_and_each_of_its_versions_have_a_tree(alice: Alice) -> None:
    head = trace(alice.entity, str(alice.billing.scene_id)).root
    earlier = trace(alice.entity, str(alice.first_version.pk)).root
    assert [line.text for line in head.children] == [
        "Never deploy without Alice's approval.",
        "Billing stays on Express until October 15.",
        "October 15 instead of July 15.",
    ]
    assert (earlier.facts, [line.text for line in earlier.children]) == (
        {"version": "1", "status": "earlier version"},
        ["Billing stays on Express until July 15.", "Never deploy without Alice's approval."],
    )
    assert trace(alice.entity, str(alice.billing.pk)).root == head


def test_words_are_traced_up_to_the_persona(alice: Alice) -> None:
    tree = uses(alice.entity, short_id(alice.messages[1].pk))
    line: Shape = (
        "line",
        "Never deploy without Alice's approval.",
        [("trait", "Asks for approval first.", [])],
    )
    assert (tree.direction, shape(tree.root)) == (
        "up",
        (
            "message",
            "Never deploy without my approval.",
            [("atom", "Never deploy without Alice's approval.", [line])],
        ),
    )


def test_a_line_tells_in_which_scene_it_stands(alice: Alice) -> None:
    gone, kept = uses(alice.entity, short_id(alice.old_deadline.pk)).root.children
    assert (gone.facts["scene"], kept.facts["scene"]) == ("no longer in any", "Billing API")


def test_a_scene_is_traced_up_through_its_lines(alice: Alice) -> None:
    lines = uses(alice.entity, str(alice.billing.scene_id)).root.children
    assert [len(line.children) for line in lines] == [1, 0, 0]


def test_nothing_rests_on_a_trait(alice: Alice) -> None:
    assert uses(alice.entity, str(alice.trait.trait_id)).root.children == ()


def test_a_correction_is_evidence(alice: Alice) -> None:
    correction = Correction.objects.create(
        workspace=alice.entity.workspace, entity=alice.entity, kind="retract", reason="It was a joke."
    )
    cite(alice.entity, of_atom=alice.deadline, targets={"correction": [correction]})
    *_, node = trace(alice.entity, str(alice.deadline.pk)).root.children
    assert node == TraceNode(
        None, "correction", correction.pk, "It was a joke.", {"made": "retract by a former user"}
    )
    assert shape(uses(alice.entity, str(correction.pk)).root)[2][0][:2] == ("atom", alice.deadline.text)


def test_what_is_not_stored_here_is_named(alice: Alice) -> None:
    cite(
        alice.entity,
        of_atom=alice.deadline,
        outside_kind="tool_event",
        outside_reference="ticket 4711",
        targets={"outside_authority": [4]},
    )
    *_, node = trace(alice.entity, str(alice.deadline.pk)).root.children
    assert node == TraceNode(
        None, "outside", None, "ticket 4711", {"kind": "tool_event", "authority": "application"}
    )


@pytest.mark.parametrize("digits", [4, 8, 12, 16, 31, 32])
def test_an_end_of_the_id_finds_the_record(alice: Alice, digits: int) -> None:
    # Four digits may, rarely, be shared by two rows of the cast.
    others = {atom.pk.hex[-digits:] for atom in Atom.objects.exclude(pk=alice.deadline.pk)}
    if alice.deadline.pk.hex[-digits:] not in others:
        assert trace(alice.entity, alice.deadline.pk.hex[-digits:]).root.text == alice.deadline.text


def test_an_ambiguous_beginning_lists_what_it_may_mean(alice: Alice) -> None:
    with pytest.raises(AmbiguousIdError) as refused:
        trace(alice.entity, alice.messages[0].pk.hex[:6])
    candidates = refused.value.candidates
    assert {candidate.kind for candidate in candidates} >= {"message", "atom", "scene", "trait"}
    assert (candidates[0].id, candidates[0].text) == (alice.messages[0].pk, alice.messages[0].text)


@pytest.mark.parametrize("typed", ["ffffffff", UNKNOWN_ID])
def test_an_unknown_id_is_told(alice: Alice, typed: str) -> None:
    with pytest.raises(NoRecordError):
        trace(alice.entity, typed)


def test_what_is_no_id_is_told(alice: Alice) -> None:
    with pytest.raises(NoIdError):
        trace(alice.entity, "xyz")


def test_nothing_of_another_entity_is_found(alice: Alice) -> None:
    bob = the_bob()
    for row in (*Message.objects.filter(entity=bob), *Atom.objects.filter(entity=bob)):
        with pytest.raises(NoRecordError):
            trace(alice.entity, str(row.pk))


def the_bob() -> Any:
    return Message.objects.filter(entity__name="agent.bob").select_related("entity").get().entity


@pytest.mark.parametrize("walk", [trace, uses])
@pytest.mark.parametrize("start", ["messages", "approval", "approval_line", "billing", "trait"])
def test_the_number_of_statements_does_not_grow(
    alice: Alice, walk: Any, start: str, django_assert_max_num_queries: Any
) -> None:
    row = alice.messages[1] if start == "messages" else getattr(alice, start)
    with django_assert_max_num_queries(12) as few:
        walk(alice.entity, str(row.pk))
    for number in range(10):
        message = make_message(alice.entity, f"More {number}.", occurred_at=timezone.now())
        cite(alice.entity, of_atom=alice.approval, targets={"message": [message]})
        atom = make_atom(alice.entity, f"More {number}.", [alice.messages[1]])
        make_scene(
            alice.entity, f"Scene {number}", [NewLine("key_evidence", atom.text, [atom, alice.approval])]
        )
    with django_assert_max_num_queries(12) as many:
        walk(alice.entity, str(row.pk))
    assert len(many.captured_queries) == len(few.captured_queries)
