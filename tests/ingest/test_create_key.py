"""`manage.py create_key`: for some entities, for some time."""

import io
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memory.ingest.access import UnknownEntityError, open_access
from memory.ingest.entities import ensure_entity
from memory.models import Key, Workspace
from tests.factories import make_workspace


@pytest.fixture
def workspace(db: None) -> Workspace:
    return make_workspace("acme")


def made(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("create_key", *arguments, stdout=out)
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def test_a_key_opens_its_entities_for_its_time(workspace: Workspace) -> None:
    alice = ensure_entity(workspace=workspace, name="agent.alice")
    ensure_entity(workspace=workspace, name="agent.bob")
    before = timezone.now()
    told = made("acme", "--label", "night", "--scope", "read", "--entity", "agent.alice", "--lifetime", "8h")
    key = Key.objects.get()
    access = open_access(told.pop("api_key"))
    expires_at = datetime.fromisoformat(told.pop("expires_at"))
    assert told == {
        "workspace": "acme",
        "id": str(key.pk),
        "scopes": ["read"],
        "entities": ["agent.alice"],
    }
    assert before + timedelta(hours=8) <= expires_at <= timezone.now() + timedelta(hours=8)
    assert access is not None
    assert (access.entity("agent.alice").pk, access.allows("write"), key.label) == (alice.pk, False, "night")
    with pytest.raises(UnknownEntityError):
        access.entity("agent.bob")


def test_without_options_it_reads_and_writes_everything_without_end(workspace: Workspace) -> None:
    told = made("acme")
    assert (told["scopes"], told["entities"], told["expires_at"]) == (["read", "write"], [], None)


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        (["nowhere"], "There is no workspace of this name."),
        (
            ["acme", "--entity", "nobody"],
            "The workspace has no entity 'nobody'. Its first words make it, or POST /api/v1/entities.",
        ),
        (["acme", "--label", "x" * 65], "--label has more than 64 characters"),
        (["acme", "--lifetime", "soon"], "invalid length of time value: 'soon'"),
        (["acme", "--lifetime", "0h"], "invalid length of time value: '0h'"),
        (["acme", "--lifetime", "4000d"], "invalid length of time value: '4000d'"),
    ],
)
def test_what_cannot_be_is_refused_and_makes_no_key(
    workspace: Workspace, arguments: list[str], detail: str
) -> None:
    with pytest.raises(CommandError, match=detail):
        made(*arguments)
    assert not Key.objects.exists()


def test_the_first_key_of_a_workspace_may_end_too(db: None) -> None:
    call_command("create_workspace", "short", "--lifetime", "30m", stdout=io.StringIO())
    [key] = Key.objects.all()
    assert key.expires_at is not None
    assert key.expires_at <= timezone.now() + timedelta(minutes=30)
