"""The pages of links: what they show, to whom no longer, and what they keep to themselves."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import count, islice
from typing import Any
from unittest.mock import patch

import pytest
from django.core import signing
from django.db import transaction
from django.test import Client
from django.utils import timezone

from memory.ingest.access import open_access
from memory.ingest.workspaces import IssuedKey, create_key, revoke_key
from memory.models import Entity, Scene, SceneVersion
from memory.stewardship.actors import Actor
from memory.stewardship.correcting_scenes import retire_scene
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.links import SALT, make_link
from memseek_site.logs import TextFormatter
from tests.factories import NewLine, make_entity, make_message, make_rule, make_scene, make_workspace
from tests.showcase.conftest import SECRET, tell
from tests.showcase.statements import assert_few_statements

HOSTILE = "<script>alert('x')</script> \u202eevil\u0007"
PRIVATE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Vary": "Accept",
}
KEPT_BACK = {"customer": "acme-4711"}


@pytest.fixture
def key(alice: Entity) -> IssuedKey:
    return create_key(workspace=alice.workspace, label="maker", scopes=["read"])


def timeline_of(entity: Entity, key: IssuedKey, **more: Any) -> str:
    access = open_access(key.token)
    assert access is not None
    return f"/shared/{make_link(access, entity=entity, **more).token}/"


def scene_of(entity: Entity, key: IssuedKey) -> str:
    return timeline_of(entity, key, scene=Scene.objects.for_entity(entity).get().pk)


def json_of(path: str, **query: Any) -> Any:
    reply = Client().get(path, query, headers={"Accept": "application/json"})
    return reply.status_code, reply.json()


@contextmanager
def later(**delta: int) -> Iterator[None]:
    """The clock, moved on."""
    moved = timezone.now() + timedelta(**delta)
    with patch("django.utils.timezone.now", return_value=moved):
        yield


def test_a_timeline_is_shown_as_a_page_and_as_json(alice: Entity, bob: Entity, key: IssuedKey) -> None:
    path = timeline_of(alice, key)
    page = Client().get(path).content.decode()
    status, body = json_of(path)
    texts = [record["text"] for record in body["records"]]
    assert (status, body["entity"], body["target"], body["next_before"]) == (
        200,
        "agent.alice-demo",
        "timeline",
        None,
    )
    assert {record["collection"] for record in body["records"]} == {
        "messages",
        "memories",
        "scenes",
        "persona",
    }
    assert [set(record) for record in body["records"]] == [
        {"id", "seq", "collection", "type", "title", "text", "occurred_at", "created_at"}
    ] * len(texts)
    assert page.count('class="card ') == len(texts)
    assert "Timeline of" in page
    assert "## " not in page
    assert "<nav" not in page
    assert SECRET not in page


def test_a_scene_is_shown_and_nothing_else_of_its_entity(alice: Entity, key: IssuedKey) -> None:
    version = SceneVersion.objects.for_entity(alice).get()
    rule = make_rule(alice, "Feed the cat at eight.", [make_message(alice, "Feed the cat at eight.")])
    path = scene_of(alice, key)
    make_scene(alice, "Cats", [NewLine("core_sop", "Feed the cat at eight.", [rule])])
    page = Client().get(path).content.decode()
    status, body = json_of(path)
    assert (status, body["target"], body["scene"]["title"]) == (200, "scene", version.title)
    assert [(part["section"], part["lines"]) for part in body["scene"]["sections"]] == [
        ("work_context", ["Billing 0 stays on Express until October 15."]),
        ("prohibitions", ["Never deploy Billing 0 to production without written approval."]),
    ]
    assert "Never deploy Billing 0 to production" in page
    assert [text for text in (page, str(body)) if "cat" in text.casefold().replace("locate", "")] == []


def test_pages_of_a_timeline_stay_in_the_link(alice: Entity, bob: Entity, key: IssuedKey) -> None:
    for number in range(1, 60):
        make_message(alice, f"Word {number}.")
    path = timeline_of(alice, key)
    _, first = json_of(path)
    _, second = json_of(path, before=first["next_before"])
    seqs = [record["seq"] for page in (first, second) for record in page["records"]]
    assert (len(first["records"]), sorted(seqs, reverse=True) == seqs, len(set(seqs))) == (
        50,
        True,
        len(seqs),
    )
    links = re.findall(r'<a class="button[^"]*" href="([^"]+)"', Client().get(path).content.decode())
    assert links == [f"?before={first['next_before']}"]
    assert json_of(path, before="1; DROP") == (
        400,
        {"error": "invalid", "detail": "before: has to be the number that a page ended with."},
    )


def test_a_page_leaves_nothing_with_the_visitor_and_tells_nobody_where_it_is(
    alice: Entity, key: IssuedKey, caplog: pytest.LogCaptureFixture
) -> None:
    path = timeline_of(alice, key)
    token = path.removeprefix("/shared/").rstrip("/")
    with caplog.at_level("DEBUG"):
        for shown in (path, f"/shared/{token[::-1]}/", f"{path}?before=1"):
            reply = Client().get(shown)
            assert {name: reply[name] for name in PRIVATE} == PRIVATE
            assert not reply.cookies
    lines = [TextFormatter().format(record) for record in caplog.records]
    assert [line for line in lines if token in line or token[::-1] in line] == []
    assert [line.count("route=shared/<str:token>/") for line in lines if " request" in line] == [1, 1, 1]


def test_hostile_words_are_shown_as_words(alice: Entity, key: IssuedKey) -> None:
    make_message(alice, HOSTILE, speaker=HOSTILE[:30])
    page = Client().get(timeline_of(alice, key)).content.decode()
    assert "&lt;script&gt;alert(" in page
    assert [mark for mark in ("<script>alert", "\u202e", "\u0007") if mark in page] == []


def test_what_an_application_stored_beside_the_words_is_not_shown(alice: Entity, key: IssuedKey) -> None:
    make_message(alice, "Hello.", metadata=KEPT_BACK)
    path = timeline_of(alice, key)
    assert "acme-4711" not in Client().get(path).content.decode() + str(json_of(path))


def gone(detail: str) -> tuple[int, dict[str, str]]:
    return 410, {"error": "expired", "detail": detail}


CLOSED = gone("This link has been closed: whoever made it may not show this any more.")


def test_a_link_ends_in_time(alice: Entity, key: IssuedKey) -> None:
    path = timeline_of(alice, key, lifetime=timedelta(minutes=10))
    with later(minutes=9):
        assert json_of(path)[0] == 200
    with later(minutes=10):
        assert json_of(path) == gone("This link has expired.")
        page = Client().get(path)
        assert page.status_code == 410
        assert "This link is closed." in page.content.decode()


def test_a_link_is_closed_with_its_key(alice: Entity, key: IssuedKey) -> None:
    path = timeline_of(alice, key)
    revoke_key(key=key.key)
    assert json_of(path) == CLOSED
    assert json_of(path.replace("/shared/", "/shared/x"))[0] == 404


def test_a_link_is_closed_when_the_key_does_not_open_the_entity_any_more(alice: Entity) -> None:
    key = create_key(workspace=alice.workspace, label="bound", scopes=["read"], entities=[alice])
    path = timeline_of(alice, key)
    assert json_of(path)[0] == 200
    key.key.entities.clear()
    assert json_of(path) == CLOSED


def test_a_link_is_closed_when_its_scene_has_ended(alice: Entity, key: IssuedKey) -> None:
    path = scene_of(alice, key)
    assert json_of(path)[0] == 200
    retire_scene(scene=Scene.objects.for_entity(alice).get(), actor=Actor(name="somebody"), reason="")
    assert json_of(path) == gone("The scene that this link showed has ended.")


@pytest.mark.django_db(transaction=True)
def test_what_was_erased_is_gone_from_links_at_once() -> None:
    entity = make_entity("agent.erased", workspace=make_workspace("erasing"))
    make_message(entity, "Forget that I said so.")
    key = create_key(workspace=entity.workspace, label="maker", scopes=["read"])
    path = timeline_of(entity, key)
    assert [record["text"] for record in json_of(path)[1]["records"]] == ["Forget that I said so."]
    actor = Actor(name="somebody")
    plan = plan_erasure(entity=entity, scope=Scope("entity"), actor=actor, reason="")
    erase(erasure=plan, actor=actor)
    assert json_of(path) == CLOSED


@pytest.mark.parametrize("place", range(0, 200, 7))
def test_a_token_that_was_changed_opens_nothing(alice: Entity, key: IssuedKey, place: int) -> None:
    token = timeline_of(alice, key).removeprefix("/shared/").rstrip("/")
    at = place % len(token)
    other = "A" if token[at] != "A" else "B"
    assert json_of(f"/shared/{token[:at]}{other}{token[at + 1 :]}/")[0] == 404


@pytest.mark.parametrize("salt", ["django.core.signing", "memory.api.cursors"])
def test_what_was_signed_for_something_else_opens_nothing(alice: Entity, key: IssuedKey, salt: str) -> None:
    token = timeline_of(alice, key).removeprefix("/shared/").rstrip("/")
    told = signing.loads(token, salt=SALT)
    assert json_of(f"/shared/{signing.dumps(told, salt=salt)}/")[0] == 404


def test_a_link_of_another_workspace_opens_nothing_here(alice: Entity, bob: Entity, key: IssuedKey) -> None:
    token = timeline_of(alice, key).removeprefix("/shared/").rstrip("/")
    mixed = {**signing.loads(token, salt=SALT), "entity": bob.pk.hex}
    assert json_of(f"/shared/{signing.dumps(mixed, salt=SALT)}/") == CLOSED


def test_wrong_links_of_an_address_are_counted(db: None, settings: Any) -> None:
    product = settings.MEMSEEK
    settings.MEMSEEK = replace(product, limits=replace(product.limits, failed_keys=2))
    visitor = Client(REMOTE_ADDR=str(ipaddress.IPv6Address(secrets.randbits(128))))
    replies = [visitor.get("/shared/nonsense/") for _ in range(4)]
    assert [reply.status_code for reply in replies] == [404, 404, 429, 429]
    assert int(replies[-1]["Retry-After"]) > 0


def test_a_page_takes_few_statements_however_much_there_is(alice: Entity, key: IssuedKey) -> None:
    numbers = count(1)
    for path in (scene_of(alice, key), timeline_of(alice, key)):
        assert_few_statements(Client(), path, lambda: tell_more(alice, numbers))


def tell_more(entity: Entity, numbers: Iterator[int]) -> None:
    with transaction.atomic():
        for number in islice(numbers, 3):
            tell(entity, number=number)
