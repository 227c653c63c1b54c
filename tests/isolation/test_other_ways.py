"""The ways that have no address: tools of agents, tasks of workers, files that leave, tokens that return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from celery import current_app

from memory import tasks
from memory.ingest.access import open_access
from memory.mcp.callers import Caller, caller_with
from memory.mcp.catalog import TOOLS
from memory.mcp.resources import NoResourceError, list_resources, read_resource, uri_of
from memory.mcp.tools import call
from memory.models import Message, Scene, Step, Work
from tests.factories import SAID_AT, make_pending_message
from tests.isolation.walking import ask, bearer
from tests.isolation.world import FAR_WORKSPACE, OF_FAR, WORDS, World, state_of
from tests.mcp.calls import CALLS
from tests.stewardship.erasing.scanning import everything_of

KEYS = {"workspace": (OF_FAR, "own"), "bound": ((*OF_FAR, WORDS["near"]), "near")}
"""What each key may not see, and whom its calls name."""


def caller_of(world: World, key: str, entity: str = "") -> Caller:
    access = open_access(world.tokens[key])
    assert access is not None
    return caller_with(access, entity)


def shown(text: str, words: tuple[str, ...]) -> list[str]:
    return [word for word in words if word in text]


@pytest.mark.parametrize("key", sorted(KEYS))
def test_no_tool_tells_or_takes_anything_of_somebody_elses(key: str, world: World) -> None:
    words, who = KEYS[key]
    entity = world.entities[who].name
    before = state_of(world.entities["far"].workspace_id), everything_of(world.entities["near"])
    caller = caller_of(world, key)
    for name, arguments in CALLS.items():
        outcome = call(TOOLS[name], caller, {**arguments, "entity": entity})
        assert shown("".join((json.dumps(outcome.body), *outcome.texts)), words) == [], name
        assert outcome.is_error or who == "own", name
    assert set(CALLS) == set(TOOLS)
    assert (state_of(world.entities["far"].workspace_id), everything_of(world.entities["near"])) == before
    print(f"\n{len(TOOLS)} tools: {', '.join(TOOLS)}")


@pytest.mark.parametrize("key", sorted(KEYS))
def test_no_tool_takes_an_id_of_somebody_elses(key: str, world: World) -> None:
    """A message to rest a claim on, an answered message, what is to be kept of a forgetting."""
    words, _ = KEYS[key]
    stranger = "far" if key == "workspace" else "near"
    message = str(world.rows(stranger, Message)[0])
    calls: Mapping[str, Any] = {
        "observe": {**CALLS["observe"], "evidence": [{"message": message}]},
        "record": {"messages": [{"session": "first", "role": "user", "text": "Hm.", "parent": message}]},
    }
    caller = caller_of(world, key, world.entities["own"].name)
    for name, arguments in calls.items():
        outcome = call(TOOLS[name], caller, arguments)
        assert (outcome.is_error, shown(json.dumps(outcome.body), words)) == (True, []), name


@pytest.mark.parametrize("key", sorted(KEYS))
def test_resources_are_ones_own(key: str, world: World) -> None:
    words, _ = KEYS[key]
    caller = caller_of(world, key)
    listed, _ = list_resources(caller, None)
    text = "".join(f"{found.uri} {found.title} {read_resource(caller, found.uri)}" for found in listed)
    assert (shown(text, words), WORDS["own"] in text) == ([], True)
    own, far = world.entities["own"], world.entities["far"]
    scene = str(world.rows("far", Scene)[0])
    addresses = [uri_of(own.name, "scenes", scene), uri_of(far.name, "scenes", scene)]
    addresses += [uri_of(world.entities["near"].name, "persona")] if key == "bound" else []
    for uri in addresses:
        with pytest.raises(NoResourceError):
            read_resource(caller, uri)


def arguments_of(task: str, world: World) -> list[list[Any]]:
    """What each of the product's tasks is sent with, for `own`."""
    entity = str(world.entities["own"].pk)
    known: dict[str, list[list[Any]]] = {
        tasks.run_step.name: [[entity, step] for step in Step],
        tasks.index_entity.name: [[entity]],
    }
    if task not in known and task not in WITHOUT_WORDS:
        pytest.fail(f"tell the walk what the task {task} is sent with")
    return known.get(task, [])


WITHOUT_WORDS = (tasks.sweep.name, tasks.retain.name, tasks.build_entity_vector_index.name)
"""Two go through all memories and carry no words; an index of vectors waits for a test's transaction."""


def test_a_task_for_one_entity_touches_no_other(world: World) -> None:
    own, near = world.entities["own"], world.entities["near"]
    before = state_of(world.entities["far"].workspace_id), everything_of(near)
    make_pending_message(own, "I like tea in the morning.", session="third")
    Work.objects.filter(entity=own).update(due_at=SAID_AT, is_flushing=True)
    mine = everything_of(own)
    names = [name for name in current_app.tasks if name.startswith("memory.")]
    for name in names:
        for arguments in arguments_of(name, world):
            current_app.tasks[name](*arguments)
    assert everything_of(own) != mine
    assert (state_of(world.entities["far"].workspace_id), everything_of(near)) == before
    print(f"\n{len(names)} tasks: {', '.join(sorted(names))}")


def test_an_export_holds_ones_own_and_nothing_else(world_as_it_lies: World) -> None:
    world = world_as_it_lies
    own, near = (f"/api/v1/entities/{world.entities[who].name}/export" for who in ("own", "near"))
    for key, (_, _) in KEYS.items():
        answer = ask(bearer(world.tokens[key]), "get", own)
        assert (answer.status, answer.shows((*OF_FAR, WORDS["near"]))) == (200, [])
        assert answer.shows([WORDS["own"]]) == [WORDS["own"]]
    assert ask(bearer(world.tokens["bound"]), "get", near).status == 404
    assert ask(bearer(world.tokens["far"]), "get", own).shows([WORDS["own"], WORDS["near"]]) == []


def test_an_export_of_another_workspace_comes_in_as_ones_own(world_as_it_lies: World) -> None:
    """Reading a file in gives rows of one's own: nothing in it can name a row that is somewhere else."""
    world = world_as_it_lies
    name = world.entities["own"].name
    file = ask(bearer(world.tokens["far"]), "get", f"/api/v1/entities/{name}/export").text.partition("\n\n")[
        2
    ]
    reply: Any = bearer(world.tokens["workspace"]).post(
        f"/api/v1/entities/{name}/import", file.encode(), content_type="application/x-ndjson"
    )
    assert reply.status_code in (400, 409)


def test_cursors_and_confirmations_of_another_workspace_open_nothing(world: World) -> None:
    name = world.entities["own"].name
    far, own = bearer(world.tokens["far"]), bearer(world.tokens["workspace"])
    for path in ("atoms", "records", "runs", "uses", "feedback", "procedures", "traces", "sessions"):
        told = json.loads(
            ask(far, "get", f"/api/v1/{path}", entity=name, limit="1").text.partition("\n\n")[2]
        )
        if told.get("next"):
            answer = ask(own, "get", f"/api/v1/{path}", entity=name, after=told["next"])
            assert answer.shows(OF_FAR) == [], path
    planned: Any = far.post(
        "/api/v1/erase",
        {"entity": name, "scope": {"kind": "session", "sessions": ["first"]}, "reason": "Asked."},
        content_type="application/json",
    )
    assert planned.status_code == 200, planned.content
    before = everything_of(world.entities["own"])
    body = {"entity": name, "token": planned.json()["token"]}
    answer = ask(own, "post", "/api/v1/erase/confirm", body)
    assert (answer.status, answer.shows(OF_FAR)) in [(status, []) for status in (400, 404, 409, 410, 422)]
    assert everything_of(world.entities["own"]) == before


def test_a_write_that_somebody_else_sent_is_not_answered_again(world: World) -> None:
    """The same idempotency key under two bearer keys names two writes."""
    body = {
        "entity": world.entities["own"].name,
        "messages": [{"session": "x", "role": "user", "text": "Hm."}],
    }
    replies = [sent(world.tokens[key], body) for key in ("far", "workspace", "bound")]
    assert [reply.status_code for reply in replies] == [201, 201, 201]
    assert ["Idempotency-Replayed" in reply.headers for reply in replies] == [False] * 3
    assert len({reply.json()["records"][0]["id"] for reply in replies}) == 3


def sent(token: str, body: Any) -> Any:
    return bearer(token).post(
        "/api/v1/records", body, content_type="application/json", headers={"Idempotency-Key": "the-same"}
    )


def test_a_tag_of_somebody_elses_body_is_not_taken_for_ones_own(world: World) -> None:
    path, name = "/api/v1/persona", world.entities["own"].name
    far: Any = bearer(world.tokens["far"]).get(path, {"entity": name})
    own: Any = bearer(world.tokens["workspace"]).get(
        path, {"entity": name}, headers={"If-None-Match": far.headers["ETag"]}
    )
    assert (far.status_code, own.status_code) == (200, 200)
    assert FAR_WORKSPACE not in own.content.decode()
