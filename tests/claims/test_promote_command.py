"""`manage.py promote`: once, for one or all, and anew."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.claims import promotion
from memory.models import GraphEdge
from tests.claims.histories import a_claim, an_entity, dump
from tests.factories import make_entity, make_workspace

pytestmark = pytest.mark.django_db


def told(*arguments: str) -> tuple[int, str]:
    """The command's exit code and output."""
    output = StringIO()
    try:
        call_command("promote", *arguments, stdout=output, stderr=StringIO())
    except SystemExit as end:
        return int(end.code or 0), output.getvalue()
    return 0, output.getvalue()


def test_once_promotes_all_entities_and_says_what_was_done() -> None:
    for name in ("agent.one", "agent.two"):
        a_claim(an_entity(name), "billing.plan", "annual")
    line = "2 atoms of 2 entities: 2 edges written, 0 removed, 0 atoms still wait.\n"
    assert told("--once") == (0, line)


def test_once_with_a_name_promotes_that_entity() -> None:
    one, two = an_entity("agent.one"), an_entity("agent.two")
    for entity in (one, two):
        a_claim(entity, "billing.plan", "annual")
    code, output = told("agent.one", "--once", "--json")
    counts = {"entities": 1, "atoms": 1, "edges_written": 1, "edges_removed": 0, "failed": 0, "waiting": 0}
    assert (code, json.loads(output)) == (0, counts)
    assert not GraphEdge.objects.for_entity(two).exists()


def test_a_graph_is_rebuilt_to_be_the_same() -> None:
    entity = an_entity("agent.one")
    a_claim(entity, "billing.plan", {"kind": "plan", "id": "annual"})
    told("--once")
    before = dump(entity)
    line = "1 atoms of 1 entities: 1 edges written, 0 removed, 0 atoms still wait.\n"
    assert told("agent.one", "--rebuild") == (0, line)
    assert dump(entity) == before


def test_a_run_that_failed_ends_it_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    a_claim(an_entity(), "billing.plan", "annual")

    def failing(*_: object) -> None:
        raise RuntimeError("no graph today")

    monkeypatch.setattr(promotion, "project_atoms", failing)
    code, output = told("--once")
    assert (code, output) == (1, "0 atoms of 0 entities: 0 edges written, 0 removed, 1 atoms still wait.\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["agent.nobody", "--once"], "There is no entity agent.nobody."),
        (
            ["agent.twice", "--once"],
            "Several workspaces have an entity agent.twice: name one with --workspace.",
        ),
        (["agent.twice", "--workspace", "none", "--once"], "There is no entity agent.twice."),
        (["--rebuild"], "--rebuild needs an ENTITY."),
        (["--workspace", "demo", "--once"], "--workspace is given together with an ENTITY."),
    ],
)
def test_what_it_cannot_find_is_refused(arguments: list[str], problem: str) -> None:
    for workspace in ("demo", "elsewhere"):
        make_entity("agent.twice", workspace=make_workspace(workspace))
    with pytest.raises(CommandError, match=problem):
        told(*arguments)


@pytest.fixture
def kept_signals() -> Iterator[None]:
    """The command takes over SIGTERM and SIGINT, as a process of its own may."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.django_db(transaction=True)
def test_without_once_it_promotes_until_it_is_told_to_end(
    monkeypatch: pytest.MonkeyPatch, kept_signals: None
) -> None:
    entity = an_entity()
    a_claim(entity, "billing.plan", "annual")
    looked: list[str] = []

    def look(*_: object) -> None:
        looked.append(entity.name)
        if len(looked) == 1:
            a_claim(entity, "billing.seats", 12)
        else:
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("memory.management.commands.promote.Command.progress", look)
    assert told("--pause", "0.01") == (0, "")
    assert GraphEdge.objects.for_entity(entity).count() == 2
