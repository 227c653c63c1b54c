"""What browsers are kept from: forged forms, frames, planted sessions, and addresses that lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.api.contract.middleware import broken
from tests.isolation.addresses import Door, doors, filled
from tests.isolation.world import World

PEOPLE = [door for door in doors() if door.is_of_the_admin or door.is_of_the_pages]
SIGN_INS = ("admin:login", "showcase:sign_in")
PASSWORD = "a-long-enough-password"
ELSEWHERE = (
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example/",
    "\\\\elsewhere.example",
    "javascript:alert(1)",
    "/%0d%0aSet-Cookie:x=1\r\nSet-Cookie: x=1",
    "/\thttps://elsewhere.example",
)


@pytest.fixture
def member(world: World) -> Client:
    """Of the operators, in a browser that minds forged forms."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(world.people["own"])
    return client


def addresses(world: World) -> Iterator[tuple[Door, str]]:
    """One address of every page, with rows of one's own where there are any."""
    for door in PEOPLE:
        found = filled(door, world, "mine" if "/try/" in door.route else "own")
        for address in found[:1]:
            yield door, address


def test_no_form_is_taken_without_its_token(member: Client, world: World) -> None:
    """403 before the view is asked; 405 where nothing is taken at all."""
    taken = []
    for door, address in addresses(world):
        for method in ("post", "delete"):
            reply: Any = getattr(member, method)(address)
            if reply.status_code not in (403, 405):
                taken.append(f"{method} {door.route}: {reply.status_code}")
    assert taken == []


def test_no_page_lets_itself_be_framed_or_guessed_at(member: Client, world: World) -> None:
    """Whoever asks, whatever comes back: pages, refusals and doors of programs alike."""
    bare = []
    programs = [(door, filled(door, world, "own")[0]) for door in doors() if door not in PEOPLE]
    for door, address in [*leading(world), *programs]:
        headers = member.get(address).headers
        policy = headers.get("Content-Security-Policy", "")
        told = (headers.get("X-Frame-Options"), headers.get("X-Content-Type-Options"))
        if told != ("DENY", "nosniff") or "frame-ancestors 'none'" not in policy:
            bare.append(f"{door.route}: {dict(headers)}")
    assert bare == []


@pytest.mark.parametrize("door", SIGN_INS)
def test_a_session_that_was_planted_is_not_the_one_that_is_signed_in(door: str, db: None) -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    client = Client()
    session = client.session
    session["planted"] = "by somebody"
    session.save()
    before = session.session_key
    client.cookies["sessionid"] = str(before)
    reply = client.post(reverse(door), {"username": "root", "password": PASSWORD})
    assert reply.status_code == 302
    assert client.cookies["sessionid"].value not in ("", before)
    assert Client(headers={"Cookie": f"sessionid={before}"}).get(reverse("admin:index")).status_code == 302


@pytest.mark.parametrize("door", ["admin:logout", "showcase:sign_out"])
def test_a_session_ends_with_the_sign_out(door: str, world: World) -> None:
    client = Client()
    client.force_login(world.people["own"])
    cookie = client.cookies["sessionid"].value
    assert client.get(reverse("admin:index")).status_code == 200
    client.post(reverse(door))
    assert Client(headers={"Cookie": f"sessionid={cookie}"}).get(reverse("admin:index")).status_code == 302


@pytest.mark.parametrize("wanted", ELSEWHERE)
def test_nothing_leads_to_another_site(wanted: str, world: World) -> None:
    """`next` and its like, at every page that takes a form or a sign-in."""
    led = []
    User.objects.create_superuser("root", password=PASSWORD)
    given = {"next": wanted, "username": "root", "password": PASSWORD, "theme": "dark", "back": wanted}
    for door, address in leading(world):
        client = Client(raise_request_exception=False)
        if door.name not in SIGN_INS:
            client.force_login(world.people["own"])
        for reply in (client.get(address, {"next": wanted, "back": wanted}), client.post(address, given)):
            goes = reply.headers.get("Location", "")
            if not is_here(goes) or reply.cookies.get("x") is not None:
                led.append(f"{door.route}: {goes}")
    assert led == []


def leading(world: World) -> Iterator[tuple[Door, str]]:
    """Pages that may lead somewhere: all but those of the admin's tables, which are made alike."""
    for door, address in addresses(world):
        is_of_a_table = door.route.startswith("admin/memory/") and "/atom/" not in door.route
        if not is_of_a_table and not (door.is_of_the_pages and door.names_rows):
            yield door, address


def is_here(location: str) -> bool:
    """Whether a browser stays on this site: no host, no scheme, no line that could be one."""
    bare = location.replace("\\", "/")
    return not bare or (
        (bare.startswith("/") and not bare.startswith("//") and not set(bare) & {"\r", "\n", "\t"})
        or bare.startswith("?")
    )


def test_another_host_is_not_answered(world: World) -> None:
    for door in doors():
        for address in filled(door, world, "own")[:1]:
            reply = Client(raise_request_exception=False).get(address, headers={"Host": "elsewhere.example"})
            assert (reply.status_code, "elsewhere" in reply.content.decode()) == (400, False), door.route
    broken.clear()  # before an address is looked up, no operation answers: the document has no word for it


def test_no_link_is_made_for_a_host_that_somebody_only_names(world: World) -> None:
    client = Client(headers={"Authorization": f"Bearer {world.tokens['workspace']}"})
    reply: Any = client.post(
        "/api/v1/links",
        {"entity": world.entities["own"].name},
        content_type="application/json",
        headers={"X-Forwarded-Host": "elsewhere.example", "Forwarded": "host=elsewhere.example"},
    )
    assert (reply.status_code, "elsewhere" in reply.json()["url"]) == (201, False)


@pytest.mark.parametrize(
    "name", ["X-Request-ID", "Idempotency-Key", "Last-Event-ID", "Origin", "If-None-Match"]
)
def test_no_header_of_a_request_becomes_another_one_of_the_reply(name: str, world: World) -> None:
    client = Client(
        headers={"Authorization": f"Bearer {world.tokens['workspace']}"}, raise_request_exception=False
    )
    reply = client.get(
        "/api/v1/persona",
        {"entity": world.entities["own"].name},
        headers={name: "x\r\nSet-Cookie: planted=1"},
    )
    assert (reply.cookies.output(), "Set-Cookie" in reply.headers) == ("", False)
    assert [value for value in reply.headers.values() if set(value) & {"\r", "\n"}] == []


def test_tries_of_passwords_are_counted_at_every_door(db: None, broker_url: str, settings: Any) -> None:
    """The same count for both doors: whoever is refused at one is refused at the other."""
    limits = replace(settings.MEMSEEK.limits, of_address=1_000)
    settings.MEMSEEK = replace(settings.MEMSEEK, limits=limits)
    client = Client(REMOTE_ADDR="198.51.100.23")
    guess = {"username": "root", "password": "wrong"}
    statuses = [client.post(reverse(SIGN_INS[n % 2]), guess).status_code for n in range(40)]
    assert (statuses[0], statuses[-1]) == (200, 429)
    refused = [client.post(reverse(door), guess) for door in SIGN_INS]
    assert [reply.status_code for reply in refused] == [429, 429]
    assert [1 <= int(reply.headers["Retry-After"]) <= 120 for reply in refused] == [True, True]
