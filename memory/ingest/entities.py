"""Entities: whose memory it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, transaction

from memory import queries
from memory.cascade.work import ensure_work
from memory.ingest.problems import IngestConflict, IngestError, Problem, refused
from memory.ingest.storable import UNCLEAR, is_blank, is_unclear, text_problem
from memory.models import Entity, Workspace
from memory.models.tenancy import validate_time_zone

ENTITY_NAME_LIMIT = 128
ENTITY_FIELDS = (
    *("id", "workspace_id", "name", "group_id", "user_id", "time_zone", "paused_steps", "erase_epoch"),
    *("shadow_of_id", "created_at"),
)
DIGEST_SHOWN = 12


def ensure_entity(
    *, workspace: Workspace, name: str, time_zone: str | None = None, group_id: str = "", user_id: str = ""
) -> Entity:
    """The entity of this name, made with its work rows if missing; any number of callers may ask at once.

    An entity that is there keeps its time zone, group and user. Raises IngestError for a name, zone, group or
    user that cannot be taken.
    """
    refuse_name(name)
    found = _found(workspace, name)
    if found is not None:
        return found
    entity = Entity(
        workspace=workspace, name=name, time_zone=time_zone or "UTC", group_id=group_id, user_id=user_id
    )
    return _made(entity)


def _made(entity: Entity) -> Entity:
    """The row of this name, which may be another caller's."""
    refuse_details(entity)
    with transaction.atomic():
        # Whoever else is making it commits first; then its row is there, with its work.
        Entity.objects.bulk_create([entity], ignore_conflicts=True)
        made = Entity.objects.for_workspace(entity.workspace_id).filter(name=entity.name).first()
        if made is None:
            raise refused("user_id", "and group_id together stand for another entity already")
        ensure_work(made)
    return made


@dataclass(frozen=True, slots=True)
class OpenedEntity:
    """An entity, and whether this call made it."""

    entity: Entity
    is_new: bool


def open_entity(
    *, workspace: Workspace, name: str, time_zone: str | None = None, group_id: str = "", user_id: str = ""
) -> OpenedEntity:
    """Make an entity, once however often it is asked for.

    Raises IngestConflict where another one of this name is there: with another zone, group or user than what
    is given. IngestError for what cannot be taken.
    """
    refuse_name(name)
    wanted = Entity(
        workspace=workspace, name=name, time_zone=time_zone or "UTC", group_id=group_id, user_id=user_id
    )
    made = _made(wanted)
    given = {"time_zone": time_zone or made.time_zone, "group_id": group_id, "user_id": user_id}
    for field, value in given.items():
        if value and value != getattr(made, field):
            raise IngestConflict([Problem(None, field, "is another one for the entity of this name")])
    return OpenedEntity(made, is_new=made.pk == wanted.pk)


def ensure_entity_of(
    *, workspace: Workspace, group_id: str, user_id: str, time_zone: str | None = None
) -> Entity:
    """The entity of a group and a user, made if missing; any number of callers may ask at once.

    It is named `group/user` where that name is free and can be one, else by the beginning of it and a digest
    of both. Raises IngestError for a group, user or zone that cannot be taken.
    """
    found = find_entity_of(workspace=workspace, group_id=group_id, user_id=user_id)
    if found is not None:
        return found
    for name in _names_of(group_id, user_id):
        entity = Entity(
            workspace=workspace, name=name, time_zone=time_zone or "UTC", group_id=group_id, user_id=user_id
        )
        refuse_details(entity)
        with transaction.atomic():
            Entity.objects.bulk_create([entity], ignore_conflicts=True)
            made = find_entity_of(workspace=workspace, group_id=group_id, user_id=user_id)
            if made is not None:
                ensure_work(made)
                return made
    raise refused("entity", f"{name} is taken by another entity")


def find_entity_of(*, workspace: Workspace, group_id: str, user_id: str) -> Entity | None:
    """The entity of a group and a user, if there is one; IngestError where both are blank or unstorable."""
    if is_blank(group_id) and is_blank(user_id):
        raise refused("entity", "has to be named, by itself or by group_id and user_id")
    _refuse_owner(group_id=group_id, user_id=user_id)
    entities = Entity.objects.for_workspace(workspace.pk)
    found = entities.filter(group_id=group_id, user_id=user_id).first()
    if found is not None:
        found.workspace = workspace
    return found


def _names_of(group_id: str, user_id: str) -> tuple[str, ...]:
    """Names for the entity of a group and a user, the readable one first; the last one is theirs alone."""
    readable = "/".join(part for part in (group_id, user_id) if part)
    digest = sha256(f"{len(group_id)}/{group_id}/{user_id}".encode()).hexdigest()[:DIGEST_SHOWN]
    sure = f"{readable[: ENTITY_NAME_LIMIT - DIGEST_SHOWN - 1]}~{digest}"
    return (readable, sure) if len(readable) <= ENTITY_NAME_LIMIT else (sure,)


def find_entity(*, workspace: Workspace, name: str) -> Entity | None:
    """The entity of this name, if there is one."""
    try:
        refuse_name(name)
    except IngestError:
        return None
    return _found(workspace, name)


def _found(workspace: Workspace, name: str) -> Entity | None:
    # Nearly every request asks for one: a query whose plan is kept takes a fifth of the model's time.
    [found] = queries.kept_rows(asked_by_name(workspace, name))
    return found_by_name(workspace, found)


def asked_by_name(workspace: Workspace, name: str) -> tuple[str, Mapping[str, Any]]:
    """The named query for the entity of a name, for those who ask for more in the same exchange."""
    return ("entity_of_name", {"workspace": workspace.pk, "name": name})


def found_by_name(workspace: Workspace, found: Sequence[tuple[Any, ...]]) -> Entity | None:
    """The entity in the rows of that query, if there is one."""
    if not found:
        return None
    *columns, languages = found[0]
    entity = Entity.from_db(DEFAULT_DB_ALIAS, ENTITY_FIELDS, columns)
    entity.languages_read = tuple(languages) if languages else None
    # Known already: whoever asks for the workspace's design needs no statement for it.
    entity.workspace = workspace
    return entity


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


def refuse_details(entity: Entity) -> None:
    """Raise IngestError for a zone, a group or a user that an entity cannot have."""
    refuse_zone(entity.time_zone)
    _refuse_owner(group_id=entity.group_id, user_id=entity.user_id)


def _refuse_owner(**fields: str) -> None:
    for field, value in fields.items():
        if text_problem(value) or len(value) > ENTITY_NAME_LIMIT:
            raise refused(field, f"is no text of at most {ENTITY_NAME_LIMIT} characters")
        if is_unclear(value):
            raise refused(field, UNCLEAR)
