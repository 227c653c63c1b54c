"""All checks look at one moment of a system that goes on working, and write nothing."""

from __future__ import annotations

from threading import Thread

import pytest
from django.db import InternalError, connection

from memory.models import Chain, Entity
from memory.stewardship import verify as checker
from memory.stewardship.verify import verify
from memory.stewardship.verifying.checks import ReadingCheck
from tests.cascade.story import an_entity

pytestmark = pytest.mark.django_db(transaction=True)


def an_empty_chain(entity: Entity) -> list[tuple[str, str]]:
    """Write one; as a check it finds nothing."""
    Chain.objects.create(workspace=entity.workspace, entity=entity)
    return []


def elsewhere(entity: Entity) -> list[tuple[str, str]]:
    """On another connection, committed at once."""

    def work() -> None:
        an_empty_chain(entity)
        connection.close()

    thread = Thread(target=work)
    thread.start()
    thread.join()
    return []


def test_what_is_written_meanwhile_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = an_entity()
    meanwhile = ReadingCheck("meanwhile", "", lambda _: elsewhere(entity))
    first, *others = checker.ALWAYS
    with monkeypatch.context() as patch:
        patch.setattr(checker, "ALWAYS", (first, meanwhile, *others))
        assert verify() == []
    assert [problem.kind for problem in verify()] == ["empty_chain"]


def test_a_check_cannot_write(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = an_entity()
    writing = ReadingCheck("writing", "", lambda _: an_empty_chain(entity))
    monkeypatch.setattr(checker, "ALWAYS", (writing,))
    with pytest.raises(InternalError, match="read-only"):
        verify()
    assert Chain.objects.count() == 0


def test_no_more_breaches_are_read_than_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entity = an_entity()
    for _ in range(4):
        an_empty_chain(entity)
    monkeypatch.setattr(checker, "MOST_TOLD", 3)
    report = checker.inspect()
    assert ([problem.kind for problem in report.problems], report.cut) == (
        ["empty_chain"] * 3,
        ("empty_chain",),
    )
