"""Corrections and erasing in the live view, for members whom the admin does not let in."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from memory.cascade.work import ensure_work
from memory.models import Atom, Correction, Entity, Erasure, Member, Message, Scene, Trait
from tests.factories import make_entity, make_message, make_workspace
from tests.showcase.conftest import SECRET, tell

pytestmark = pytest.mark.django_db(transaction=True)

LIVE = "/showcase/agent-memory/live/"


@pytest.fixture
def entity() -> Entity:
    found = make_entity("agent.alice-x1", workspace=make_workspace("acme"))
    ensure_work(found)
    with transaction.atomic():
        tell(found)
    return found


def signed_in(client: Client, entity: Entity, role: str) -> Client:
    """A member of the role whom the admin does not let in."""
    user = User.objects.create_user(f"the-{role}")
    Member.objects.create(workspace=entity.workspace, user=user, role=role)
    client.force_login(user)
    return client


def change(entity: Entity, table: str, row: object, name: str) -> str:
    return f"{LIVE}{entity.pk}/change/{table}/{row}/{name}/"


def doors(client: Client, path: str) -> list[str]:
    return re.findall(
        rf'href="{LIVE}[0-9a-f-]+/(?:change/(\w+/[0-9a-f-]+/[\w-]+)|forget)/',
        client.get(path).content.decode(),
    )


def test_a_claim_is_corrected_and_everything_says_who_did_it(client: Client, entity: Entity) -> None:
    old = Atom.objects.get(entity=entity, kind="episodic")
    page = change(entity, "atom", old.pk, "supersede")
    signed_in(client, entity, "reviewer")
    assert old.text in client.get(page).content.decode()
    given = {"text": "Billing 0 stays until May.", "kind": "episodic", "priority": "60", "reason": ""}
    refused = client.post(page, given)
    assert (refused.status_code, "This field is required." in refused.content.decode()) == (200, True)
    reply = client.post(page, {**given, "reason": "The date has moved."})
    new = Atom.objects.get(entity=entity, text="Billing 0 stays until May.")
    assert reply["Location"] == f"{LIVE}{entity.pk}/atoms/{new.pk}/"
    made = Correction.objects.get(entity=entity)
    assert (str(made.user), made.reason) == ("the-reviewer", "The date has moved.")
    assert LogEntry.objects.get().object_id == str(old.pk)
    assert "does not apply" in client.get(page).content.decode()
    assert client.post(page, {**given, "reason": "again"}).status_code == 200
    assert Correction.objects.filter(entity=entity).count() == 1


@pytest.mark.parametrize(
    ("table", "name", "given"),
    [
        ("atom", "retract", {"reason": "It was never so."}),
        ("scene", "retire", {"reason": "Over."}),
        ("trait", "set", {"text": "Asks first.", "reason": "Shorter."}),
        ("entity", "set-trait", {"slot": "role", "text": "Runs billing.", "reason": "Was missing."}),
    ],
)
def test_every_kind_of_row_is_changed(
    table: str, name: str, given: dict[str, str], client: Client, entity: Entity
) -> None:
    models: dict[str, Any] = {"atom": Atom, "scene": Scene, "trait": Trait}
    row = models[table].objects.filter(entity=entity).first() if table in models else entity
    assert row is not None
    signed_in(client, entity, "operator")
    page = change(entity, table, row.pk, name)
    assert client.get(page).status_code == 200
    assert client.post(page, given).status_code == 302
    assert Correction.objects.filter(entity=entity).count() == 1


def test_a_message_is_erased_in_two_steps(client: Client, entity: Entity) -> None:
    message = Message.objects.filter(entity=entity).earliest("seq")
    signed_in(client, entity, "operator")
    planned = client.post(change(entity, "message", message.pk, "plan-erase"), {"reason": ""})
    assert planned["Location"] == change(entity, "erasure", Erasure.objects.get().pk, "erase")
    assert "messages" in client.get(planned["Location"]).content.decode()
    assert Message.objects.filter(pk=message.pk).exists()
    assert client.post(planned["Location"])["Location"] == f"{LIVE}{entity.pk}/"
    assert not Message.objects.filter(pk=message.pk).exists()


def test_words_are_forgotten_once_what_they_mean_was_seen(client: Client, entity: Entity) -> None:
    signed_in(client, entity, "operator")
    page = f"{LIVE}{entity.pk}/forget/"
    listed = client.post(page, {"words": "Billing 0 stays on Express"}).content.decode()
    [token] = re.findall(r'name="token" value="([^"]+)"', listed)
    chosen = re.findall(r'name="chosen" value="([^"]+)"', listed)
    assert chosen
    goes, made_again = re.split("is written again as far as something that stays says it", listed)
    assert "Goes for good, the message too" in goes
    assert re.findall(r'class="tag">(\w+)<', goes) == ["message", "claim"]
    assert re.findall(r'class="tag">(\w+)<', made_again) == ["line", "trait"]
    assert client.post(page, {"token": "another", "listed": chosen, "chosen": chosen}).status_code == 200
    assert Atom.objects.filter(pk__in=chosen).exists()
    done = client.post(page, {"token": token, "listed": chosen, "chosen": chosen})
    assert done["Location"] == f"{page}?forgotten=1"
    assert "Forgotten" in client.get(done["Location"]).content.decode()
    assert not Atom.objects.filter(pk__in=chosen).exists()
    assert client.post(page, {"token": token, "listed": "x"}).status_code == 404


def test_doors_follow_the_role(client: Client, entity: Entity) -> None:
    rule, message = Atom.objects.get(kind="instruction"), Message.objects.earliest("seq")
    pages = [f"{LIVE}{entity.pk}/{rest}" for rest in ("", f"atoms/{rule.pk}/", f"messages/{message.pk}/")]
    found = {}
    for role in ("viewer", "reviewer", "operator"):
        signed_in(client, entity, role)
        found[role] = [doors(client, page) for page in pages]
    atom = [f"atom/{rule.pk}/supersede", f"atom/{rule.pk}/retract"]
    assert found == {
        "viewer": [[], [], []],
        "reviewer": [[], atom, []],
        "operator": [[""], atom, [f"message/{message.pk}/plan-erase"]],
    }


def test_what_a_role_does_not_allow_is_not_found(client: Client, entity: Entity, bob: Entity) -> None:
    rule, message = Atom.objects.get(entity=entity, kind="instruction"), Message.objects.filter(entity=entity)
    theirs = make_message(bob, SECRET)
    closed = [
        change(entity, "message", message[0].pk, "plan-erase"),
        change(entity, "atom", rule.pk, "dance"),
        change(entity, "run", rule.pk, "retract"),
        change(entity, "atom", uuid4(), "retract"),
        change(entity, "entity", bob.pk, "set-trait"),
        change(bob, "message", theirs.pk, "plan-erase"),
        f"{LIVE}{entity.pk}/forget/",
        f"{LIVE}{bob.pk}/forget/",
    ]
    signed_in(client, entity, "reviewer")
    assert {(client.get(path).status_code, client.post(path).status_code) for path in closed} == {(404, 404)}
    signed_in(client, entity, "viewer")
    path = change(entity, "atom", rule.pk, "retract")
    assert (client.get(path).status_code, client.post(path, {"reason": "x"}).status_code) == (404, 404)
    assert not Correction.objects.exists()
    assert Client().get(path).status_code == 302
    signed_in(client, entity, "operator")
    assert client.get(change(entity, "message", theirs.pk, "plan-erase")).status_code == 404


def test_changes_need_their_token(entity: Entity) -> None:
    strict = signed_in(Client(enforce_csrf_checks=True), entity, "operator")
    rule = Atom.objects.get(kind="instruction")
    for path in (change(entity, "atom", rule.pk, "retract"), f"{LIVE}{entity.pk}/forget/"):
        assert strict.post(path, {"reason": "x"}).status_code == 403
