"""The engine: every attempt recorded, bad items sent back once, failures visible, nothing written late."""

import json

import pytest
from django.db.models import F

from memory.cascade import work
from memory.cascade.engine import Outcome, drain, settle_entity
from memory.cascade.sweeping import sweep
from memory.llm.protocol import ModelReply, PermanentModelError, TransientModelError
from memory.models import Atom, Entity, Evidence, Message, Outbox, Run, SceneVersion, Step, TraitVersion, Work
from tests.cascade.story import (
    NOTHING,
    an_entity,
    answer,
    create,
    merge,
    replaced,
    runs,
    say,
    settle,
    skip,
    store,
    update,
)
from tests.scripted_model import ScriptedModel, by_task

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_message_climbs_all_four_layers_with_receipts() -> None:
    entity = an_entity()
    [message] = say(entity, "Always deploy on Mondays.")
    model = settle(
        entity,
        answer(store("Always deploy on Mondays.", kind="instruction", priority=80, topic="deploys")),
        answer(create("Deploys", ("core_sop", "Always deploy on Mondays.", ["a1"]))),
        answer(
            {
                "action": "set",
                "slot": "interaction_protocol",
                "text": "Deploy on Mondays.",
                "lines": ["s1.l1"],
            }
        ),
    )
    assert model.tasks == ["l1_extract", "scene_synthesis", "persona"]
    atom = Atom.objects.get()
    version = SceneVersion.objects.get()
    trait = TraitVersion.objects.get()
    line = version.lines.get()
    receipts = set(
        Evidence.objects.values_list(
            "of_atom_id", "of_line_id", "of_trait_version_id", "message_id", "atom_id", "line_id"
        )
    )
    assert receipts == {
        (atom.pk, None, None, message.pk, None, None),
        (None, line.pk, None, None, atom.pk, None),
        (None, None, trait.pk, None, None, line.pk),
    }
    assert (atom.text, atom.kind, atom.priority, atom.topic, atom.authority) == (
        "Always deploy on Mondays.",
        "instruction",
        80,
        "deploys",
        2,
    )
    assert (version.title, version.number, line.section, trait.trait.slot) == (
        "Deploys",
        1,
        "core_sop",
        "interaction_protocol",
    )


def test_a_run_records_what_it_read_decided_and_wrote() -> None:
    entity = an_entity()
    [message] = say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    [run] = runs(entity)
    atom = Atom.objects.get()
    assert (run.status, run.attempt, run.model, run.calls, run.design) == (
        "succeeded",
        1,
        "scripted@1",
        1,
        "agent_memory@0.3.0",
    )
    assert (run.inputs, run.outputs) == ({"messages": [str(message.pk)]}, {"atoms": [str(atom.pk)]})
    assert run.decisions == [
        {"item": 0, "outcome": "store", "reason": "", "atoms": [str(atom.pk)], "messages": [str(message.pk)]}
    ]
    assert len(run.prompt_hash) == len(run.schema_hash) == 64
    assert run.raw_answer == ""


def test_an_empty_answer_is_a_success_that_consumes_its_input() -> None:
    entity = an_entity()
    say(entity, "Hello there!")
    settle(entity, answer(nothing_reason="a greeting"))
    [run] = runs(entity)
    assert (run.status, run.noop_reason, run.outputs) == ("succeeded", "a greeting", {})
    assert work.pending_counts(entity) == dict.fromkeys(Step, 0)


def test_bad_items_are_sent_back_once_and_good_ones_are_kept() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo. My cat is called Mia.")
    model = settle(
        entity,
        answer(store("Alice lives in Oslo."), store("Alice's cat is called Bertrand."), store("x", "m9")),
        answer(store("Alice's cat is called Mia.")),
    )
    assert model.tasks[:2] == ["l1_extract", "l1_extract"]
    assert "Bertrand" in model.requests[1].user
    assert "Oslo." not in model.requests[1].user.split("refused", 1)[1]
    assert sorted(Atom.objects.values_list("text", flat=True)) == [
        "Alice lives in Oslo.",
        "Alice's cat is called Mia.",
    ]
    [run] = runs(entity)
    assert [entry["outcome"] for entry in run.decisions] == ["store", "store", "sent back", "sent back"]
    assert run.calls == 2


def test_what_is_still_bad_after_the_correction_is_dropped_with_its_reason() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    bad = answer(store("Alice lives in Bergen."))
    settle(entity, bad, bad)
    [run] = runs(entity)
    dropped = [entry for entry in run.decisions if entry["outcome"] == "dropped"]
    assert [entry["reason"] for entry in dropped] == ["The cited messages do not hold: Bergen."]
    assert Atom.objects.count() == 0
    assert work.pending_counts(entity)[Step.L1_EXTRACT] == 0


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ('{"items": [{"action": "store", "text": "Ali', "cut_off"),
        ("I am sorry, I cannot help with that.", "no_answer"),
        ("<think>Let me see. There is a person", "no_answer"),
        ("", "empty_answer"),
        (ModelReply(text="no", model="m", finish_reason="refusal"), "refusal"),
        (ModelReply(text='{"items": [', model="m", finish_reason="length"), "cut_off"),
    ],
)
def test_an_unusable_answer_is_a_visible_failure_and_loses_nothing(reply: object, kind: str) -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)
    assert drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=ScriptedModel([reply])) == [Outcome.FAILED]
    [run] = runs(entity)
    row = Work.objects.get(entity=entity, step=Step.L1_EXTRACT)
    assert (run.status, run.error_kind, row.failures, row.last_error_kind) == ("failed", kind, 1, kind)
    assert row.lease_until is None
    assert row.due_at is not None
    assert work.pending_counts(entity)[Step.L1_EXTRACT] == 1


def test_a_failing_batch_is_split_until_the_poison_message_stands_alone(settings: object) -> None:
    entity = an_entity()
    texts = ["I live in Oslo.", "I have a cat.", "POISON", "I like tea.", "I drive a van."]
    say(entity, *texts)
    _without_pauses(settings)

    def respond(request: object) -> object:
        messages = request.payload.messages  # type: ignore[attr-defined]
        if any(message.text == "POISON" for message in messages):
            return ModelReply(text="I must refuse.", model="m", finish_reason="refusal")
        return answer(*(store(f"Said: {message.text}", message.handle) for message in messages))

    model = ScriptedModel(
        otherwise=by_task({"l1_extract": respond, "scene_synthesis": NOTHING, "persona": NOTHING})
    )
    settle_entity(entity, model=model)
    parked = Message.objects.for_entity(entity).parked().get()
    assert parked.text == "POISON"
    assert sorted(Atom.objects.values_list("text", flat=True)) == sorted(
        f"Said: {t}" for t in texts if t != "POISON"
    )
    run = Run.objects.get(pk=parked.parked_by_id)
    assert (run.error_kind, run.raw_answer) == ("refusal", "I must refuse.")
    assert work.parked_counts(entity)[Step.L1_EXTRACT] == 1
    assert Outbox.objects.filter(event="input.parked").count() == 1
    assert Work.objects.get(entity=entity, step=Step.L1_EXTRACT).batch_limit is None


def test_a_parked_message_can_be_retried() -> None:
    entity = an_entity()
    [message] = say(entity, "I live in Oslo.")
    Message.objects.filter(pk=message.pk).update(parked_at=message.recorded_at, parked_by=None)
    assert work.pending_counts(entity)[Step.L1_EXTRACT] == 0
    assert work.retry_parked(entity=entity, step=Step.L1_EXTRACT) == 1
    settle(entity, answer(store("Alice lives in Oslo.")))
    assert Atom.objects.count() == 1


def test_a_transient_error_keeps_the_batch_and_waits() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)
    model = ScriptedModel([TransientModelError("http_429", "slow down", retry_after_seconds=40.0)])
    assert drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model) == [Outcome.FAILED]
    [run] = runs(entity)
    row = Work.objects.get(entity=entity, step=Step.L1_EXTRACT)
    assert run.is_transient
    assert row.due_at is not None
    assert run.finished_at is not None
    assert round((row.due_at - run.finished_at).total_seconds()) == 40
    assert drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=ScriptedModel()) == []


def test_a_refused_key_neither_splits_nor_parks() -> None:
    entity = an_entity()
    say(entity, "one thing", "another thing")
    for _ in range(5):
        work.flush(entity)
        drain(
            entity_id=entity.pk,
            step=Step.L1_EXTRACT,
            model=ScriptedModel([PermanentModelError("http_401", "key")]),
        )
    row = Work.objects.get(entity=entity, step=Step.L1_EXTRACT)
    assert (row.failures, row.batch_limit, work.parked_counts(entity)[Step.L1_EXTRACT]) == (5, None, 0)


def test_a_run_that_lost_its_claim_writes_nothing() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)

    def steal(request: object) -> object:
        Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(token=F("token") + 1)
        return answer(store("Alice lives in Oslo."))

    assert drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=ScriptedModel([steal])) == [
        Outcome.DISCARDED
    ]
    assert Atom.objects.count() == 0
    assert (runs(entity)[0].status, runs(entity)[0].noop_reason) == ("discarded", "its claim was lost")


def test_an_erase_during_the_call_discards_the_run_and_its_raw_answer() -> None:
    entity = an_entity()
    say(entity, "My badge word is ORCHID-7.")
    work.flush(entity)

    def erase(request: object) -> object:
        Entity.objects.filter(pk=entity.pk).update(erase_epoch=F("erase_epoch") + 1)
        return "ORCHID-7 is what it said, and this is no JSON"

    drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=ScriptedModel([erase, NOTHING]))
    [run, redone] = runs(entity)
    assert (redone.status, redone.erase_epoch) == ("succeeded", 1)
    assert (run.status, run.raw_answer, run.error_text, run.decisions) == ("discarded", "", "", [])


def test_a_claim_that_changed_during_the_call_is_read_again_and_redone() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle(entity, answer(store("Alice lives in Oslo.")))
    say(entity, "I live in Bergen now.")

    def supersede(request: object) -> object:
        Atom.objects.update(status="superseded")
        return answer(merge("Alice lives in Bergen.", ["a1"]))

    model = settle(entity, supersede, answer(store("Alice lives in Bergen.")))
    assert model.tasks[:2] == ["l1_extract", "l1_extract"]
    assert [run.status for run in runs(entity)] == ["succeeded", "discarded", "succeeded"]
    assert [atom.text for atom in Atom.objects.live()] == ["Alice lives in Bergen."]


def test_a_dead_workers_run_is_recorded_as_abandoned_and_its_work_taken_over() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)
    lost = work.claim(entity=entity, step=Step.L1_EXTRACT, design="agent_memory@0.3.0")
    assert lost is not None
    Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(lease_until=F("last_started_at"))
    assert sweep().vanished == 1
    settle(entity, answer(store("Alice lives in Oslo.")))
    assert [(run.status, run.error_kind) for run in runs(entity)] == [
        ("abandoned", "worker_lost"),
        ("succeeded", ""),
    ]
    assert Atom.objects.count() == 1


def test_a_failure_of_a_run_that_was_given_up_meanwhile_parks_nothing() -> None:
    entity = an_entity()
    [message] = say(entity, "I live in Oslo.")
    work.flush(entity)
    rows = Work.objects.filter(entity=entity, step=Step.L1_EXTRACT)
    rows.update(failures=2, batch_limit=1)

    def lapse(request: object) -> ModelReply:
        rows.update(lease_until=F("last_started_at"))
        work.clear_due(entity=entity, step=Step.L1_EXTRACT)
        return ModelReply(text="I must refuse.", model="m", finish_reason="refusal")

    model = ScriptedModel([lapse])
    assert drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model) == [Outcome.DISCARDED]
    assert [run.status for run in runs(entity)] == ["abandoned"]
    assert [pending.pk for pending in Message.objects.for_entity(entity).pending()] == [message.pk]
    assert rows.get().due_at is not None


def test_two_workers_never_run_one_step_of_an_entity_at_once() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    work.flush(entity)
    first = work.claim(entity=entity, step=Step.L1_EXTRACT, design="agent_memory@0.3.0")
    Work.objects.filter(entity=entity, step=Step.L1_EXTRACT).update(due_at=F("last_started_at"))
    second = work.claim(entity=entity, step=Step.L1_EXTRACT, design="agent_memory@0.3.0")
    assert first is not None
    assert second is None


def test_a_paused_step_leaves_its_input_waiting() -> None:
    entity = an_entity()
    Entity.objects.filter(pk=entity.pk).update(paused_steps=["l1_extract"])
    say(entity, "I live in Oslo.")
    model = settle(Entity.objects.get(pk=entity.pk))
    assert model.requests == []
    assert work.pending_counts(entity)[Step.L1_EXTRACT] == 1


def test_a_used_up_daily_budget_pauses_visibly() -> None:
    entity = an_entity()
    entity.workspace.daily_token_budget = 100
    entity.workspace.save()
    say(entity, "I live in Oslo.")
    settle(entity, ModelReply(text=json.dumps(NOTHING), model="m", tokens_in=90, tokens_out=20))
    say(entity, "I like tea.")
    model = settle(entity)
    row = Work.objects.get(entity=entity, step=Step.L1_EXTRACT)
    assert (model.requests, row.last_error_kind) == ([], "daily_tokens")
    assert work.pending_counts(entity)[Step.L1_EXTRACT] == 1


def test_without_a_model_everything_is_stored_and_waits(settings: object) -> None:
    from dataclasses import replace

    settings.MEMSEEK = replace(settings.MEMSEEK, is_llm_fake=True)  # type: ignore[attr-defined]
    entity = an_entity()
    say(entity, "I live in Oslo.")
    settle_entity(entity)
    assert work.pending_counts(entity)[Step.L1_EXTRACT] == 1
    assert Run.objects.count() == 0


def test_the_sweep_finds_input_that_nobody_marked() -> None:
    entity = an_entity()
    say(entity, "I live in Oslo.")
    Work.objects.update(due_at=None)
    assert sweep().unmarked == 1
    assert Work.objects.get(entity=entity, step=Step.L1_EXTRACT).due_at is not None
    assert sweep().unmarked == 0


def test_the_sweep_puts_back_what_was_parked_for_the_endpoints_sake_only() -> None:
    entity = an_entity()
    transient, lasting = say(entity, "I live in Oslo.", "I like tea.")
    for message, is_transient in ((transient, True), (lasting, False)):
        run = Run.objects.create(
            workspace_id=entity.workspace_id,
            entity=entity,
            step=Step.L1_EXTRACT,
            status="failed",
            error_kind="x",
            is_transient=is_transient,
            finished_at=message.recorded_at,
        )
        parked_at = message.recorded_at.replace(year=2020)
        Message.objects.filter(pk=message.pk).update(parked_at=parked_at, parked_by=run)
    assert sweep().unparked == 1
    assert [message.text for message in Message.objects.for_entity(entity).pending()] == ["I live in Oslo."]


def test_several_scenes_wait_for_no_second_call_and_a_merge_reaches_every_live_line() -> None:
    entity = an_entity()
    say(entity, "The freeze is on 2 May.")
    settle(
        entity,
        answer(store("The freeze is on 2 May.", topic="freeze")),
        answer(create("Freeze", ("related_tasks", "The freeze is on 2 May.", ["a1"]))),
    )
    say(entity, "The freeze moved to 9 May.")
    settle(
        entity,
        answer(merge("The freeze is on 9 May.", ["a1"], topic="freeze")),
        answer(update("s1", replaced("s1.l1", "related_tasks", "The freeze is on 9 May.", ["a1"]))),
    )
    head = SceneVersion.objects.heads().get()
    assert (head.number, [line.text for line in head.lines.all()]) == (2, ["The freeze is on 9 May."])
    assert [(atom.text, atom.status) for atom in Atom.objects.in_event_order()] == [
        ("The freeze is on 2 May.", "superseded"),
        ("The freeze is on 9 May.", "live"),
    ]


def test_a_repeat_is_a_second_receipt_and_changes_nothing_above() -> None:
    entity = an_entity()
    first, second = say(entity, "I live in Oslo.")[0], None
    settle(entity, answer(store("Alice lives in Oslo.")))
    [second] = say(entity, "As I said, I live in Oslo.")
    model = settle(entity, answer(skip(["a1"])))
    atom = Atom.objects.get()
    assert model.tasks == ["l1_extract"]
    assert set(atom.evidence.values_list("message_id", "role")) == {
        (first.pk, "source"),
        (second.pk, "repeat"),
    }
    assert atom.last_seen_at == second.occurred_at


def _without_pauses(settings: object) -> None:
    from dataclasses import replace

    waking = replace(settings.MEMSEEK.waking, retry_seconds=(0.0,))  # type: ignore[attr-defined]
    settings.MEMSEEK = replace(settings.MEMSEEK, waking=waking)  # type: ignore[attr-defined]
