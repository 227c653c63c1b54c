"""What the doctor says about rows: processes, what waits, what stands still, what failed."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from memory.models import Entity, Message, Outbox, Process, Run, Session, Step, Use, Work, Workspace
from memseek_site.doctor import configuration, processes, upkeep, work
from memseek_site.doctor.findings import Finding, Level, fine
from memseek_site.product import MemseekSettings, MetricsSettings
from tests.factories import (
    make_atom,
    make_entity,
    make_message,
    make_pending_message,
    make_run,
    make_session,
)

pytestmark = pytest.mark.django_db

HASH = "0123456789abcdef"


@pytest.fixture
def alice() -> Entity:
    return make_entity()


def lives(kind: str, *, configuration_hash: str | None = None, seen_ago: timedelta = timedelta()) -> Process:
    """A process that gave a sign of life so long ago, configured like this one unless told otherwise."""
    return Process.objects.create(
        kind=kind,
        name="host:1",
        configuration_hash=configuration_hash or settings.MEMSEEK.configuration_hash(),
        seen_at=timezone.now() - seen_ago,
    )


def worst(findings: list[Finding]) -> list[tuple[Level, str]]:
    return [(finding.level, finding.topic) for finding in findings if finding.level is not Level.FINE]


def test_processes_of_one_configuration_agree() -> None:
    lives("web")
    lives("worker")
    assert list(processes.examine())[-1] == fine("agreement", "web and worker run under one configuration")


def test_processes_of_two_configurations_are_broken() -> None:
    lives("web")
    lives("worker", configuration_hash=HASH)
    assert worst(list(processes.examine())) == [(Level.BROKEN, "agreement")]


def test_a_doctor_with_other_settings_says_so() -> None:
    lives("web", configuration_hash=HASH)
    lives("worker", configuration_hash=HASH)
    assert worst(list(processes.examine())) == [(Level.NOTE, "agreement")]


def test_a_silent_worker_is_missed() -> None:
    lives("web")
    lives("worker", seen_ago=timedelta(seconds=41))
    found = [finding.text for finding in processes.examine() if finding.topic == "worker"]
    assert found == ["no worker seen for 40 s"]


def test_nothing_waits_when_everything_is_consumed(alice: Entity) -> None:
    make_message(alice, "Hello.")
    assert list(work.examine()) == [fine("waiting", "nothing waits")]


def test_waiting_words_without_a_worker_are_broken(alice: Entity) -> None:
    make_pending_message(alice, "Hello.")
    found = list(work.examine())
    assert worst(found) == [(Level.NOTE, "waiting"), (Level.BROKEN, "worker")]
    assert found[0].text == "1 messages for l1_extract; the oldest for 0 s"


def test_words_that_wait_a_moment_are_fine_with_a_worker(alice: Entity) -> None:
    lives("worker")
    make_pending_message(alice, "Hello.")
    assert worst(list(work.examine())) == [(Level.NOTE, "waiting")]


def test_a_layer_that_grew_while_the_next_stands_still_is_broken(alice: Entity) -> None:
    lives("worker")
    make_pending_message(alice, "Hello.", recorded_at=timezone.now() - timedelta(minutes=7))
    found = [finding.text for finding in work.examine() if finding.topic == "idle"]
    assert found == ["L0 grew, L1 is idle: messages of agent.alice-test have waited for l1_extract for 7 min"]


def idle() -> list[str]:
    return [finding.text for finding in work.examine() if finding.topic == "idle"]


def long_pending(entity: Entity) -> None:
    lives("worker")
    make_pending_message(entity, "Hello.", recorded_at=timezone.now() - timedelta(minutes=7))


def planned(entity: Entity, **fields: Any) -> None:
    Work.objects.create(workspace_id=entity.workspace_id, entity=entity, step=Step.L1_EXTRACT, **fields)


def test_a_step_that_runs_is_not_idle(alice: Entity) -> None:
    long_pending(alice)
    make_run(alice)
    assert idle() == []


def test_a_busy_entity_hides_no_idle_one(alice: Entity) -> None:
    long_pending(alice)
    make_run(make_entity("agent.busy", workspace=alice.workspace))
    assert len(idle()) == 1


@pytest.mark.parametrize(
    ("fields", "is_idle"),
    [
        ({}, True),
        ({"due_at": timedelta(minutes=5)}, False),
        ({"due_at": timedelta(seconds=-30)}, False),
        ({"due_at": timedelta(minutes=-3)}, True),
        ({"lease_until": timedelta(seconds=30)}, False),
        ({"lease_until": timedelta(seconds=-30)}, True),
        ({"due_at": timedelta(minutes=9), "last_error_kind": "daily_tokens"}, False),
        ({"due_at": timedelta(minutes=9), "failures": 2, "last_error_kind": "http_503"}, False),
    ],
)
def test_a_step_that_is_planned_or_held_is_not_idle(
    alice: Entity, fields: dict[str, Any], is_idle: bool
) -> None:
    long_pending(alice)
    now = timezone.now()
    planned(alice, **{name: now + at if isinstance(at, timedelta) else at for name, at in fields.items()})
    assert bool(idle()) is is_idle


def test_a_step_that_a_person_paused_is_told_as_paused(alice: Entity) -> None:
    long_pending(alice)
    Entity.objects.filter(pk=alice.pk).update(paused_steps=[Step.L1_EXTRACT])
    found = {finding.topic: finding.text for finding in work.examine()}
    assert (found["paused"], "idle" in found) == ("1 entities have steps that are paused", False)


def test_of_two_steps_that_wait_the_lower_one_is_to_blame(alice: Entity) -> None:
    long_pending(alice)
    long_ago = timezone.now() - timedelta(minutes=9)
    make_atom(alice, "Waits.", [make_message(alice, "Said.")], created_at=long_ago, consumed_by_id=None)
    assert [text.partition(":")[0] for text in idle()] == ["L0 grew, L1 is idle"]
    Message.objects.pending().update(parked_at=timezone.now(), parked_by_id=failed_run(alice).pk)
    Run.objects.update(started_at=long_ago)
    assert [text.partition(":")[0] for text in idle()] == ["L1 grew, L2 is idle"]


def test_a_day_without_tokens_is_told_by_step(alice: Entity) -> None:
    planned(alice, due_at=timezone.now() + timedelta(minutes=9), last_error_kind="daily_tokens")
    [found] = [finding.text for finding in work.examine() if finding.topic == "budget"]
    assert found == (
        "the tokens of today are used up: l1_extract of 1 entities in 1 workspaces waits for midnight (UTC)"
    )


def test_parked_words_are_broken(alice: Entity) -> None:
    failed = failed_run(alice)
    make_message(alice, "Poison.", consumed_by_id=None, parked_by_id=failed.pk, parked_at=timezone.now())
    found = list(work.examine())
    assert worst(found) == [(Level.BROKEN, "parked"), (Level.NOTE, "failed")]
    assert found[1].text == "1 messages failed in l1_extract for good"


def test_sessions_wait_and_are_parked_like_words(alice: Entity) -> None:
    lives("worker")
    asked = timezone.now() - timedelta(minutes=7)
    session = make_session(alice)
    Session.objects.update(takes_turns=True, fold_asked_at=asked)
    assert [finding.text for finding in work.examine()] == [
        "1 sessions for compaction; the oldest for 7 min",
        "sessions of agent.alice-test have waited for compaction for 7 min",
    ]
    Session.objects.filter(pk=session.pk).update(parked_by_id=failed_run(alice).pk, parked_at=timezone.now())
    assert "1 sessions failed in compaction for good" in [finding.text for finding in work.examine()]


def test_failures_are_told_by_kind_without_their_text(alice: Entity) -> None:
    failed_run(alice)
    Work.objects.create(
        workspace_id=alice.workspace_id,
        entity=alice,
        step=Step.PERSONA,
        failures=2,
        last_error="words of a person",
        last_error_kind="CutOffAnswer",
    )
    found = list(work.examine())
    assert worst(found) == [(Level.NOTE, "retrying"), (Level.NOTE, "failed")]
    assert "CutOffAnswer" in found[1].text
    assert "words of a person" not in str(found)


def failed_run(entity: Entity) -> Run:
    return make_run(
        entity,
        status=Run.Status.FAILED,
        error_kind="NoAnswer",
        error_text="words of a person",
        finished_at=timezone.now(),
    )


@pytest.mark.parametrize(
    ("changes", "level", "words"),
    [
        ({}, Level.FINE, "the offline model answers"),
        ({"is_llm_fake": True}, Level.NOTE, "LLM_FAKE is on"),
        ({"strong": "large"}, Level.BROKEN, "OPENAI_API_KEY holds no key"),
        ({"strong": "large", "api_key": "sk-secret"}, Level.FINE, "key from OPENAI_API_KEY"),
        (
            {"strong": "large", "base_url": "http://me:secret@localhost:1/v1"},
            Level.FINE,
            "at http://localhost:1/v1, no key",
        ),
    ],
)
def test_the_model_in_use_is_named(settings: Any, changes: dict[str, Any], level: Level, words: str) -> None:
    settings.MEMSEEK = with_model(settings.MEMSEEK, changes)
    (found,) = [finding for finding in configuration.examine() if finding.topic == "model"]
    assert (found.level, words in found.text, "secret" in found.text) == (level, True, False)


def with_model(product: MemseekSettings, changes: dict[str, Any]) -> MemseekSettings:
    """The settings with `is_llm_fake` or fields of the model changed."""
    if "is_llm_fake" in changes:
        return replace(product, **changes)
    return replace(product, model=replace(product.model, **changes))


def upkeep_of(topic: str) -> list[tuple[Level, str]]:
    return [(finding.level, finding.text) for finding in upkeep.examine() if finding.topic == topic]


def test_rows_beyond_their_days_are_missed_work_of_retention(alice: Entity) -> None:
    assert upkeep_of("retention") == []
    now = timezone.now()
    Workspace.objects.filter(pk=alice.workspace_id).update(message_days=30, run_days=10)
    make_message(alice, "Old.", recorded_at=now - timedelta(days=33))
    make_run(alice)
    Run.objects.update(started_at=now - timedelta(days=13))
    Use.objects.create(
        workspace_id=alice.workspace_id,
        entity=alice,
        kind=Use.Kind.CONTEXT,
        sha256="0" * 64,
        tokens=1,
        manifest={},
        created_at=now - timedelta(days=100),
        expires_at=now - timedelta(days=3),
    )
    Outbox.objects.create(workspace_id=alice.workspace_id, entity=alice, event=Outbox.Event.ERASED)
    Outbox.objects.update(created_at=now - timedelta(days=10))
    told = "messages in 1 workspaces, runs in 1 workspaces, uses in 1 workspaces, events in 1 workspaces"
    assert upkeep_of("retention") == [(Level.BROKEN, f"beyond their days for 2 days and more: {told}")]


def test_a_database_of_its_own_is_asked_for_its_archive(settings: Any) -> None:
    settings.IS_DATABASE_EMBEDDED = True
    assert upkeep_of("backups") == [
        (Level.NOTE, "the embedded database is on this disk alone, nobody copies it")
    ]
    settings.IS_DATABASE_EMBEDDED = False
    assert upkeep_of("backups") == [
        (Level.NOTE, "the server archives no log of its own (archive_mode is off)")
    ]


@pytest.mark.parametrize(
    ("metrics", "wanted"),
    [
        (MetricsSettings(), []),
        (MetricsSettings(is_on=True), [(Level.NOTE, "/metrics answers whoever reaches it")]),
        (MetricsSettings(True, "t" * 16), [(Level.FINE, "/metrics answers whoever bears the token")]),
    ],
)
def test_open_metrics_are_told(
    settings: Any, metrics: MetricsSettings, wanted: list[tuple[Level, str]]
) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, metrics=metrics)
    assert upkeep_of("metrics") == wanted
