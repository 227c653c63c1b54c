"""What the bearer of a key may reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Q

from memory import queries
from memory.ingest.entities import find_entity
from memory.models import Entity, Key, Share, Workspace
from memseek_site.log_fields import add_fields

LAST_USE_INTERVAL = timedelta(minutes=1)
KEY_FIELDS = (
    *("id", "workspace_id", "label", "prefix", "digest", "scopes", "is_bound", "created_at"),
    *("expires_at", "revoked_at", "last_used_at"),
)
WORKSPACE_FIELDS = (
    *("id", "name", "design", "daily_token_budget"),
    *("message_days", "run_days", "use_days", "event_days", "created_at"),
)


class UnknownEntityError(Exception):
    """No entity of this name can be reached with this key; whether it is there is not said."""


@dataclass(frozen=True, slots=True)
class Access:
    """A usable key, its workspace, and the entities it opens if it is bound to some."""

    key: Key
    workspace: Workspace
    entity_ids: frozenset[UUID]

    @property
    def is_bound(self) -> bool:
        """Whether the key opens certain entities only."""
        return self.key.is_bound

    def allows(self, scope: str) -> bool:
        """Whether the key's scopes include this one."""
        return self.key.allows(scope)

    def opens(self, entity_id: UUID) -> bool:
        """Whether an entity of the workspace is the key's own, to read and to write."""
        return not self.is_bound or entity_id in self.entity_ids

    def reads(self, entity_id: UUID) -> bool:
        """Whether an entity of the workspace may be read: the key's own, or one shared with one of these."""
        if self.opens(entity_id):
            return True
        shares = Share.objects.for_workspace(self.workspace.pk)
        return shares.filter(entity=entity_id, reader__in=self.entity_ids).exists()

    def entity(self, name: str) -> Entity:
        """The entity of this name among those that are the key's own, or UnknownEntityError."""
        return self._found(name, self.opens)

    def readable(self, name: str) -> Entity:
        """The entity of this name to be read and nothing else, or UnknownEntityError.

        One statement more only where a bound key asks for an entity that is not its own.
        """
        return self._found(name, self.reads)

    def _found(self, name: str, is_reached: Callable[[UUID], bool]) -> Entity:
        found = find_entity(workspace=self.workspace, name=name)
        if found is None or not is_reached(found.pk):
            raise UnknownEntityError(name)
        add_fields(entity=found.pk)
        return found


def open_access(token: str) -> Access | None:
    """What a token opens, None when it is unknown, revoked or expired.

    One statement, and once a minute another one that notes the use.
    """
    access = _find_access(Key.digest_of(token))
    now = datetime.now(UTC)
    if access is None or not access.key.is_usable(now):
        return None
    _note_use(access.key, now)
    add_fields(workspace=access.workspace.pk)
    return access


def _find_access(digest: str) -> Access | None:
    """Every request begins here: a named query whose plan is kept takes a fifth of the model's time."""
    [found] = queries.kept_rows(("key_of_digest", {"digest": digest}))
    if not found:
        return None
    [(*columns, entity_ids)] = found
    count = len(KEY_FIELDS)
    workspace = Workspace.from_db(DEFAULT_DB_ALIAS, WORKSPACE_FIELDS, columns[count:])
    key = Key.from_db(DEFAULT_DB_ALIAS, KEY_FIELDS, columns[:count])
    key.workspace = workspace
    return Access(key, workspace, frozenset(entity_ids))


def _note_use(key: Key, now: datetime) -> None:
    """At most one write a minute, also when many requests come at once."""
    before = now - LAST_USE_INTERVAL
    if key.last_used_at is None or key.last_used_at <= before:
        stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=before)
        Key.objects.filter(stale, pk=key.pk).update(last_used_at=now)
