"""What operators manage: keys, members, entities, workspaces, and parked inputs."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import Entity, Key, Member, Message, Work, Workspace
from tests.admin.conftest import CONFIRMED, Memory, park

KEYS = reverse("admin:memory_key_changelist")
NEW_KEY = reverse("admin:memory_key_add")
KEPT = {"message_days": "", "run_days": "", "use_days": "90", "event_days": "7"}


def number_of_form(client: Client) -> str:
    found = re.search(r'name="form_number" value="([^"]+)"', client.get(NEW_KEY).content.decode())
    assert found is not None
    return found[1]


def new_key(client: Client, memory: Memory, **values: object) -> Any:
    asked = {
        "form_number": number_of_form(client),
        "workspace": str(memory.workspace.pk),
        "label": "agent",
        "scopes": ["read", "write"],
        "entities": [],
    }
    return client.post(NEW_KEY, asked | values)


def test_a_new_key_is_shown_once_and_opens_the_door(alice: Memory, operator: Client) -> None:
    response = new_key(operator, alice, entities=[str(alice.entity.pk)])
    shown = re.findall(r"msk_[\w-]+", response.content.decode())
    key = Key.objects.get(label="agent")
    assert [Key.digest_of(token) for token in shown] == [key.digest]
    assert (key.workspace, key.scopes, list(key.entities.all())) == (
        alice.workspace,
        ["read", "write"],
        [alice.entity],
    )
    assert "no-store" in response["Cache-Control"]
    assert shown[0] not in str(response.cookies)
    detail = reverse("admin:memory_key_change", args=[key.pk])
    for address in (KEYS, detail):
        content = operator.get(address).content.decode()
        assert shown[0] not in content
        assert key.digest not in content


def test_a_form_that_is_sent_again_makes_no_second_key(alice: Memory, operator: Client) -> None:
    number = number_of_form(operator)
    new_key(operator, alice, form_number=number)
    again = new_key(operator, alice, form_number=number)
    assert again["Location"] == KEYS
    assert "its key was made then" in operator.get(KEYS).content.decode()
    assert Key.objects.filter(label="agent").count() == 1
    assert number not in str(dict(operator.session))
    new_key(operator, alice)
    assert Key.objects.filter(label="agent").count() == 2


def test_a_form_that_was_refused_still_makes_its_key(alice: Memory, operator: Client) -> None:
    number = number_of_form(operator)
    new_key(operator, alice, form_number=number, scopes=[])
    new_key(operator, alice, form_number=number)
    assert Key.objects.filter(label="agent").count() == 1


@pytest.mark.parametrize("number", ["", "made-up", "made:up:number"])
def test_a_form_that_the_server_did_not_give_makes_no_key(
    number: str, alice: Memory, operator: Client
) -> None:
    assert new_key(operator, alice, form_number=number)["Location"] == NEW_KEY
    assert not Key.objects.filter(label="agent").exists()


def test_a_key_is_not_made_for_another_workspace_or_its_entities(
    alice: Memory, bob: Memory, operator: Client, superuser: Client
) -> None:
    before = Key.objects.count()
    new_key(operator, bob)
    new_key(superuser, alice, entities=[str(bob.entity.pk)])
    assert Key.objects.count() == before


def test_a_revoked_key_stays_revoked_since_it_was_first(alice: Memory, operator: Client) -> None:
    revoke = {"action": "revoke", "_selected_action": [str(alice.key.pk)]}
    asked = operator.post(KEYS, revoke).content.decode()
    assert "what will happen" in asked
    assert Key.objects.get(pk=alice.key.pk).revoked_at is None
    operator.post(KEYS, revoke | CONFIRMED)
    first = Key.objects.get(pk=alice.key.pk).revoked_at
    operator.post(KEYS, revoke | CONFIRMED)
    assert first is not None
    assert Key.objects.get(pk=alice.key.pk).revoked_at == first


def test_a_form_suggests_entities_of_the_persons_workspaces_by_the_beginning_of_their_names(
    alice: Memory, bob: Memory, operator: Client
) -> None:
    asked = {"app_label": "memory", "model_name": "key", "field_name": "entities", "term": "agent."}
    found = operator.get(reverse("admin:autocomplete"), asked).json()["results"]
    own = Entity.objects.filter(workspace=alice.entity.workspace)
    assert {one["text"] for one in found} == {"agent.alice", "agent.alice.reader"}
    assert {one["id"] for one in found} == {str(pk) for pk in own.values_list("pk", flat=True)}


def test_viewers_revoke_no_key(alice: Memory, viewer: Client) -> None:
    viewer.post(KEYS, {"action": "revoke", "_selected_action": [str(alice.key.pk)], **CONFIRMED})
    assert Key.objects.get(pk=alice.key.pk).revoked_at is None


def test_a_member_is_added_by_name_changed_and_removed(alice: Memory, operator: Client) -> None:
    rita = User.objects.create_user("rita", is_staff=True)
    asked = {"workspace": str(alice.workspace.pk), "user": "rita", "role": "viewer"}
    operator.post(reverse("admin:memory_member_add"), asked)
    member = Member.objects.get(user=rita)
    assert (member.workspace, member.role) == (alice.workspace, "viewer")
    operator.post(reverse("admin:memory_member_change", args=[member.pk]), {"role": "reviewer"})
    assert Member.objects.get(user=rita).role == "reviewer"
    operator.post(reverse("admin:memory_member_delete", args=[member.pk]), {"post": "yes"})
    assert not Member.objects.filter(user=rita).exists()


def test_nobody_adds_himself_to_another_workspace(alice: Memory, bob: Memory, operator: Client) -> None:
    asked = {"workspace": str(bob.workspace.pk), "user": "olga", "role": "operator"}
    operator.post(reverse("admin:memory_member_add"), asked)
    assert not Member.objects.filter(workspace=bob.workspace).exists()


def test_an_entity_takes_a_known_zone_and_known_steps(alice: Memory, operator: Client) -> None:
    address = reverse("admin:memory_entity_change", args=[alice.entity.pk])
    operator.post(address, {"time_zone": "Europe/Vienna", "paused_steps": ["persona"]})
    operator.post(address, {"time_zone": "Mars/Olympus", "paused_steps": []})
    operator.post(address, {"time_zone": "UTC", "paused_steps": ["dreaming"]})
    entity = Entity.objects.get(pk=alice.entity.pk)
    assert (entity.name, entity.time_zone, entity.paused_steps) == (
        "agent.alice",
        "Europe/Vienna",
        ["persona"],
    )


def test_a_saved_entity_writes_only_what_was_changed(alice: Memory, operator: Client) -> None:
    address = reverse("admin:memory_entity_change", args=[alice.entity.pk])
    with CaptureQueriesContext(connection) as captured:
        operator.post(address, {"time_zone": "Europe/Vienna", "paused_steps": []})
    updates = [query["sql"] for query in captured if query["sql"].startswith('UPDATE "memory_entity"')]
    assert [re.findall(r'"(\w+)" =', sql.split(" WHERE ")[0]) for sql in updates] == [["time_zone"]]


def test_only_superusers_make_workspaces(alice: Memory, operator: Client, superuser: Client) -> None:
    address = reverse("admin:memory_workspace_add")
    asked = {"name": "eastwind", "design": "agent_memory@0.3.0", "daily_token_budget": "1000", **KEPT}
    assert operator.post(address, asked).status_code == 403
    superuser.post(address, asked)
    assert Workspace.objects.get(name="eastwind").daily_token_budget == 1000


def test_work_counts_what_waits_and_puts_parked_inputs_back_in_line(alice: Memory, operator: Client) -> None:
    park(alice)
    address = reverse("admin:memory_work_changelist")
    rows = {work.step: work for work in operator.get(address).context["cl"].result_list}
    assert [(rows[step].pending_count, rows[step].parked_count) for step in ("l1_extract", "persona")] == [
        (0, 1),
        (0, 0),
    ]
    retry = {"action": "retry", "_selected_action": [str(rows["l1_extract"].pk)]}
    operator.post(address, retry)
    assert not Message.objects.for_entity(alice.entity).pending().exists()
    operator.post(address, retry | CONFIRMED)
    assert list(Message.objects.for_entity(alice.entity).pending()) == [alice.message]
    assert Work.objects.get(entity=alice.entity, step="l1_extract").due_at is not None


def test_viewers_retry_nothing(alice: Memory, viewer: Client) -> None:
    park(alice)
    work = Work.objects.get(entity=alice.entity, step="l1_extract")
    address = reverse("admin:memory_work_changelist")
    viewer.post(address, {"action": "retry", "_selected_action": [str(work.pk)], **CONFIRMED})
    do = reverse("admin:memory_work_do", args=[work.pk, "retry"])
    assert viewer.post(do, CONFIRMED).status_code == 403
    assert Message.objects.for_entity(alice.entity).parked().count() == 1


def test_a_workspace_chooses_among_the_designs_that_are_there(alice: Memory, operator: Client) -> None:
    address = reverse("admin:memory_workspace_change", args=[alice.workspace.pk])
    choices = operator.get(address).context["adminform"].form.fields["design"].choices
    assert [name for name, _ in choices] == ["agent_memory@0.3.0"]
    response = operator.post(
        address, {"name": "northwind", "design": "other@1.0.0", "daily_token_budget": "", **KEPT}
    )
    assert "other@1.0.0 is not one of the available choices" in response.content.decode()
    assert Workspace.objects.get(pk=alice.workspace.pk).design == "agent_memory@0.3.0"


def test_a_workspace_whose_design_is_gone_still_shows_it(alice: Memory, operator: Client) -> None:
    Workspace.objects.filter(pk=alice.workspace.pk).update(design="gone@1.0.0")
    address = reverse("admin:memory_workspace_change", args=[alice.workspace.pk])
    choices = dict(operator.get(address).context["adminform"].form.fields["design"].choices)
    assert choices["gone@1.0.0"] == "gone@1.0.0 (not there any more)"
