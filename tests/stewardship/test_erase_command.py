"""`manage.py erase`: counted first, confirmed by a typed name or a token."""

from __future__ import annotations

import sys
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import Entity, Erasure, Message
from tests.cascade.story import an_entity
from tests.factories import make_message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Entity:
    entity = an_entity()
    make_message(entity, "My locker is 12.", session="first")
    make_message(entity, "I like tea.", session="second")
    return entity


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def run(*arguments: str, typed: str | None = None, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stdin", StringIO() if typed is None else Terminal(f"{typed}\n"))
    out = StringIO()
    call_command("erase", "agent.alice", "--workspace", "demo", *arguments, stdout=out)
    return out.getvalue()


def words() -> list[str]:
    return list(Message.objects.order_by("seq").values_list("text", flat=True))


def test_a_script_previews_and_then_gives_the_token(alice: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    told = run("--session", "first", monkeypatch=monkeypatch)
    assert (told.startswith("Would go for good:\n  messages: 1\n"), len(words())) == (True, 2)
    token = told.split("--token ")[1].strip()

    told = run("--token", token, monkeypatch=monkeypatch)

    assert told.startswith("Erased:\n  messages: 1\n")
    assert words() == ["I like tea."]
    with pytest.raises(CommandError):
        run("--token", token, monkeypatch=monkeypatch)


@pytest.mark.parametrize(
    ("typed", "left"), [("agent.alice", []), ("yes", ["My locker is 12.", "I like tea."])]
)
def test_a_person_types_the_name(
    alice: Entity, typed: str, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = run("--whole", typed=typed, monkeypatch=monkeypatch)
    assert words() == left
    assert told.endswith("Nothing has gone.\n") is bool(left)


def test_a_message_or_a_period_can_be_named(alice: Entity, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Message.objects.order_by("seq").first()
    assert first is not None
    for arguments in (["--message", str(first.pk)], ["--since", "2026-01-01", "--until", "2027-01-01"]):
        run(*arguments, monkeypatch=monkeypatch)
    assert list(Erasure.objects.order_by("pk").values_list("scope", flat=True)) == ["messages", "period"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Name one of"),
        (["--whole", "--session", "first"], "Name one of"),
        (["--session", "third"], "none of this entity"),
        (["--token", "no token"], "confirms nothing"),
    ],
)
def test_what_cannot_be_erased_is_told(
    alice: Entity, arguments: list[str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CommandError, match=told):
        run(*arguments, monkeypatch=monkeypatch)
    assert len(words()) == 2
