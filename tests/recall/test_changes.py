from typing import Any

from memory.models import Message, Run, SceneVersion, Step
from memory.recall.changes import changes_of
from memory.recall.records import Changes, LineDifference, ParkedInput, SceneChange, Skip
from memory.recall.short_ids import short_id
from tests.cast import Alice, note_skip
from tests.factories import SAID_AT, NewLine, make_atom, make_message, make_run, make_scene


def test_the_first_session_led_to_atoms_a_scene_and_a_trait(alice: Alice) -> None:
    changes = changes_of(alice.entity, [message.pk for message in alice.messages[:2]])
    assert [atom.id for atom in changes.stored] == [alice.old_deadline.pk, alice.approval.pk]
    assert changes.scenes == (
        SceneChange(
            scene_id=alice.billing.scene_id,
            title="Billing API",
            number=1,
            status="live",
            lines=(
                LineDifference("added", "Work Context", "", "Billing stays on Express until July 15."),
                LineDifference(
                    "added", "Prohibitions and Failure Modes", "", "Never deploy without Alice's approval."
                ),
            ),
        ),
    )
    assert [trait.version_id for trait in changes.traits] == [alice.trait.pk]
    assert (changes.merged, changes.skipped, changes.parked, changes.reasons) == ((), (), (), {})


def test_the_second_session_repeats_a_rule_and_moves_a_deadline(alice: Alice) -> None:
    changes = changes_of(alice.entity, [message.pk for message in alice.messages[2:]])
    (merge,) = changes.merged
    assert (merge.new.id, [old.id for old in merge.old], merge.reason) == (
        alice.deadline.pk,
        [alice.old_deadline.pk],
        "value",
    )
    assert changes.skipped == (
        Skip(
            text="Never deploy without Alice's approval.",
            reason=f"repeats {short_id(alice.approval.pk)}",
            atom=alice.approval.pk,
            receipts=2,
        ),
    )
    assert [(scene.number, scene.lines) for scene in changes.scenes] == [
        (
            2,
            (
                LineDifference(
                    "reworded",
                    "Work Context",
                    "Billing stays on Express until July 15.",
                    "Billing stays on Express until October 15.",
                ),
                LineDifference("added", "Evolution Record", "", "October 15 instead of July 15."),
            ),
        )
    ]
    assert (changes.stored, changes.traits) == ((), ())


def test_what_changed_nothing_has_its_reason(alice: Alice) -> None:
    run = make_run(alice.entity, noop_reason="a greeting alone")
    message = make_message(alice.entity, "Hello!", run=run)
    assert changes_of(alice.entity, [message.pk]) == Changes(
        messages=1,
        stored=(),
        merged=(),
        skipped=(),
        dropped=(),
        parked=(),
        scenes=(),
        traits=(),
        reasons={"l1_extract": "a greeting alone"},
    )


def test_what_was_dropped_and_parked_is_told(alice: Alice) -> None:
    run = make_run(
        alice.entity,
        decisions=[{"item": 0, "outcome": "dropped", "reason": "No message says it."}],
    )
    failed = make_run(
        alice.entity, status=Run.Status.FAILED, error_kind="cut_off", error_text="The answer ended early."
    )
    read = make_message(alice.entity, "Something.", run=run)
    parked = make_message(
        alice.entity, "Unreadable.", consumed_by_id=None, parked_at=SAID_AT, parked_by_id=failed.pk
    )
    changes = changes_of(alice.entity, [read.pk, parked.pk])
    assert (changes.dropped, changes.parked) == (
        ("No message says it.",),
        (ParkedInput("l1_extract", parked.pk, "Unreadable.", "cut_off: The answer ended early."),),
    )


def test_what_waits_has_changed_nothing_yet(alice: Alice) -> None:
    message = make_message(alice.entity, "Just now.", consumed_by_id=None)
    changes = changes_of(alice.entity, [message.pk])
    assert (changes.messages, changes.stored, changes.reasons) == (1, (), {})


def test_a_retired_scene_is_told(alice: Alice) -> None:
    alice.billing.scene.status, alice.billing.scene.slot = "retired", None
    alice.billing.scene.save()
    changes = changes_of(alice.entity, [alice.messages[3].pk])
    assert [scene.status for scene in changes.scenes] == ["retired"]


def test_messages_of_others_lead_to_nothing(alice: Alice) -> None:
    others = Message.objects.filter(entity__name="agent.bob").values_list("pk", flat=True)
    assert changes_of(alice.entity, list(others)) == Changes(0, (), (), (), (), (), (), (), {})


def test_the_number_of_statements_does_not_grow(alice: Alice, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(16) as few:
        changes_of(alice.entity, [message.pk for message in alice.messages])
    ids = [message.pk for message in alice.messages]
    for number in range(10):
        extract, placing = make_run(alice.entity), make_run(alice.entity, Step.SCENE_SYNTHESIS)
        message = make_message(alice.entity, f"Fact {number}.", run=extract)
        atom = make_atom(alice.entity, f"Fact {number}.", [message], run=extract, consumed_by_id=placing.pk)
        note_skip(extract, alice.approval, message, "repeats a1")
        make_scene(alice.entity, f"Scene {number}", [NewLine("key_evidence", atom.text, [atom])], run=placing)
        ids.append(message.pk)
    with django_assert_max_num_queries(16) as many:
        changes = changes_of(alice.entity, ids)
    assert len(many.captured_queries) == len(few.captured_queries)
    assert len(changes.scenes) == SceneVersion.objects.for_entity(alice.entity).count()
