"""Every address of the product, from Django's own table, filled with ids of whoever is asked about.

What an address holds has to be known here: a new parameter fails the walks until they are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.urls import URLPattern, URLResolver, get_resolver

from memory.models import (
    Atom,
    Entity,
    Key,
    Message,
    Procedure,
    ProcedureVersion,
    Run,
    Scene,
    SceneVersion,
    Session,
    TaskTrace,
    Trait,
    TraitVersion,
    Use,
)
from showcase.live.changing import TABLES as CHANGED_TABLES
from showcase.reactor.stages import START
from tests.isolation.world import World

WRITES = ("post", "put", "patch", "delete")
IDS: Mapping[str, Sequence[type[Model]]] = {
    "uuid:session_id": (Session,),
    "uuid:trace_id": (TaskTrace,),
    "uuid:procedure_id": (Procedure,),
    "uuid:version_id": (ProcedureVersion,),
    "uuid:use_id": (Use,),
    "uuid:atom_id": (Atom,),
    "uuid:claim_id": (Atom,),
    "uuid:scene_id": (Scene,),
    "uuid:trait_id": (Trait,),
    "uuid:record_id": (Message, Atom, Scene, SceneVersion, Trait, TraitVersion),
    "uuid:run_id": (Run,),
    "uuid:key_id": (Key,),
    "uuid:entity_id": (Entity,),
    "uuid:id": (Message, Atom, Scene, SceneVersion, Trait, TraitVersion, Procedure),
}
"""Parameters that are ids, with the tables whose rows they may name."""
REGULAR = {
    r"admin/^(?P<app_label>memory|auth)/$": ("admin/memory/", "admin/auth/"),
    r"admin/(?P<url>.*)$": ("admin/nothing/",),
    r"^api/": ("api/nothing",),
}
"""Addresses that are patterns: what stands for them."""
PARAMETER = re.compile(r"<([^>]+)>")


class UnknownParameterError(Exception):
    """An address holds something that the walks do not know how to fill."""


@dataclass(frozen=True)
class Door:
    """An address with its parameters left open."""

    route: str
    name: str
    view: Any

    @property
    def parameters(self) -> list[str]:
        """`uuid:atom_id` and the like, in their order."""
        return [] if self.route in REGULAR else PARAMETER.findall(self.route)

    @property
    def is_of_the_api(self) -> bool:
        return self.route.startswith(("api/v1/", "health", "timeline", "records"))

    @property
    def is_of_the_admin(self) -> bool:
        return self.route.startswith("admin/")

    @property
    def is_of_the_pages(self) -> bool:
        return self.name.startswith("showcase:")

    @property
    def names_rows(self) -> bool:
        """Whether an id is in it."""
        return any(each in IDS or each == "path:object_id" or each == "id" for each in self.parameters)


def doors(patterns: Sequence[Any] | None = None, before: str = "", space: str = "") -> Iterator[Door]:
    """All of them, in the order of the table."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from doors(pattern.url_patterns, route, inner)
        elif isinstance(pattern, URLPattern):
            view = getattr(pattern.callback, "view_class", pattern.callback)
            yield Door(route, f"{space}{pattern.name}", view)


def filled(door: Door, world: World, who: str, *, entity: str = "") -> list[str]:
    """The addresses that stand for a door, with the ids and names of one of the cast in every parameter.

    `entity` is whose memory a page looks at where that is another one.
    """
    if door.route in REGULAR:
        return [f"/{address}" for address in REGULAR[door.route]]
    if "slug:table" in door.parameters:
        return [f"/{_put(door.route, chosen)}" for chosen in _changes_of_pages(world, who, entity or who)]
    values = [_values(door, parameter, world, who, entity or who) for parameter in door.parameters]
    return [f"/{_put(door.route, chosen)}" for chosen in product(*values)]


def _put(route: str, values: Sequence[Any]) -> str:
    left = iter(values)
    return PARAMETER.sub(lambda _: str(next(left)), route)


def _values(door: Door, parameter: str, world: World, who: str, looked_at: str) -> Sequence[Any]:
    if parameter == "uuid:entity_id":
        return [world.entities[looked_at].pk]
    if parameter in IDS:
        return [pk for model in IDS[parameter] for pk in world.rows(who, model)]
    if parameter in ("path:object_id", "uuid:object_id", "id"):
        return _of_the_admin(door, world, who)
    return _words(door, parameter, world, who)


def _words(door: Door, parameter: str, world: World, who: str) -> Sequence[Any]:
    found: dict[str, Sequence[Any]] = {
        "path:name": [world.entities[who].name],
        "path:reader": [world.entities[who].name],
        "path:session": ["first"],
        "path:rest": ["chat/completions", "models"],
        "path:content_type_id": [ContentType.objects.get_for_model(model).pk for model in (Atom, Message)],
        "str:token": ["nothing"],
        "int:number": [1],
        "slug:slug": [START, "1-l1"],
        "slug:name": changes_of(door),
    }
    if parameter not in found:
        raise UnknownParameterError(f"tell the walk how to fill <{parameter}> of {door.route}")
    return found[parameter]


def _changes_of_pages(world: World, who: str, looked_at: str) -> Iterator[Sequence[Any]]:
    """Entity, table, id and name of each change that the pages offer."""
    for table, (model, changes) in CHANGED_TABLES.items():
        for pk in world.rows(who, model)[:1]:
            yield from ((world.entities[looked_at].pk, table, pk, one.name) for one in changes)


def _model_of(door: Door) -> type[Model]:
    app, model = door.route.split("/")[1:3]
    return apps.get_model(app, model) if app in ("memory", "auth") else Atom


def _of_the_admin(door: Door, world: World, who: str) -> Sequence[Any]:
    model = _model_of(door)
    if model is User:
        return [world.people[who].pk] if who in world.people else []
    return [] if model is Group else world.rows(who, model)[:1]


def changes_of(door: Door) -> list[str]:
    """The names of what the admin lets people do with rows of a table."""
    if not door.is_of_the_admin:
        return []
    return [one.name for one in getattr(admin.site._registry.get(_model_of(door)), "changes", ())]
