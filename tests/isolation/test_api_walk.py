"""Every address of the API, asked about somebody else's rows: nothing of theirs comes back or is changed.

The same addresses with ids of one's own are the control: there they answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.db.models import Model
from django.test import Client

from memory.api.operations.document import openapi_document
from memory.models import Atom, Line, Message, Procedure, ProcedureVersion, Scene, SceneVersion, Session, Use
from tests.isolation.addresses import Door, doors, filled
from tests.isolation.walking import REFUSALS, Answer, ask, bearer, leaks
from tests.isolation.world import OF_FAR, OWN_WORKSPACE, WORDS, World, state_of

API = [door for door in doors() if door.is_of_the_api and not door.name.endswith("events")]
"""The stream of events needs a server of its own: `tests/events/test_streams.py` asks for others'."""
TELL_EVERYBODY = ("health", "v1:health", "v1:catalog", "v1:openapi")
FIELDS: Mapping[str, type[Model]] = {
    "evidence[].message": Message,
    "steps[].message": Message,
    "scope.messages[]": Message,
    "keep[]": Message,
    "parent": Message,
    "turns[].parent": Message,
    "messages[].parent": Message,
    "id": Use,
    "use": Use,
    "procedure": Procedure,
    "procedure_version": ProcedureVersion,
    "scene": Scene,
    "other": Scene,
    "lines[]": Line,
    "session": Session,
}
"""Fields of bodies and parameters that hold an id, with what it is the id of."""
QUERY_FIELDS: Mapping[str, type[Model]] = {
    "use": Use,
    "procedure": Procedure,
    "record": Message,
    "parent": Message,
}
OUTSIDE = {"v1:export"}
"""Opens a transaction of its own kind, which a test's own does not allow: `test_other_ways.py`."""
WORDS_ASKED = {"query": "approval", "task": "deploy", "question": "Who approves?", "text": "forget approval"}
OF_A_NODE = {"subject_kind": "customer", "subject_id": "customer-123"}
FOREIGN = {"workspace": "far", "bound": "near"}
"""Whose rows each key asks about."""


def operations() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """By route and method, as the document has them."""
    document = openapi_document()
    return {
        (path.lstrip("/"), method): found
        for path, methods in document["paths"].items()
        for method, found in methods.items()
    }


def route_in_document(door: Door) -> str:
    """`api/v1/atoms/<uuid:atom_id>` is `api/v1/atoms/{atom_id}` there."""
    route = door.route
    for parameter in door.parameters:
        route = route.replace(f"<{parameter}>", f"{{{parameter.partition(':')[2]}}}")
    return route


def id_fields(schema: Any, name: str = "", seen: tuple[str, ...] = ()) -> Iterator[str]:
    """Where a schema holds ids: `turns[].parent`."""
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref", "").rpartition("/")[2]
    if reference:
        if reference not in seen:
            yield from id_fields(
                openapi_document()["components"]["schemas"][reference], name, (*seen, reference)
            )
        return
    if schema.get("format") == "uuid":
        yield name
    for field, inner in schema.get("properties", {}).items():
        yield from id_fields(inner, f"{name}.{field}" if name else field, seen)
    yield from id_fields(schema.get("items"), f"{name}[]", seen)
    for inner in (part for kind in ("anyOf", "oneOf", "allOf") for part in schema.get(kind, [])):
        yield from id_fields(inner, name, seen)


def put(body: Any, path: str, value: Any) -> Any:
    """The body with a value in a field, lists and objects on the way made where they are missing."""
    head, _, rest = path.partition(".")
    name, is_list = head.removesuffix("[]"), head.endswith("[]")
    before = body.get(name) if isinstance(body, dict) else None
    if is_list:
        first = (before or [{}])[0] if isinstance(before, list) or before is None else {}
        return {**body, name: [put(first if isinstance(first, dict) else {}, rest, value) if rest else value]}
    return {**body, name: put(before or {}, rest, value) if rest else value}


def examples(operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The story's own body for an operation, else an empty one."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        story = content.get("examples", {}).get("story", {}).get("value")
        if isinstance(story, dict):
            return [story]
    return [{}]


def bodies(operation: Mapping[str, Any], world: World, who: str) -> Iterator[dict[str, Any]]:
    """Bodies that name somebody: the story's, and the same with each id that it may hold."""
    for story in examples(operation):
        named = {**story, "entity": world.entities[who].name} if "entity" in story else story
        yield named
        for content in operation.get("requestBody", {}).get("content", {}).values():
            for field in sorted(set(id_fields(content["schema"]))):
                assert field in FIELDS, f"tell the walk how to fill the field {field}"
                for pk in world.rows(who, FIELDS[field])[:1]:
                    yield put(named, field, str(pk))


def queries(operation: Mapping[str, Any], world: World, who: str) -> Iterator[dict[str, str]]:
    """Queries about somebody: with the name, and with each id that may be asked for."""
    parameters = {each["name"]: each for each in operation.get("parameters", []) if "name" in each}
    named = {"entity": world.entities[who].name} if "entity" in parameters else {}
    asked = {name: words for name, words in WORDS_ASKED.items() if name in parameters}
    yield {**named, **asked}
    for name, parameter in parameters.items():
        if parameter["in"] == "query" and '"uuid"' in json.dumps(parameter):
            assert name in QUERY_FIELDS, f"tell the walk how to fill the parameter {name}"
            for pk in world.rows(who, QUERY_FIELDS[name])[:1]:
                yield {**named, name: str(pk)}
    if set(OF_A_NODE) <= parameters.keys():
        yield {**named, **OF_A_NODE}
    if "id" in parameters:
        yield from (
            {**named, "id": str(world.rows(who, model)[0])} for model in (Atom, Message, SceneVersion)
        )
    if "before" in parameters or "status" in parameters:
        yield {**named, "status": "all"}


def answers(
    client: Client, world: World, who: str, *, methods: tuple[str, ...]
) -> Iterator[tuple[Door, Answer]]:
    """All that the API says to a key that asks about somebody."""
    described = operations()
    for door in API:
        for method in methods:
            operation = described.get((route_in_document(door), method))
            if operation is None:
                continue
            for address in filled(door, world, who):
                if method == "get":
                    for query in queries(operation, world, who):
                        yield door, ask(client, method, address, **query)
                else:
                    for body in bodies(operation, world, who):
                        yield door, ask(client, method, address, body)


def foreign_words(who: str) -> tuple[str, ...]:
    return (*OF_FAR, *((WORDS["near"],) if who == "near" else ()))


@pytest.mark.parametrize("key", sorted(FOREIGN))
def test_nothing_of_somebody_elses_is_read(key: str, world: World) -> None:
    who = FOREIGN[key]
    client = bearer(world.tokens[key])
    found = list(answers(client, world, who, methods=("get",)))
    assert list(leaks((answer for _, answer in found), foreign_words(who))) == []
    opened = [
        answer.told
        for door, answer in found
        if (door.names_rows or (key == "bound" and "path:name" in door.parameters))
        and answer.status not in REFUSALS
    ]
    assert opened == []


@pytest.mark.parametrize("key", sorted(FOREIGN))
def test_nothing_of_somebody_elses_is_written(key: str, world: World) -> None:
    who = FOREIGN[key]
    client = bearer(world.tokens[key])
    workspace = world.entities["far"].workspace_id
    before = state_of(workspace)
    near = rows_of(world, "near") if who == "near" else None
    done = []
    for door, answer in answers(client, world, who, methods=("post", "put", "patch", "delete")):
        assert list(leaks([answer], foreign_words(who))) == []
        if door.names_rows and answer.status not in REFUSALS:
            done.append(answer.told)
    assert done == []
    assert state_of(workspace) == before
    assert near is None or rows_of(world, "near") == near


def rows_of(world: World, who: str) -> dict[str, list[str]]:
    """Every row of an entity, but for those that say that a key was used."""
    from tests.stewardship.erasing.scanning import everything_of

    return everything_of(world.entities[who])


def test_the_same_doors_open_for_ones_own(world: World) -> None:
    client = bearer(world.tokens["workspace"])
    opened, showing, all_ = set(), set(), set()
    for door, answer in answers(client, world, "own", methods=("get",)):
        all_.add(door.name)
        if answer.status == 200:
            opened.add(door.name)
        if answer.shows([WORDS["own"], OWN_WORKSPACE]):
            showing.add(door.name)
    assert all_ - opened == OUTSIDE
    assert all_ - showing - set(TELL_EVERYBODY) == OUTSIDE
    print(f"\n{len(all_)} doors that read, {len(showing)} show words: {', '.join(sorted(all_))}")
