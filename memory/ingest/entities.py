"""Entities: whose memory it is."""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError
from django.db import transaction

from memory.cascade.work import ensure_work
from memory.ingest.problems import IngestError, refused
from memory.ingest.storable import text_problem
from memory.models import Entity, Workspace
from memory.models.tenancy import validate_time_zone

ENTITY_NAME_LIMIT = 128


def ensure_entity(
    *, workspace: Workspace, name: str, time_zone: str | None = None, group_id: str = "", user_id: str = ""
) -> Entity:
    """The entity of this name, made with its work rows if missing; any number of callers may ask at once.

    An entity that is there keeps its time zone, group and user. Raises IngestError for a name, zone, group or
    user that cannot be taken.
    """
    refuse_name(name)
    entities = Entity.objects.for_workspace(workspace.pk).filter(name=name)
    found = entities.first()
    if found is not None:
        return found
    entity = Entity(
        workspace=workspace, name=name, time_zone=time_zone or "UTC", group_id=group_id, user_id=user_id
    )
    _refuse_details(entity)
    with transaction.atomic():
        # Whoever else is making it commits first; then its row is there, with its work.
        Entity.objects.bulk_create([entity], ignore_conflicts=True)
        made = entities.first()
        if made is None:
            raise refused("user_id", "and group_id together stand for another entity already")
        ensure_work(made)
    return made


def find_entity(*, workspace: Workspace, name: str) -> Entity | None:
    """The entity of this name, if there is one."""
    try:
        refuse_name(name)
    except IngestError:
        return None
    found = Entity.objects.for_workspace(workspace.pk).filter(name=name).first()
    if found is not None:
        # Known already: whoever asks for the workspace's design needs no statement for it.
        found.workspace = workspace
    return found


def refuse_name(name: str) -> None:
    """Raise IngestError unless the name has 1 to 128 printable characters and no space at its ends."""
    problem = text_problem(name)
    if not name or len(name) > ENTITY_NAME_LIMIT:
        problem = f"has {len(name)} characters, 1 to {ENTITY_NAME_LIMIT} are taken"
    elif name != name.strip() or any(unicodedata.category(character) == "Cc" for character in name):
        problem = "begins or ends with a space, or holds a control character"
    if problem:
        raise refused("entity", problem)


def refuse_zone(name: str) -> None:
    """Raise IngestError unless the time zone database has a zone of this name."""
    try:
        validate_time_zone(name)
    except ValidationError as error:
        raise refused("time_zone", "is not in the time zone database") from error


def _refuse_details(entity: Entity) -> None:
    refuse_zone(entity.time_zone)
    for field in ("group_id", "user_id"):
        value: str = getattr(entity, field)
        if text_problem(value) or len(value) > ENTITY_NAME_LIMIT:
            raise refused(field, f"is no text of at most {ENTITY_NAME_LIMIT} characters")
