"""`manage.py rebuild`, from the difference to the swap."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.cascade.engine import settle_entity
from memory.llm.offline.model import OfflineModel
from memory.models import Atom, Entity, Rebuild
from tests.cascade.story import an_entity, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> Entity:
    entity = an_entity()
    say(entity, "The API gateway is written in Go.", "Never deploy the API gateway on Fridays.")
    settle_entity(entity, model=OfflineModel())
    # As an older release would have left it.
    Atom.objects.filter(kind="instruction").update(priority=40)
    return entity


def rebuild(*arguments: str) -> str:
    out = StringIO()
    call_command("rebuild", "agent.alice", "--workspace", "demo", *arguments, stdout=out)
    return out.getvalue()


def priorities() -> list[int]:
    rules = Atom.objects.live().filter(kind="instruction", entity__shadow_of__isnull=True)
    return list(rules.values_list("priority", flat=True))


def test_a_dry_run_tells_the_difference_and_changes_nothing(alice: Entity, capsys: Any) -> None:
    shown = rebuild("--from", "L1")
    token = shown.rpartition("Token: ")[2].strip()
    assert shown.splitlines()[:3] == [
        "Atoms: 1 changed, 1 as before",
        "  ~ [instruction, 85] Never deploy the API gateway on Fridays.",
        "      priority 40 → 85",
    ]
    assert "0 tokens in, 0 out, free" in shown
    assert f"--apply {token}" in capsys.readouterr().err
    assert priorities() == [40]


def test_the_token_of_a_dry_run_applies_exactly_what_it_showed(alice: Entity) -> None:
    token = json.loads(rebuild("--json"))["token"]
    say(alice, "The team meets in Oslo.")
    with pytest.raises(CommandError, match="not the one"):
        rebuild("--apply", "0123456789ab")
    assert priorities() == [40]
    assert rebuild("--apply", token) == ""
    assert priorities() == [85]


def test_apply_without_a_token_shows_and_applies_at_once(alice: Entity) -> None:
    assert "priority 40 → 85" in rebuild("--apply")
    assert (priorities(), Rebuild.objects.get().status) == ([85], "applied")


def test_discard_ends_an_open_rebuild(alice: Entity) -> None:
    rebuild()
    assert rebuild("--discard") == "Discarded.\n"
    assert rebuild("--discard") == "No rebuild is open.\n"
    with pytest.raises(CommandError, match="No rebuild"):
        rebuild("--apply", "0123456789ab")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--design", "other@1.0.0"), "There is no design other@1.0.0"),
        (("--model", "gpt-oss"), "No endpoint is configured"),
        (("--from", "L4"), "invalid choice"),
    ],
)
def test_what_is_not_there_is_told(alice: Entity, arguments: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        rebuild(*arguments)


def test_an_unknown_entity_is_told(alice: Entity) -> None:
    with pytest.raises(CommandError, match=r"no entity agent\.bob"):
        call_command("rebuild", "agent.bob", "--workspace", "demo")


def test_a_rebuild_from_l3_tells_of_traits_alone_whatever_came_meanwhile(alice: Entity) -> None:
    rebuild("--from", "L3")
    say(alice, "The gateway team sits in Oslo.")
    settle_entity(alice, model=OfflineModel())
    assert [line.partition(":")[0] for line in rebuild("--from", "L3").splitlines()] == [
        "Traits",
        "Cost",
        "Token",
    ]
