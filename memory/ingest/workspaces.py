"""Workspaces and the keys that open them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from memory.ingest.entities import refuse_name
from memory.ingest.problems import IngestError, refused
from memory.models import Entity, Key, Workspace

WORKSPACE_NAME_LIMIT = 64
TOKEN_SHOWN = 8
DEFAULT_SCOPES = (Key.Scope.READ, Key.Scope.WRITE)


class IssuedKey(NamedTuple):
    """A new key and its token, which is stored nowhere: this is the only time it can be shown."""

    key: Key
    token: str


class CreatedWorkspace(NamedTuple):
    """A new workspace with its first key."""

    workspace: Workspace
    key: Key
    token: str


def create_workspace(
    *,
    name: str,
    label: str = "first key",
    scopes: Sequence[str] = DEFAULT_SCOPES,
    expires_at: datetime | None = None,
) -> CreatedWorkspace:
    """Make a workspace and its first key; raises IngestError when the name is taken or cannot be one."""
    _refuse_workspace_name(name)
    with transaction.atomic():
        workspace, was_made = Workspace.objects.get_or_create(name=name)
        if not was_made:
            raise refused("name", f"a workspace named {name} is there already")
        issued = create_key(workspace=workspace, label=label, scopes=scopes, expires_at=expires_at)
    return CreatedWorkspace(workspace, issued.key, issued.token)


def create_key(
    *,
    workspace: Workspace,
    label: str,
    scopes: Sequence[str] = DEFAULT_SCOPES,
    entities: Sequence[Entity] = (),
    expires_at: datetime | None = None,
) -> IssuedKey:
    """Issue a key. With entities given it opens only those, and makes no others."""
    if not scopes or not set(scopes) <= set(Key.Scope.values):
        raise refused("scopes", f"are not some of {', '.join(Key.Scope.values)}")
    if any(entity.workspace_id != workspace.pk for entity in entities):
        raise refused("entities", "belong to another workspace")
    token = Key.new_token()
    with transaction.atomic():
        key = Key.objects.create(
            workspace=workspace,
            label=label,
            prefix=token[:TOKEN_SHOWN],
            digest=Key.digest_of(token),
            scopes=sorted(set(scopes)),
            expires_at=expires_at,
            is_bound=bool(entities),
        )
        key.entities.set(entities)
    return IssuedKey(key, token)


def revoke_key(*, key: Key) -> bool:
    """End a key at once; one that was revoked before stays revoked since then. Says whether it was usable."""
    return bool(Key.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=Now()))


def _refuse_workspace_name(name: str) -> None:
    try:
        refuse_name(name)
    except IngestError as error:
        raise refused("name", error.problems[0].problem) from error
    if len(name) > WORKSPACE_NAME_LIMIT:
        raise refused("name", f"has {len(name)} characters, 1 to {WORKSPACE_NAME_LIMIT} are taken")
