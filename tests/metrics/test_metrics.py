"""`/metrics`: there when it is switched on, for whoever may, in a constant number of statements."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries

from memory.measuring.today import midnight
from memory.models import Entity, Process, Run, Step, Work
from memseek_site.metrics import rows
from memseek_site.metrics.exposition import REGISTRY
from memseek_site.product import MetricsSettings
from tests.factories import make_entity, make_message, make_pending_message, make_run, make_workspace

pytestmark = pytest.mark.django_db

TOKEN = "a-token-of-24-characters"
STATEMENTS = 16


@pytest.fixture(autouse=True)
def switched_on(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Switched on, without a token, and never with the reading of an earlier test."""
    switch(settings, MetricsSettings(is_on=True))
    monkeypatch.setattr(rows, "FRESH_SECONDS", -1.0)


def switch(settings: Any, metrics: MetricsSettings) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, metrics=metrics)


def sample(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def ended(entity: Entity, **fields: Any) -> Run:
    began = max(midnight(), timezone.now() - timedelta(minutes=1))
    run = make_run(entity, step=fields.pop("step", Step.L1_EXTRACT))
    Run.objects.filter(pk=run.pk).update(**{"started_at": began, "finished_at": timezone.now(), **fields})
    return run


def test_it_is_not_there_unless_it_is_switched_on(client: Client, settings: Any) -> None:
    switch(settings, MetricsSettings())
    assert client.get("/metrics").status_code == 404


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("Bearer wrong", 401),
        (f"Basic {TOKEN}", 401),
        ("Bearer ünknown", 401),
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN}", 200),
    ],
)
def test_a_token_is_asked_for_where_one_is_set(
    client: Client, settings: Any, header: str | None, status: int
) -> None:
    switch(settings, MetricsSettings(is_on=True, token=TOKEN))
    given = {"authorization": header} if header else {}
    reply = client.get("/metrics", headers=given)
    assert (reply.status_code, TOKEN in reply.content.decode()) == (status, False)


@pytest.mark.parametrize(
    ("accepted", "content_type", "ending"),
    [
        ("", "text/plain; version=0.0.4; charset=utf-8", ""),
        (
            "application/openmetrics-text;version=1.0.0",
            "application/openmetrics-text; version=1.0.0",
            "# EOF\n",
        ),
    ],
)
def test_the_page_is_in_the_format_that_is_asked_for(
    client: Client, accepted: str, content_type: str, ending: str
) -> None:
    reply = client.get("/metrics", headers={"accept": accepted})
    page = reply.content.decode()
    assert reply["Content-Type"].startswith(content_type)
    assert page.endswith(ending)
    assert page.count("# EOF") == bool(ending)


def test_what_waits_is_told_by_step() -> None:
    alice = make_entity()
    failed = make_run(alice)
    now = timezone.now()
    make_pending_message(alice, "Hello.", recorded_at=now - timedelta(minutes=3))
    make_pending_message(alice, "Again.", recorded_at=now)
    make_message(alice, "Poison.", consumed_by_id=None, parked_by_id=failed.pk, parked_at=now)
    assert sample("memseek_waiting_inputs", step="l1_extract") == 2
    assert sample("memseek_parked_inputs", step="l1_extract") == 1
    assert 180 <= (sample("memseek_oldest_waiting_seconds", step="l1_extract") or 0) < 240
    assert sample("memseek_oldest_waiting_seconds", step="persona") == 0
    assert sample("memseek_waiting_inputs", step="index") == 3


def test_runs_of_today_are_counted_by_outcome_model_and_time() -> None:
    alice = make_entity()
    used = {"model": "large", "tokens_in": 100, "tokens_out": 10, "cost": Decimal("0.5")}
    ended(alice, **used, milliseconds=80)
    ended(alice, **used, milliseconds=4_000)
    ended(alice, status="failed", error_kind="cut_off", milliseconds=30)
    ended(alice, step="answer", **used, milliseconds=700)
    ended(
        alice, **used, started_at=midnight() - timedelta(hours=3), finished_at=midnight() - timedelta(hours=2)
    )
    assert sample("memseek_runs_total", step="l1_extract", status="succeeded") == 2
    assert sample("memseek_run_failures_total", step="l1_extract", kind="cut_off") == 1
    assert sample("memseek_tokens_total", model="large", step="l1_extract", direction="in") == 200
    assert sample("memseek_tokens_total", model="large", step="answer", direction="out") == 10
    assert sample("memseek_cost_total", model="large", step="l1_extract") == 1.0
    buckets = [
        sample("memseek_run_seconds_bucket", step="l1_extract", le=le)
        for le in ("0.05", "0.1", "5.0", "+Inf")
    ]
    assert buckets == [1, 2, 3, 3]
    assert sample("memseek_run_seconds_sum", step="l1_extract") == 4.11


def test_a_day_without_tokens_is_told_by_step() -> None:
    for name in ("agent.one", "agent.two"):
        entity = make_entity(name)
        Work.objects.create(
            workspace_id=entity.workspace_id,
            entity=entity,
            step=Step.L1_EXTRACT,
            due_at=timezone.now() + timedelta(minutes=9),
            last_error_kind="daily_tokens",
        )
    assert sample("memseek_paused_entities", step="l1_extract") == 2
    assert sample("memseek_paused_workspaces", step="l1_extract") == 1


def test_signs_of_life_are_told_by_process(settings: Any) -> None:
    now = timezone.now()
    lives = {"kind": "web", "configuration_hash": "a"}
    Process.objects.create(name="host:1", seen_at=now, **lives)
    Process.objects.create(name="host:2", seen_at=now - timedelta(hours=1), **lives)
    Process.objects.create(kind="worker", name="host:3", configuration_hash="b", seen_at=now)
    assert sample("memseek_processes", kind="web") == 1
    assert sample("memseek_configurations") == 2
    assert (sample("memseek_process_seen_seconds", kind="web", process="host:2") or 0) >= 3_600


def test_the_number_of_statements_is_constant(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def populate(number: int) -> None:
        for place in range(number):
            entity = make_entity(f"agent.{number}-{place}", workspace=make_workspace(f"w{number}-{place}"))
            make_pending_message(entity, "Hello.")
            ended(entity, model=f"model-{place}")

    populate(1)
    with django_assert_num_queries(STATEMENTS):
        client.get("/metrics")
    populate(10)
    with django_assert_num_queries(STATEMENTS):
        client.get("/metrics")


def test_rows_are_read_once_for_scrapers_that_come_together(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get("/metrics")
    monkeypatch.setattr(rows, "FRESH_SECONDS", 60.0)
    with django_assert_num_queries(0):
        assert client.get("/metrics").status_code == 200


def test_a_database_that_is_away_is_told_and_the_rest_goes_on(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise DatabaseError("words of a person")

    monkeypatch.setattr(rows, "waiting", away)
    page = client.get("/metrics").content.decode()
    assert "memseek_database_up 0.0" in page
    assert "memseek_waiting_inputs" not in page


def test_requests_are_counted_by_route_and_never_by_what_stands_in_it(client: Client) -> None:
    client.get("/api/v1/sessions/zebrafish/messages?entity=zebrafish")
    client.get("/zebrafish")
    client.generic("ZEBRAFISH", "/health")
    page = client.get("/metrics").content.decode()
    families = {family.name: family for family in text_string_to_metric_families(page)}
    counted = {
        (found.labels["route"], found.labels["method"], found.labels["status"])
        for found in families["memseek_http_requests"].samples
        if found.name.endswith("_total")
    }
    assert {
        ("api/v1/sessions/<path:session>/messages", "GET", "401"),
        ("none", "GET", "404"),
        ("health", "OTHER", "405"),
    } <= counted
    assert "zebrafish" not in page.lower()


def test_labels_hold_no_words_whatever_a_model_or_an_error_is_called() -> None:
    alice = make_entity("agent.zebrafish", workspace=make_workspace("zebrafish"))
    ended(alice, model="the zebrafish said", status="failed", error_kind="zebrafish! oh")
    assert sample("memseek_run_failures_total", step="l1_extract", kind="other") == 1
    assert sample("memseek_tokens_total", model="other", step="l1_extract", direction="in") == 0
