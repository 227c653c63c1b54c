"""What members may do from the pages of records, by their duties."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from showcase.access import Place, Scope
from showcase.links import persona_url, record_url
from tests.showcase.records.conftest import Told

DOOR = re.compile(r'href="/admin/memory/(\w+)/[0-9a-f-]+/((?:do/)?[\w-]+)/(\?base=2)?"')
CORRECT = {
    "scene": {"edit", "do/pin", "do/merge", "do/restore", "do/retire", "change"},
    "atom": {"do/supersede", "do/retract", "change"},
    "persona": {"do/set", "do/retract", "do/set-trait", "change"},
    "message": {"change"},
}
SEE = {"scene": {"change"}, "atom": {"change"}, "persona": {"change"}, "message": {"change"}}


def doors_of(client: Client, told: Told, place: Place = Place.LIVE) -> dict[str, set[str]]:
    scope = Scope(told.entity, place)
    pages = {
        "scene": record_url(scope, "scene", told.head.scene_id),
        "atom": record_url(scope, "atom", told.rule.pk),
        "persona": persona_url(scope),
        "message": record_url(scope, "message", told.messages[0].pk),
    }
    return {
        name: {door for _, door, _ in DOOR.findall(client.get(url).content.decode())}
        for name, url in pages.items()
    }


@pytest.mark.parametrize(
    ("role", "wanted"),
    [
        ("viewer", SEE),
        ("reviewer", CORRECT),
        ("operator", CORRECT | {"message": {"do/plan-erase", "change"}}),
    ],
)
def test_doors_follow_the_duties_of_a_role(
    role: str, wanted: dict[str, set[str]], told: Told, signed_in: Callable[..., Client]
) -> None:
    assert doors_of(signed_in(told.entity, role), told) == wanted


def test_whom_the_admin_does_not_let_in_is_led_to_no_door(
    told: Told, signed_in: Callable[..., Client]
) -> None:
    client = signed_in(told.entity, "operator", is_staff=False)
    assert set().union(*doors_of(client, told).values()) == set()


def test_in_the_demonstration_nobody_is_led_to_one(told: Told, signed_in: Callable[..., Client]) -> None:
    client = signed_in(told.entity, "operator")
    assert set().union(*doors_of(client, told, Place.DEMO).values()) == set()


def test_every_door_opens(told: Told, signed_in: Callable[..., Client]) -> None:
    client = signed_in(told.entity, "operator")
    scope = Scope(told.entity, Place.LIVE)
    for url in (
        record_url(scope, "scene", told.head.scene_id),
        record_url(scope, "atom", told.rule.pk),
        record_url(scope, "atom", told.old.pk),
        record_url(scope, "message", told.messages[0].pk),
        persona_url(scope),
    ):
        for door in re.findall(r'href="(/admin/memory/[^"]+)"', client.get(url).content.decode()):
            assert (door, client.get(door.replace("&amp;", "&")).status_code) == (door, 200)
