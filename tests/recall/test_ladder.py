from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.models import Atom, Process, Step
from memory.recall import ladder
from memory.recall.records import LadderStatus, LineRecord, SceneRecord, SectionRecord
from tests.cast import Alice
from tests.factories import (
    SAID_AT,
    NewLine,
    make_atom,
    make_entity,
    make_message,
    make_pending_message,
    make_scene,
)


def headings_and_lines(scene: SceneRecord) -> list[tuple[str, list[str]]]:
    return [(section.heading, [line.text for line in section.lines]) for section in scene.sections]


def test_status_counts_each_layer_and_what_waits(alice: Alice) -> None:
    make_pending_message(alice.entity, "And one more thing.")
    make_pending_message(alice.entity, "Unreadable.", parked_at=SAID_AT)
    assert ladder.status(alice.entity) == LadderStatus(
        entity="agent.alice-test",
        messages=6,
        atoms_live=2,
        atoms_all=3,
        scenes_live=1,
        scene_versions=2,
        traits=1,
        pending={step.value: 0 for step in Step if step != Step.PROMOTION} | {"l1_extract": 1},
        parked=dict.fromkeys(Step.values, 0) | {"l1_extract": 1},
        worker_seen_seconds=None,
    )


def test_status_counts_the_scenes_that_scenes_shows(alice: Alice) -> None:
    make_scene(alice.entity, "Second", [NewLine("key_evidence", "A fact.", [alice.deadline])])
    assert ladder.status(alice.entity).scenes_live == len(ladder.scenes(alice.entity)) == 2


def test_the_newest_sign_of_life_of_a_worker_counts(db: None) -> None:
    assert ladder.worker_seen_seconds() is None
    now = timezone.now()
    Process.objects.create(kind="web", name="web:1", configuration_hash="x", seen_at=now)
    Process.objects.create(
        kind="worker", name="old:1", configuration_hash="x", seen_at=now - timedelta(hours=2)
    )
    Process.objects.create(
        kind="worker", name="new:2", configuration_hash="x", seen_at=now - timedelta(hours=1)
    )
    seen = ladder.worker_seen_seconds()
    assert seen is not None
    assert 3500 < seen < 3700


def test_a_scene_shows_its_head_by_section(alice: Alice) -> None:
    (scene,) = ladder.scenes(alice.entity)
    added, record = alice.billing.lines.exclude(section="prohibitions").order_by("places__position")
    assert scene == SceneRecord(
        id=alice.billing.scene_id,
        version_id=alice.billing.pk,
        slot=1,
        title="Billing API",
        number=2,
        summary="",
        sections=(
            SectionRecord("work_context", "Work Context", (LineRecord(added.pk, added.text),)),
            SectionRecord(
                "prohibitions",
                "Prohibitions and Failure Modes",
                (LineRecord(alice.approval_line.pk, alice.approval_line.text),),
            ),
            SectionRecord("evolution_record", "Evolution Record", (LineRecord(record.pk, record.text),)),
        ),
        due=0,
        updated_at=scene.updated_at,
    )


def test_a_line_that_rests_on_a_dead_atom_is_left_out_and_counted(alice: Alice) -> None:
    Atom.objects.filter(pk=alice.approval.pk).update(status="retracted")
    (scene,) = ladder.scenes(alice.entity)
    assert (headings_and_lines(scene), scene.due) == (
        [
            ("Work Context", ["Billing stays on Express until October 15."]),
            ("Evolution Record", ["October 15 instead of July 15."]),
        ],
        1,
    )


def test_a_pinned_line_stays_whatever_it_rests_on(alice: Alice) -> None:
    Atom.objects.filter(pk=alice.approval.pk).update(status="retracted")
    alice.approval_line.is_pinned = True
    alice.approval_line.save(update_fields=["is_pinned"])
    (scene,) = ladder.scenes(alice.entity)
    assert (len(scene.sections), scene.due) == (3, 0)


def test_memories_are_the_live_atoms_and_history_on_request(alice: Alice) -> None:
    live = [(atom.text, atom.status, atom.receipts) for atom in ladder.memories(alice.entity)]
    assert live == [
        ("Never deploy without Alice's approval.", "live", 2),
        ("Billing stays on Express until October 15.", "live", 1),
    ]
    everything = ladder.memories(alice.entity, include_history=True)
    history = [atom for atom in everything if atom.status != "live"]
    assert [(atom.id, atom.superseded_by) for atom in history] == [(alice.old_deadline.pk, alice.deadline.pk)]


def test_persona_shows_one_trait_a_slot_with_its_receipts(alice: Alice) -> None:
    (trait,) = ladder.persona(alice.entity)
    assert (trait.id, trait.slot, trait.text, trait.number, trait.receipts) == (
        alice.trait.trait_id,
        "decision_pattern",
        "Asks for approval first.",
        1,
        1,
    )


def test_a_retracted_trait_is_not_shown(alice: Alice) -> None:
    alice.trait.trait.status = "retracted"
    alice.trait.trait.save()
    assert ladder.persona(alice.entity) == ()


def test_the_transcript_replays_sessions_in_order(alice: Alice) -> None:
    said = ladder.transcript(alice.entity)
    assert [(message.session, message.ordinal, message.id) for message in said] == [
        ("first", 0, alice.messages[0].pk),
        ("first", 1, alice.messages[1].pk),
        ("second", 0, alice.messages[2].pk),
        ("second", 1, alice.messages[3].pk),
    ]
    assert [message.id for message in ladder.transcript(alice.entity, "second")] == [
        alice.messages[2].pk,
        alice.messages[3].pk,
    ]
    assert ladder.transcript(alice.entity, "none such") == ()


def test_times_are_told_in_the_entitys_zone(db: None) -> None:
    entity = make_entity(time_zone="Asia/Tokyo")
    make_message(entity, "Good morning!")
    (message,) = ladder.transcript(entity)
    assert message.said_at is not None
    assert message.said_at.isoformat() == "2026-06-02T18:00:00+09:00"


@pytest.mark.parametrize(
    "read", [ladder.status, ladder.scenes, ladder.memories, ladder.persona, ladder.transcript]
)
def test_the_number_of_statements_does_not_grow(
    alice: Alice, read: Any, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(20) as few:
        read(alice.entity)
    for number in range(10):
        message = make_message(alice.entity, f"Fact {number}.")
        atom = make_atom(alice.entity, f"Fact {number}.", [message])
        make_scene(alice.entity, f"Scene {number}", [NewLine("key_evidence", atom.text, [atom])])
    with django_assert_max_num_queries(20) as many:
        read(alice.entity)
    assert len(few.captured_queries) == len(many.captured_queries)
