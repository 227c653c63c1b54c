"""Every page for people, as a member of one workspace and as nobody, with rows of somebody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from showcase.access import SANDBOX_KEY
from tests.admin.conftest import CONFIRMED
from tests.isolation.addresses import Door, changes_of, doors, filled
from tests.isolation.walking import REFUSALS, Answer, ask, leaks
from tests.isolation.world import OF_FAR, OWN_WORKSPACE, WORDS, World, state_of

ADMIN = [door for door in doors() if door.is_of_the_admin]
PAGES = [door for door in doors() if door.is_of_the_pages]
REST = [door for door in doors() if not (door.is_of_the_admin or door.is_of_the_pages or door.is_of_the_api)]
AWAY = frozenset({301, 302}) | REFUSALS
"""A person who may not see a row is sent to where they may be, or told that there is none."""
ENDS_THE_SESSION = ("admin:logout", "showcase:sign_out", "showcase:sandbox_leave")
FOREIGN_ON_PAGES = {
    "demo": ("near", "far", "other"),
    "sandbox": ("near", "far", "other", "own"),
    "live": ("near", "far"),
}
SEARCHES: dict[str, tuple[dict[str, str], ...]] = {
    "admin:search": ({"s": "agent"}, {"s": "zquagga"}),
    "admin:autocomplete": (
        {"term": "s", "app_label": "memory", "model_name": "member", "field_name": "workspace"},
    ),
    "admin:index": ({"entity": "agent.alice-demo"}, {"entity": "agent.carol"}),
}
"""What is asked at the admin's doors that look for something."""


@pytest.fixture
def member(world: World) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(world.people["own"])
    return client


@pytest.fixture
def visitor(world: World) -> Client:
    client = Client(raise_request_exception=False)
    client.get("/showcase/agent-memory/try/")
    session = client.session
    session[SANDBOX_KEY] = str(world.entities["mine"].pk)
    session.save()
    client.cookies["sessionid"] = str(session.session_key)
    return client


def asked(door: Door, world: World) -> tuple[dict[str, str], ...]:
    """Queries for a door: none, and what it looks for; lists are searched by somebody else's id and name."""
    if door.name.endswith("_changelist"):
        far = world.entities["far"]
        return {}, {"q": far.name}, {"workspace__id__exact": str(far.workspace_id)}
    index = {"workspace": str(world.entities["far"].workspace_id)}
    return ({}, *SEARCHES.get(door.name, ()), *((index,) if door.name == "admin:index" else ()))


def place_of(door: Door) -> str:
    """Which memory a page looks at: that of its address, of the visitor, or the demonstration's."""
    if "uuid:entity_id" in door.parameters:
        return "live"
    return "sandbox" if "/try/" in door.route else "demo"


def foreign(door: Door, world: World) -> Iterator[str]:
    """Addresses of a page with rows that are not of the memory it looks at."""
    place = place_of(door)
    own = {"live": "own", "demo": "own", "sandbox": "mine"}[place]
    for who in FOREIGN_ON_PAGES[place]:
        if place == "live":
            yield from filled(door, world, who, entity=who) if who == "far" else ()
            if door.parameters != ["uuid:entity_id"]:
                yield from filled(door, world, who, entity=own)
        else:
            yield from filled(door, world, who)


def test_a_member_sees_no_row_of_another_workspace_in_the_admin(member: Client, world: World) -> None:
    seen, opened = [], []
    for door in ADMIN:
        if door.name in ENDS_THE_SESSION:
            continue
        for address in filled(door, world, "far"):
            for query in asked(door, world):
                answer = ask(member, "get", address, **query)
                seen.append(answer)
                if door.names_rows and answer.status not in AWAY:
                    opened.append(answer.told)
    assert list(leaks(seen, OF_FAR)) == []
    assert opened == []


def test_a_member_changes_no_row_of_another_workspace_in_the_admin(member: Client, world: World) -> None:
    workspace = world.entities["far"].workspace_id
    before, opened = state_of(workspace), []
    for door in ADMIN:
        if not door.names_rows:
            continue
        for address in filled(door, world, "far"):
            answer = post(member, address)
            assert list(leaks([answer], OF_FAR)) == []
            if answer.status not in AWAY:
                opened.append(answer.told)
    assert opened == []
    assert state_of(workspace) == before


def test_actions_of_lists_reach_no_row_of_another_workspace(member: Client, world: World) -> None:
    workspace = world.entities["far"].workspace_id
    before = state_of(workspace)
    for door in ADMIN:
        if not door.name.endswith("_changelist") or not door.name.startswith("admin:memory_"):
            continue
        [address] = filled(door, world, "far")
        one = Door(f"{door.route}<path:object_id>/", door.name, door.view)
        rows = [each.rstrip("/").rpartition("/")[2] for each in filled(one, world, "far")]
        for action in (*changes_of(door), "delete_selected"):
            answer = post(member, address, {"action": action, "_selected_action": rows, **CONFIRMED})
            assert list(leaks([answer], OF_FAR)) == []
    assert state_of(workspace) == before


def post(client: Client, address: str, given: dict[str, Any] | None = None) -> Answer:
    """Send a form in which everything is confirmed and nothing is missing."""
    form = {**CONFIRMED, "post": "yes", "reason": "zz", "text": "Zz.", "_save": "Save", **(given or {})}
    reply: Any = client.post(address, form)
    headers = "\n".join(f"{name}: {value}" for name, value in reply.headers.items())
    text = f"{headers}\n{reply.cookies.output()}\n{reply.content.decode()}"
    return Answer("post", address, reply.status_code, text, reply.headers.get("Location", ""))


def test_the_admin_shows_a_member_their_own(member: Client, world: World) -> None:
    showing, closed = set(), []
    for door in ADMIN:
        if door.name in ENDS_THE_SESSION or "/auth/" in door.route:
            continue
        found = [ask(member, "get", address) for address in filled(door, world, "own")]
        if any(answer.shows([WORDS["own"], OWN_WORKSPACE]) for answer in found):
            showing.add(door.route)
        if (
            door.names_rows
            and "<slug:name>" not in door.route
            and all(answer.status in REFUSALS or answer.location == INDEX for answer in found)
        ):
            closed.append(door.route)
    tables = {door.route for door in ADMIN if door.name.endswith("_changelist") and "/memory/" in door.route}
    assert len(showing) > len(tables)
    assert {route for route in closed if not route.endswith("/delete/")} == CLOSED_TO_MEMBERS
    print(f"\n{len(ADMIN)} doors of the admin, {len(showing)} show words")


INDEX = "/admin/"
CLOSED_TO_MEMBERS = {
    "admin/r/<path:content_type_id>/<path:object_id>/",
    *(
        f"admin/memory/{table}/<path:object_id>/{page}/"
        for table in ("process", "modelendpoint", "embeddingspace")
        for page in ("history", "change")
    ),
}
"""No row has an address outside the admin, and the installation's tables are for superusers."""


@pytest.mark.parametrize("who", ["member", "visitor"])
def test_a_page_shows_no_other_memory_than_the_one_it_looks_at(
    who: str, member: Client, visitor: Client, world: World
) -> None:
    client = member if who == "member" else visitor
    seen, opened = [], []
    for door in PAGES:
        if door.name in ENDS_THE_SESSION:
            continue
        for address in foreign(door, world):
            answer = ask(client, "get", address)
            seen.append(answer)
            if door.names_rows and answer.status not in AWAY:
                opened.append(answer.told)
    assert list(leaks(seen, (*OF_FAR, WORDS["other"]))) == []
    assert opened == []


def test_forms_of_pages_change_no_other_memory(member: Client, world: World) -> None:
    workspace = world.entities["far"].workspace_id
    before, opened = state_of(workspace), []
    for door in PAGES:
        if not door.names_rows:
            continue
        for address in foreign(door, world):
            answer = post(member, address)
            if answer.status not in REFUSALS:
                opened.append(answer.told)
    assert opened == []
    assert state_of(workspace) == before


def test_pages_show_ones_own(member: Client, visitor: Client, world: World) -> None:
    showing, closed = set(), set()
    for door in PAGES:
        if door.name in ENDS_THE_SESSION:
            continue
        who = "mine" if place_of(door) == "sandbox" else "own"
        found = [
            ask(visitor if who == "mine" else member, "get", address) for address in filled(door, world, who)
        ]
        if any(answer.shows([WORDS[who]]) for answer in found):
            showing.add(door.name)
        if all(answer.status in {403, 404} for answer in found):
            closed.add(door.name)
    assert closed == set()
    assert {door.name for door in PAGES if door.names_rows} - showing == SAY_NOTHING
    print(f"\n{len(PAGES)} pages, {len(showing)} show words: {', '.join(sorted(showing))}")


SAY_NOTHING = {"showcase:live_retry", "showcase:live_composer", "showcase:live_forget"}
"""Forms, which show words only once they are asked."""


def test_other_doors_tell_nothing_of_anybody(member: Client, world: World) -> None:
    words = (*OF_FAR, *WORDS.values())
    seen = [
        ask(client, method, address)
        for door in REST
        for address in filled(door, world, "far")
        for client in (Client(raise_request_exception=False), member)
        for method in ("get", "post")
    ]
    assert list(leaks(seen, words)) == []
    print(f"\n{len(REST)} other doors: {', '.join(door.route for door in REST)}")
