"""A day without tokens pauses visibly: at the work, in the doctor, in the metrics; and it ends by itself."""

from __future__ import annotations

import pytest
from django.utils import timezone

from memory.cascade import engine, work
from memory.cascade.engine import Outcome
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import read_messages
from memory.ingest.messages import append_messages
from memory.measuring.idle import idle_steps
from memory.measuring.waiting import Pause, budget_pauses
from memory.models import Entity, Run, Step, Work, Workspace
from memseek_site.doctor import work as doctor
from memseek_site.metrics.rows import RowsCollector
from tests.factories import make_run, make_workspace
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db(transaction=True)

NOTHING = {"items": [], "nothing_reason": "small talk"}


@pytest.fixture
def alice() -> Entity:
    """Somebody of a workspace that has used up its ten tokens, with words that wait."""
    entity = ensure_entity(workspace=make_workspace("acme"), name="agent.alice")
    Workspace.objects.filter(pk=entity.workspace_id).update(daily_token_budget=10)
    run = make_run(entity, tokens_in=10)
    Run.objects.filter(pk=run.pk).update(started_at=timezone.now())
    said = [{"session": "s", "role": "user", "text": "Never deploy on Fridays."}]
    append_messages(entity=entity, messages=read_messages(said))
    return entity


def attempted(entity: Entity, model: ScriptedModel) -> list[Outcome]:
    work.flush(entity)
    work.pull_in(entity=entity, step=Step.L1_EXTRACT)
    return engine.drain(entity_id=entity.pk, step=Step.L1_EXTRACT, model=model, seconds=0)


def paused_in_metrics() -> list[tuple[dict[str, str], float]]:
    families = {family.name: family for family in RowsCollector().collect()}
    return [(sample.labels, sample.value) for sample in families["memseek_paused_entities"].samples]


def paused_in_the_doctor() -> list[str]:
    return [finding.text for finding in doctor.examine() if finding.topic == "budget"]


def test_a_used_up_day_is_seen_everywhere_and_is_no_idleness(alice: Entity) -> None:
    assert attempted(alice, ScriptedModel()) == []
    row = Work.objects.for_entity(alice).get(step=Step.L1_EXTRACT)
    assert (row.last_error_kind, "10 tokens of today" in row.last_error, row.failures) == (
        "daily_tokens",
        True,
        0,
    )
    assert budget_pauses() == [Pause("l1_extract", 1, 1)]
    assert paused_in_metrics() == [({"step": "l1_extract"}, 1)]
    assert len(paused_in_the_doctor()) == 1
    assert idle_steps() == []


def test_a_larger_budget_ends_the_pause_everywhere(alice: Entity) -> None:
    attempted(alice, ScriptedModel())
    Workspace.objects.filter(pk=alice.workspace_id).update(daily_token_budget=1_000)
    assert attempted(alice, ScriptedModel([NOTHING])) == [Outcome.DONE]
    assert (budget_pauses(), paused_in_metrics(), paused_in_the_doctor()) == ([], [], [])
