"""Links that show one timeline or one scene to whoever holds them, for a day at most.

Nothing of a link is stored: it names its workspace, entity, target, end and the key that made it, and is
signed. What it shows is read when it is opened, and only while that key could read it itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.core import signing
from django.db.models import Exists, OuterRef
from django.utils import timezone

from memory.ingest.access import Access
from memory.models import Entity, Key, Scene
from memory.stewardship.actors import RefusedChangeError
from memseek_site.log_fields import add_fields

logger = logging.getLogger(__name__)

SALT = "memory.stewardship.links"
SHORTEST_LIFETIME = timedelta(minutes=1)
DEFAULT_LIFETIME = timedelta(hours=1)
LONGEST_LIFETIME = timedelta(days=1)
LONGEST_TOKEN = 512
VERSION = 1


class LinkTarget(StrEnum):
    """What a link shows."""

    TIMELINE = "timeline"
    SCENE = "scene"


class NoLinkError(Exception):
    """The token is none of ours, or was changed."""


class GoneLinkError(Exception):
    """The link showed something once; the text says why it shows nothing any more."""


@dataclass(frozen=True, slots=True)
class NewLink:
    """A token with what it opens."""

    token: str
    entity: Entity
    scene: UUID | None
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OpenedLink:
    """What a token opens; without a scene it is the timeline."""

    entity: Entity
    scene: UUID | None
    key_id: UUID
    expires_at: datetime


def make_link(
    access: Access, *, entity: Entity, scene: UUID | None = None, lifetime: timedelta = DEFAULT_LIFETIME
) -> NewLink:
    """A link to the timeline of an entity that the key opens, or to a live scene of it.

    It ends with the key at the latest. RefusedChangeError for a scene that has ended; ValueError for a
    lifetime beyond `SHORTEST_LIFETIME` and `LONGEST_LIFETIME`.
    """
    if not SHORTEST_LIFETIME <= lifetime <= LONGEST_LIFETIME:
        raise ValueError("A link lives for a minute at least and a day at most.")
    if scene is not None and not _is_live(entity, scene):
        raise RefusedChangeError("The scene has ended: a link shows what holds.")
    wanted = timezone.now() + lifetime
    ends_at = min(wanted, access.key.expires_at or wanted).replace(microsecond=0)
    token = signing.dumps(_packed(entity, scene, access.key, ends_at), salt=SALT)
    add_fields(entity=entity.pk)
    logger.info("a link was made by key %s to a %s, until %s", access.key.pk, target_of(scene), ends_at)
    return NewLink(token, entity, scene, ends_at)


def open_link(token: str) -> OpenedLink:
    """What a token opens, in two statements; one more for a scene. NoLinkError, GoneLinkError."""
    told = _read(token)
    expires_at = datetime.fromtimestamp(told["until"], UTC)
    now = timezone.now()
    if expires_at <= now:
        raise GoneLinkError("This link has expired.")
    entity = _entity(UUID(told["workspace"]), UUID(told["entity"]))
    if entity is None or not _still_reads(UUID(told["key"]), entity, now):
        raise GoneLinkError("This link has been closed: whoever made it may not show this any more.")
    scene = UUID(told["scene"]) if told["scene"] else None
    if scene is not None and not _is_live(entity, scene):
        raise GoneLinkError("The scene that this link showed has ended.")
    add_fields(workspace=entity.workspace_id, entity=entity.pk)
    return OpenedLink(entity, scene, UUID(told["key"]), expires_at)


def target_of(scene: UUID | None) -> LinkTarget:
    """What a link with or without a scene shows."""
    return LinkTarget.TIMELINE if scene is None else LinkTarget.SCENE


def _packed(entity: Entity, scene: UUID | None, key: Key, ends_at: datetime) -> dict[str, Any]:
    return {
        "version": VERSION,
        "workspace": entity.workspace_id.hex,
        "entity": entity.pk.hex,
        "scene": scene.hex if scene else None,
        "key": key.pk.hex,
        "until": int(ends_at.timestamp()),
    }


def _read(token: str) -> dict[str, Any]:
    if len(token) > LONGEST_TOKEN:
        raise NoLinkError
    try:
        told: dict[str, Any] = signing.loads(token, salt=SALT)
    except signing.BadSignature as error:
        raise NoLinkError from error
    if told.get("version") != VERSION:
        raise GoneLinkError("This link was made by an older version of this server.")
    return told


def _entity(workspace: UUID, id: UUID) -> Entity | None:
    return Entity.objects.visible().select_related("workspace").filter(pk=id, workspace=workspace).first()


def _still_reads(key_id: UUID, entity: Entity, now: datetime) -> bool:
    """Whether the key that made a link could still read the entity itself."""
    bound = Key.entities.through.objects.filter(key=OuterRef("pk"), entity=entity.pk)
    keys = Key.objects.filter(pk=key_id, workspace=entity.workspace_id).annotate(is_named=Exists(bound))
    key = keys.first()
    if key is None or not key.is_usable(now) or not key.allows(Key.Scope.READ):
        return False
    return not key.is_bound or bool(key.is_named)


def _is_live(entity: Entity, scene: UUID) -> bool:
    return Scene.objects.for_entity(entity).filter(pk=scene, status=Scene.Status.LIVE).exists()
