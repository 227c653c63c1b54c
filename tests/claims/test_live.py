"""Live values: fetched at once, kept for a while, and honestly missing."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from memory.claims.checks import live_callables_can_be_called
from memory.claims.live import MOST_FETCHED, LiveFact, fetch_live
from memory.claims.live_asking import LiveQuestion
from memory.claims.live_running import Runner
from memory.claims.observation import Subject
from memory.models import Atom, Entity, LiveSource, LiveValue, Policy, Workspace
from memseek_site.live_sources import LiveSettings
from tests.claims.live_server import LiveServer, reply
from tests.claims.observing import CUSTOMER, say

HERE = "tests.claims.test_live"
gate = threading.Event()
asked: list[LiveQuestion] = []


def annual(question: LiveQuestion) -> Any:
    asked.append(question)
    return {"cycle": "annual", "price": 1_200}


def failing(question: LiveQuestion) -> Any:
    raise ValueError("secret-in-a-message")


def hanging(question: LiveQuestion) -> Any:
    gate.wait(20)
    return "late"


def nothing(question: LiveQuestion) -> Any:
    return object()


@pytest.fixture(autouse=True)
def callables(settings: Any) -> Iterator[None]:
    """The functions of this file are registered under their names."""
    names = ("annual", "failing", "hanging", "nothing")
    live = LiveSettings(
        callables={name: f"{HERE}.{name}" for name in names}, credentials={"billing": "t" * 20}
    )
    settings.MEMSEEK = replace(settings.MEMSEEK, live=live)
    gate.clear()
    asked.clear()
    yield
    gate.set()


def source_of(workspace: Workspace, predicate: str, address: str, **fields: Any) -> LiveSource:
    """A source, and the policy that sends a predicate to it."""
    told = {"kind": "callable", "timeout_milliseconds": 2_000, "cache_seconds": 60}
    source = LiveSource.objects.create(
        workspace=workspace, name=f"s-{predicate}", address=address, **{**told, **fields}
    )
    Policy.objects.create(workspace=workspace, pattern=predicate, action="live", source=source)
    return source


def live_atoms(entity: Entity) -> list[Atom]:
    return list(Atom.objects.for_entity(entity).claims().live().order_by("seq"))


def fetched(entity: Entity, **options: Any) -> list[LiveFact]:
    return fetch_live(entity, live_atoms(entity), runner=Runner(), **options)


def test_a_value_is_fetched_and_shown_with_its_time(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "annual")
    say(alice, None)
    began = timezone.now()
    [fact] = fetched(alice)
    assert (fact.text, fact.value, fact.is_available, fact.is_cached, fact.source) == (
        "customer customer-123 billing.plan: cycle annual, price 1200",
        {"cycle": "annual", "price": 1_200},
        True,
        False,
        "s-billing.plan",
    )
    assert fact.fetched_at is not None
    assert began <= fact.fetched_at <= timezone.now()
    assert fact.known_at == fact.fetched_at
    assert asked == [
        LiveQuestion(workspace.pk, "agent.alice", CUSTOMER.kind, CUSTOMER.identifier, "billing.plan", 2.0)
    ]


def test_what_was_fetched_is_kept_as_long_as_the_source_allows(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "annual", cache_seconds=60)
    say(alice, None)
    [first], [second] = fetched(alice), fetched(alice)
    assert (second.is_cached, second.fetched_at, len(asked)) == (True, first.fetched_at, 1)
    LiveValue.objects.update(fetched_at=timezone.now(), expires_at=timezone.now())
    assert [fact.is_cached for fact in fetched(alice)] == [False]
    assert (LiveValue.objects.count(), len(asked)) == (1, 2)


def test_a_source_without_a_cache_is_asked_each_time(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "annual", cache_seconds=0)
    say(alice, None)
    assert [fact.is_cached for _ in range(2) for fact in fetched(alice)] == [False, False]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("failing", "failed with ValueError"),
        ("nothing", "answered what holds a object, which is no JSON"),
        ("missing", "names a function that the settings do not"),
    ],
)
def test_a_function_that_gives_nothing_says_why(
    alice: Entity, workspace: Workspace, address: str, reason: str
) -> None:
    source_of(workspace, "billing.plan", address)
    say(alice, None)
    [fact] = fetched(alice)
    assert (fact.reason, fact.value, fact.known_at) == (reason, None, None)
    assert fact.text == f"customer customer-123 billing.plan: unavailable: s-billing.plan {reason}"
    assert [one.is_cached for one in fetched(alice)] == [True]


def test_a_missing_value_says_when_it_was_known_last(alice: Entity, workspace: Workspace) -> None:
    source = source_of(workspace, "billing.plan", "annual")
    say(alice, None)
    [before] = fetched(alice)
    LiveSource.objects.filter(pk=source.pk).update(address="failing")
    LiveValue.objects.update(expires_at=before.fetched_at)
    [fact] = fetched(alice)
    assert (fact.is_available, fact.value, fact.known_at) == (False, None, before.known_at)
    assert fact.text.endswith(f"failed with ValueError, known last at {before.known_at:%Y-%m-%d %H:%M} UTC")


def test_one_that_hangs_costs_its_own_time_and_no_other(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "a.slow", "hanging", timeout_milliseconds=150)
    source_of(workspace, "b.quick", "annual")
    for predicate in ("a.slow", "b.quick"):
        say(alice, None, predicate=predicate)
    slow, quick = fetched(alice)
    assert (slow.reason, quick.is_available) == ("did not answer in time", True)


def test_a_source_that_hangs_uses_up_its_own_threads_alone(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "a.slow", "hanging", timeout_milliseconds=150)
    source_of(workspace, "b.quick", "annual")
    for number in range(4):
        say(alice, None, predicate="a.slow", subject=Subject("customer", f"c-{number}"))
    say(alice, None, predicate="b.quick")
    runner = Runner(of_a_source=2, in_all=10)
    facts = fetch_live(alice, live_atoms(alice), runner=runner)
    assert [fact.is_available for fact in facts] == [False] * 4 + [True]
    LiveValue.objects.all().delete()
    busy = fetch_live(alice, live_atoms(alice)[:1], runner=runner)
    assert {fact.reason for fact in busy} <= {
        "did not answer in time",
        "is busy: its earlier calls have not come back",
    }
    assert {thread.name for thread in threading.enumerate() if thread.name.startswith("live-")} == {
        "live-s-a.slow"
    }


def test_too_many_that_hang_are_not_joined_by_more(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "a.slow", "hanging", timeout_milliseconds=100)
    for number in range(3):
        say(alice, None, predicate="a.slow", subject=Subject("customer", f"c-{number}"))
    facts = fetch_live(alice, live_atoms(alice), runner=Runner(in_all=2))
    assert [fact.reason for fact in facts] == [
        "did not answer in time",
        "did not answer in time",
        "was not asked: too many calls hang",
    ]


def test_the_caller_may_have_less_time(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "a.slow", "hanging", timeout_milliseconds=10_000)
    say(alice, None, predicate="a.slow")
    began = time.monotonic()
    [fact] = fetched(alice, most_seconds=0.1)
    assert fact.reason == "did not answer in time"
    assert time.monotonic() - began < 9


def test_more_claims_than_are_fetched_at_once(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "annual")
    for number in range(MOST_FETCHED + 1):
        say(alice, None, subject=Subject("customer", f"c-{number}"))
    *most, last = fetched(alice)
    assert all(fact.is_available for fact in most)
    assert last.reason == f"was not asked: more than {MOST_FETCHED} claims at once"
    assert LiveValue.objects.count() == MOST_FETCHED


def test_a_source_over_http(alice: Entity, workspace: Workspace, settings: Any) -> None:
    with LiveServer() as server:
        here = f"127.0.0.1:{server.port}"
        live = replace(settings.MEMSEEK.live, hosts=(here,), private_hosts=(here,))
        settings.MEMSEEK = replace(settings.MEMSEEK, live=live)
        server.scripts["/customer/customer-123?of=billing.plan"] = reply("annual")
        address = f"http://{here}/{{kind}}/{{identifier}}?of={{predicate}}"
        source_of(workspace, "billing.plan", address, kind="http", credential="billing")
        say(alice, None)
        [fact] = fetched(alice)
        assert (fact.value, server.asked[0].headers["authorization"]) == ("annual", f"Bearer {'t' * 20}")


def test_a_host_that_is_not_allowed_is_not_asked(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "https://billing.example.com/", kind="http")
    say(alice, None)
    assert [fact.reason for fact in fetched(alice)] == ["lies on a host that is not allowed"]


def test_an_unknown_credential_is_not_sent(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "https://billing.example.com/", kind="http", credential="other")
    say(alice, None)
    assert [fact.reason for fact in fetched(alice)] == ["names a credential that the settings do not"]


def test_a_source_that_is_gone(alice: Entity, workspace: Workspace) -> None:
    source = source_of(workspace, "billing.plan", "annual")
    say(alice, None)
    fetched(alice)
    Policy.objects.all().delete()
    source.delete()
    assert [fact.reason for fact in fetched(alice)] == ["is no source of this workspace"]


def test_the_source_of_another_workspace_is_not_asked(
    alice: Entity, bob: Entity, workspace: Workspace
) -> None:
    source_of(bob.workspace, "billing.plan", "annual")
    say(bob, None)
    source_of(workspace, "billing.plan", "failing")
    say(alice, None)
    assert [fact.reason for fact in fetched(alice)] == ["failed with ValueError"]
    assert fetch_live(alice, live_atoms(bob), runner=Runner())[0].is_available is False


def test_stored_claims_cost_no_statement(alice: Entity, django_assert_num_queries: Any) -> None:
    say(alice, "annual")
    atoms = live_atoms(alice)
    with django_assert_num_queries(0):
        assert fetch_live(alice, atoms) == []


@pytest.mark.parametrize("count", [1, 12])
def test_any_number_of_claims_costs_the_same_statements(
    alice: Entity, workspace: Workspace, count: int, django_assert_num_queries: Any
) -> None:
    source_of(workspace, "billing.plan", "annual")
    for number in range(count):
        say(alice, None, subject=Subject("customer", f"c-{number}"))
    atoms = live_atoms(alice)
    with django_assert_num_queries(6):  # two of them begin and end what is kept
        fetch_live(alice, atoms)
    with django_assert_num_queries(2):
        fetch_live(alice, atoms)


@pytest.mark.django_db(transaction=True)
def test_nothing_is_fetched_inside_a_transaction(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "annual")
    say(alice, None)
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a database transaction"):
        fetched(alice)
    assert asked == []


def test_a_claim_that_is_gone_keeps_nothing(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "annual")
    say(alice, None)
    atoms = live_atoms(alice)
    Atom.objects.for_entity(alice).delete()
    assert [fact.is_available for fact in fetch_live(alice, atoms)] == [True]
    assert not LiveValue.objects.exists()


def test_a_function_that_is_not_there_is_told_at_the_start(settings: Any) -> None:
    live = LiveSettings(callables={"a": f"{HERE}.annual", "b": f"{HERE}.CUSTOMER", "c": "no.such.thing"})
    settings.MEMSEEK = replace(settings.MEMSEEK, live=live)
    assert [(error.id, error.msg) for error in live_callables_can_be_called()] == [
        ("memseek.E007", f"MEMSEEK_LIVE_CALLABLES: b leads to {HERE}.CUSTOMER, which cannot be called."),
        (
            "memseek.E007",
            "MEMSEEK_LIVE_CALLABLES: c leads to no.such.thing, which cannot be imported"
            " (ModuleNotFoundError).",
        ),
    ]


def test_an_error_is_not_kept_for_long(alice: Entity, workspace: Workspace) -> None:
    source_of(workspace, "billing.plan", "failing", cache_seconds=3_600)
    say(alice, None)
    fetched(alice)
    kept = LiveValue.objects.get()
    assert kept.expires_at - kept.fetched_at == timedelta(seconds=5)
