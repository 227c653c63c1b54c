"""Two workspaces with two entities each, called the same and told the same, and two visitors' sandboxes.

`own` is whoever asks; `near` lives in the same workspace, `far` in another one under the name of `own`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import Model, QuerySet

from memory.indexing.step import index_entity
from memory.ingest.sandbox import open_sandbox
from memory.ingest.workspaces import create_key
from memory.models import (
    Atom,
    Entity,
    Key,
    Layer,
    Member,
    Message,
    Review,
    Run,
    Session,
    Unindexed,
    Work,
    Workspace,
)
from memseek_site.demonstration import WORKSPACE
from showcase.demonstration import TOUR_ENTITY
from tests.admin.conftest import fill_entity, park
from tests.factories import make_entity, make_message, make_rule, make_run, make_workspace
from tests.isolation.marking import Owner, mark_everything, tables

NEIGHBOUR = "agent.carol"
SAME_NAMES = (TOUR_ENTITY, NEIGHBOUR)
EVERY_SCOPE = (Key.Scope.READ, Key.Scope.WRITE, Key.Scope.ADMIN)
WORDS = {
    "own": "zquaggaown",
    "near": "zquagganear",
    "far": "zquaggafar",
    "far_near": "zquaggabeyond",
    "mine": "zquaggamine",
    "other": "zquaggaother",
}
OWN_WORKSPACE, FAR_WORKSPACE = "zquaggahere", "zquaggathere"
OF_FAR = (WORDS["far"], WORDS["far_near"], FAR_WORKSPACE)
ROWS_OF_A_TABLE = 3


@dataclass
class World:
    """The entities by what they are to whoever asks, and the ways in."""

    entities: dict[str, Entity]
    tokens: dict[str, str]
    people: dict[str, User]
    unmarked: set[str] = field(default_factory=set)

    def rows(self, who: str, model: type[Model]) -> list[Any]:
        """Ids of some rows of an entity, or of its workspace where the table knows no entities."""
        entity = self.entities[who]
        names = {each.name for each in model._meta.fields}
        if model is Entity:
            return [entity.pk]
        if model is Workspace:
            return [entity.workspace_id]
        found: QuerySet[Any]
        if model is Key:
            found = Key.objects.filter(entities=entity)
        elif "entity" in names:
            found = model._default_manager.filter(entity=entity)
        elif "workspace" in names:
            found = model._default_manager.filter(workspace=entity.workspace_id)
        else:
            found = model._default_manager.all()
        return list(found.order_by("-pk").values_list("pk", flat=True)[:ROWS_OF_A_TABLE])


def make_world() -> World:
    """Everything, committed: rows are marked over the connection of their owner."""
    ContentType.objects.clear_cache()
    with transaction.atomic():
        entities = _entities()
        for entity in entities.values():
            _fill(entity)
        people = {who: _person(entities[who].workspace, f"{WORDS[who]}_user") for who in ("own", "far")}
        for who, person in people.items():
            _log(entities[who], person)
    world = World(entities, _tokens(entities), people)
    world.unmarked = mark_everything(_owners(entities))
    for entity in entities.values():
        index_entity(entity_id=entity.pk)
        _leave_waiting(entity)
    return world


def remove_world() -> None:
    """Empty the tables: the rows were committed."""
    call_command("flush", verbosity=0, interactive=False, reset_sequences=False, inhibit_post_migrate=False)


def state_of(workspace: UUID) -> dict[str, str]:
    """A digest of all rows of a workspace, by table."""
    found = {}
    with connection.cursor() as cursor:
        for model in tables():
            if any(each.name == "workspace" for each in model._meta.fields):
                table = model._meta.db_table
                cursor.execute(
                    f"SELECT md5(string_agg(row_::text, '|' ORDER BY row_::text)) FROM {table} row_"
                    " WHERE workspace_id = %s",
                    [workspace],
                )
                found[table] = str(cursor.fetchone()[0])
    return found


def _entities() -> dict[str, Entity]:
    here, there = make_workspace(WORKSPACE), make_workspace(f"{FAR_WORKSPACE}_name")
    own, neighbour = SAME_NAMES
    return {
        "own": make_entity(own, workspace=here),
        "near": make_entity(neighbour, workspace=here),
        "far": make_entity(own, workspace=there),
        "far_near": make_entity(neighbour, workspace=there),
        "mine": _sandbox(),
        "other": _sandbox(),
    }


def _sandbox() -> Entity:
    """A visitor's, without the work that waits for its first words: it is filled like the others."""
    entity = open_sandbox()
    Work.objects.filter(entity=entity).delete()
    return entity


def _fill(entity: Entity) -> None:
    """A row of every table; a second message that was set aside, and a session that takes turns."""
    memory = fill_entity(entity)
    Review.objects.create(
        workspace_id=entity.workspace_id,
        entity=entity,
        version=memory.draft,
        verdict="rejected",
        reason="No.",
    )
    make_rule(entity, "Always attach the rollback plan.", [memory.message], priority=90)
    memory.message = make_message(entity, "Deploys need approval, as I said.", session="second")
    memory.run = make_run(entity, status=Run.Status.FAILED, error_kind="bad_answer")
    park(memory)
    Session.objects.filter(entity=entity, external_id="second").update(takes_turns=True)
    memory.key.is_bound = True
    memory.key.save(update_fields=["is_bound"])
    memory.key.entities.add(entity)


def _leave_waiting(entity: Entity) -> None:
    """Something for the index step, so that its table has a row too."""
    [atom] = Atom.objects.filter(entity=entity).order_by("pk")[:1]
    Unindexed.objects.create(workspace_id=entity.workspace_id, entity=entity, layer=Layer.ATOM, row=atom.pk)


def _person(workspace: Workspace, name: str) -> User:
    user = User.objects.create_user(name, is_staff=True, email=f"{name}@example.com")
    Member.objects.create(workspace=workspace, user=user, role=Member.Role.OPERATOR)
    return user


def _log(entity: Entity, person: User) -> None:
    """What the admin's own history says of a row of each of some tables."""
    for model in (Atom, Message, Entity):
        row = entity if model is Entity else model._default_manager.filter(entity=entity).first()
        LogEntry.objects.create(
            user=person,
            content_type=ContentType.objects.get_for_model(model),
            object_id=str(row.pk if row else ""),
            object_repr=f"{person.username}_repr",
            action_flag=CHANGE,
            change_message=f"{person.username}_message",
        )


def _tokens(entities: dict[str, Entity]) -> dict[str, str]:
    """Keys with every scope: to the workspace of `own`, to `own` alone, to the other workspace."""

    def token(who: str, *, is_bound: bool) -> str:
        entity = entities[who]
        bound = [entity] if is_bound else []
        return create_key(
            workspace=entity.workspace, label="walker", scopes=EVERY_SCOPE, entities=bound
        ).token

    return {
        "workspace": token("own", is_bound=False),
        "bound": token("own", is_bound=True),
        "far": token("far", is_bound=False),
    }


def _owners(entities: dict[str, Entity]) -> list[Owner]:
    owners = [Owner(WORDS[who], entity.workspace_id, entity.pk) for who, entity in entities.items()]
    here, there = entities["own"].workspace_id, entities["far"].workspace_id
    return [*owners, Owner(FAR_WORKSPACE, there, None), Owner(OWN_WORKSPACE, here, None)]
