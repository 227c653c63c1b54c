"""What is beyond its days goes; what rests on it follows; everything else stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from memory import tasks
from memory.models import (
    Atom,
    Entity,
    Erasure,
    Feedback,
    IdempotentReply,
    Key,
    Message,
    Outbox,
    Process,
    Run,
    Step,
    Use,
    Workspace,
)
from memory.stewardship import retention
from memory.stewardship.actors import StaleChangeError
from memory.stewardship.retention import RetentionFailedError, apply_retention, retention_overdue
from tests.cascade.story import an_entity
from tests.factories import make_atom, make_message, make_run

pytestmark = pytest.mark.django_db(transaction=True)


def ago(days: float) -> datetime:
    return datetime.now(UTC) - timedelta(days=days)


def keep(entity: Entity, **days: int | None) -> None:
    Workspace.objects.filter(pk=entity.workspace_id).update(**days)


def owner(entity: Entity) -> dict[str, Any]:
    return {"workspace_id": entity.workspace_id, "entity_id": entity.pk}


def make_use(entity: Entity, *, expires_at: datetime) -> Use:
    return Use.objects.create(
        **owner(entity),
        kind="context",
        sha256="0" * 64,
        tokens=1,
        manifest={},
        created_at=expires_at - timedelta(days=90),
        expires_at=expires_at,
    )


def removed(**values: Any) -> dict[str, int]:
    done = apply_retention(**values)
    assert (done.failed, done.is_complete) == ({}, True)
    return {kind: count for kind, count in done.removed.items() if count}


def words(entity: Entity) -> list[str]:
    return list(Message.objects.for_entity(entity).values_list("text", flat=True))


def test_old_words_go_with_what_was_made_of_them() -> None:
    entity = an_entity()
    with transaction.atomic():
        old = make_message(entity, "My locker is 12.", occurred_at=ago(31))
        new = make_message(entity, "My locker is 15.", occurred_at=ago(1))
        make_atom(entity, "Alice's locker is 12.", [old])
        make_atom(entity, "Alice's locker is 15.", [new])
    keep(entity, message_days=30)

    assert removed() == {"messages": 1}

    assert words(entity) == ["My locker is 15."]
    assert [atom.text for atom in Atom.objects.for_entity(entity)] == ["Alice's locker is 15."]
    audit = Erasure.objects.get()
    assert (audit.scope, audit.status, audit.by, audit.reason) == (
        "retention",
        "done",
        "retention",
        "kept for 30 days",
    )
    assert removed() == {}


def test_without_a_rule_words_stay_for_good() -> None:
    entity = an_entity()
    make_message(entity, "I live in Oslo.", occurred_at=ago(4_000))
    assert removed() == {}
    assert words(entity) == ["I live in Oslo."]


def test_many_words_go_in_parts_also_when_all_were_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MESSAGES_AT_ONCE", 2)
    entity = an_entity()
    moment = ago(50)
    for number in range(3):
        make_message(entity, f"at once {number}", occurred_at=moment)
    for number in range(3):
        make_message(entity, f"later {number}", occurred_at=moment + timedelta(hours=1 + number))
    keep(entity, message_days=30)

    assert removed() == {"messages": 6}

    assert words(entity) == []
    assert Erasure.objects.filter(status="done").count() == 3


def test_the_time_of_a_pass_is_bounded_and_the_next_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "ROWS_AT_ONCE", 1)
    entity = an_entity()
    for _ in range(2):
        make_run(entity, started_at=ago(100))

    first = apply_retention(seconds=0)

    assert (first.removed["runs"], first.is_complete) == (1, False)
    assert removed() == {"runs": 1}


def test_runs_have_days_of_their_own_and_ids_of_gone_ones_stay() -> None:
    entity, other = an_entity(), an_entity("agent.bob", workspace="elsewhere")
    gone, kept = make_run(entity, started_at=ago(8)), make_run(entity, started_at=ago(6))
    by_setting = make_run(other, started_at=ago(91))
    running = make_run(entity, started_at=ago(30), status="running", finished_at=None)
    message = make_message(entity, "I live in Oslo.", run=gone)
    keep(entity, run_days=7)

    assert removed() == {"runs": 2}

    assert set(Run.objects.values_list("pk", flat=True)) == {kept.pk, running.pk}
    message.refresh_from_db()
    assert message.consumed_by_id == gone.pk
    assert by_setting.pk != gone.pk


def test_a_run_that_says_why_something_is_parked_stays() -> None:
    entity = an_entity()
    failed = make_run(entity, status="failed", error_kind="answer", started_at=ago(100))
    other = make_run(entity, status="failed", error_kind="answer", started_at=ago(100))
    make_message(entity, "poison", consumed_by_id=None, parked_by_id=failed.pk, parked_at=datetime.now(UTC))

    assert removed() == {"runs": 1}

    assert Run.objects.get() == failed
    assert other.pk != failed.pk


def test_uses_expire_and_what_was_said_of_them_stays() -> None:
    entity = an_entity()
    over, standing = make_use(entity, expires_at=ago(1)), make_use(entity, expires_at=ago(-1))
    said = Feedback.objects.create(
        **owner(entity), use=over, kind="correction", source="operator", comment="add a rollback plan"
    )

    assert removed() == {"uses": 1}

    assert Use.objects.get() == standing
    said.refresh_from_db()
    assert (said.use_id, said.comment) == (None, "add a rollback plan")


def test_events_plans_and_dead_processes_go() -> None:
    entity = an_entity()
    for days in (8, 6):
        Outbox.objects.create(**owner(entity), event="step.done", created_at=ago(days))
    plan = Erasure.objects.create(
        **owner(entity), scope="messages", entity_mark="x", selection={"messages": ["1"]}, expires_at=ago(1)
    )
    for name, days in (("dead", 9), ("lives", 0)):
        Process.objects.create(kind="worker", name=name, configuration_hash="0", seen_at=ago(days))

    assert removed() == {"events": 1, "plans": 1, "processes": 1}

    assert Outbox.objects.get().created_at > ago(7)
    plan.refresh_from_db()
    assert (plan.status, plan.selection) == ("expired", {})
    assert Process.objects.get().name == "lives"


def test_one_workspace_can_be_chosen() -> None:
    entity, other = an_entity(), an_entity("agent.bob", workspace="elsewhere")
    for one in (entity, other):
        make_run(one, started_at=ago(100))
    assert removed(workspace=entity.workspace) == {"runs": 1}
    assert Run.objects.get().entity == other


def no_answer(*_: Any, **__: Any) -> int:
    raise DatabaseError("a row with ORCHID-7")


def test_what_fails_is_told_without_words_and_keeps_nothing_else_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entity = an_entity()
    make_run(entity, started_at=ago(100))
    monkeypatch.setitem(retention._BATCHES, "messages", no_answer)

    with pytest.raises(RetentionFailedError, match="retention failed for messages"):
        tasks.retain()

    assert Run.objects.count() == 0
    assert "retention of messages failed: DatabaseError" in caplog.text
    assert "ORCHID" not in caplog.text


def test_what_should_be_gone_is_found() -> None:
    entity = an_entity()
    assert retention_overdue() == {}
    make_message(entity, "old", occurred_at=ago(33))
    make_run(entity, Step.PERSONA, started_at=ago(93))
    make_use(entity, expires_at=ago(3))
    Outbox.objects.create(**owner(entity), event="step.done", created_at=ago(10))
    keep(entity, message_days=30)
    assert retention_overdue() == {"messages": 1, "runs": 1, "uses": 1, "events": 1}
    with pytest.raises(CommandError, match="Should be gone: messages in 1 workspaces"):
        call_command("apply_retention", "--check")

    out = StringIO()
    call_command("apply_retention", "--workspace", "demo", stdout=out)

    assert out.getvalue().splitlines() == ["messages: 1", "runs: 1", "uses: 1", "events: 1"]
    assert retention_overdue() == {}


def test_an_entity_that_fails_keeps_no_other_back(monkeypatch: pytest.MonkeyPatch) -> None:
    entity, other = an_entity(), an_entity("agent.bob")
    for one in (entity, other):
        make_message(one, "old", occurred_at=ago(33))
    keep(entity, message_days=30)
    plan = retention.plan_erasure

    def plan_but_for_one(**values: Any) -> Erasure:
        if values["entity"].pk == entity.pk:
            raise StaleChangeError("somebody was faster")
        return plan(**values)

    monkeypatch.setattr(retention, "plan_erasure", plan_but_for_one)

    done = apply_retention()

    assert (done.removed["messages"], done.failed) == (1, {"messages": "StaleChangeError"})
    assert (words(entity), words(other)) == (["old"], [])


def test_an_unknown_workspace_is_told() -> None:
    with pytest.raises(CommandError, match="There is no workspace nowhere"):
        call_command("apply_retention", "--workspace", "nowhere")


def test_replies_to_writes_go_after_a_day() -> None:
    entity = an_entity()
    key = Key.objects.create(
        workspace=entity.workspace, label="agent", prefix="msk_a", digest="0", scopes=["write"]
    )
    for hours, mark in ((25, b"a"), (23, b"b")):
        IdempotentReply.objects.create(
            **owner(entity),
            key=key,
            digest=mark * 32,
            request=mark * 32,
            status=201,
            created_at=ago(hours / 24),
        )

    assert removed() == {"replies": 1}

    assert bytes(IdempotentReply.objects.get().digest) == b"b" * 32
