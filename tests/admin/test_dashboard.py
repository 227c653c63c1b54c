"""The first page: bounded in its statements, within a person's workspaces, with something to do next."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from memory.models import LayerCount, Member, Process, Workspace
from tests.admin.conftest import Memory, fill, park, signed_in
from tests.factories import make_pending_message, make_run, make_workspace

INDEX = reverse("admin:index")


def page(client: Client, **asked: str) -> Any:
    response = client.get(INDEX, asked)
    assert response.status_code == 200
    return response


def statements(client: Client, **asked: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(client, **asked)
    return len(captured)


def layer_figures(response: Any) -> dict[str, tuple[str, str]]:
    return {layer.name: (str(layer.heads), str(layer.kept)) for layer in response.context["layers"]}


def test_layers_waiting_and_parked_are_those_of_the_workspace(
    alice: Memory, bob: Memory, operator: Client
) -> None:
    make_pending_message(bob.entity, "Bob's words.")
    make_pending_message(alice.entity, "Alice's words.", recorded_at=timezone.now() - timedelta(hours=2))
    park(alice)
    response = page(operator)
    assert layer_figures(response) == {
        "L0": ("2", "None"),
        "L1": ("3", "1"),
        "L2": ("1", "2"),
        "L3": ("1", "1"),
    }
    by_step = {step.step: (str(step.waiting), str(step.parked)) for step in response.context["steps"]}
    assert (by_step["l1_extract"], by_step["persona"]) == (("1", "1"), ("0", "0"))
    assert "southwind" not in response.content.decode()


def test_an_entity_is_chosen_by_its_name(alice: Memory, superuser: Client) -> None:
    fill("agent.other", workspace=alice.workspace)
    response = page(superuser, workspace=str(alice.workspace.pk), entity="agent.alice")
    assert response.context["chosen"].entity == alice.entity
    assert layer_figures(response)["L0"] == ("1", "None")
    unknown = page(superuser, workspace=str(alice.workspace.pk), entity="nobody").content.decode()
    assert "No entity of this workspace is called" in unknown


def test_statements_do_not_grow_with_memory(alice: Memory, operator: Client) -> None:
    before = statements(operator), statements(operator, entity="agent.alice")
    for number in range(9):
        fill(f"agent.alice-{number}", workspace=alice.workspace)
        make_run(alice.entity, status="failed", error_kind="invalid_json")
    assert (statements(operator), statements(operator, entity="agent.alice")) == before
    assert max(before) < 50


def test_counting_stops_at_the_cap_and_the_page_says_so(
    alice: Memory, operator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.admin.figures.COUNT_CAP", 1)
    LayerCount.objects.filter(entity=alice.entity, layer=0).update(units=2_000)
    make_pending_message(alice.entity, "More words.")
    response = page(operator)
    found = layer_figures(response)
    assert (found["L0"], found["L1"]) == (("≈ 2,000", "None"), ("1+", "1"))
    assert "Counting stops at 1" in response.content.decode()


def test_tokens_cost_and_failures_are_drawn_by_day(alice: Memory, operator: Client) -> None:
    today = timezone.now()
    make_run(alice.entity, started_at=today, tokens_in=900, tokens_out=100, cost="0.25", model="paid")
    make_run(alice.entity, started_at=today - timedelta(days=40), tokens_in=5_000)
    make_run(alice.entity, started_at=today, status="failed", error_kind="invalid_json")
    response = page(operator)
    assert [chart.total for chart in response.context["charts"]] == ["1,000", "$0.2500", "1"]
    assert response.context["budget"].spent == 1_000
    assert "invalid_json" in response.content.decode()


def test_a_spent_budget_is_seen(alice: Memory, operator: Client) -> None:
    Workspace.objects.filter(pk=alice.workspace.pk).update(daily_token_budget=1_000)
    make_run(alice.entity, started_at=timezone.now(), tokens_in=1_200)
    assert "steps pause until midnight UTC" in page(operator).content.decode()


def test_a_silent_worker_is_not_taken_for_a_living_one(alice: Memory, operator: Client) -> None:
    Process.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    assert page(operator).context["worker"] is None
    Process.objects.filter(kind="worker").update(seen_at=timezone.now())
    assert page(operator).context["worker"] is not None


@pytest.mark.parametrize(("is_superuser", "told"), [(True, "Make a workspace"), (False, "not a member")])
def test_without_a_workspace_the_page_says_what_to_do(db: None, is_superuser: bool, told: str) -> None:
    user = User.objects.create_user("sam", is_staff=True, is_superuser=is_superuser)
    assert told in page(signed_in(user)).content.decode()


@pytest.mark.parametrize(("role", "told"), [("operator", "Make a key"), ("viewer", "An operator")])
def test_without_an_entity_the_page_says_what_to_do(db: None, role: str, told: str) -> None:
    user = User.objects.create_user("sam", is_staff=True)
    Member.objects.create(workspace=make_workspace("empty"), user=user, role=role)
    assert told in page(signed_in(user)).content.decode()


def test_the_admin_has_a_policy_of_its_own_and_no_other_page(alice: Memory, operator: Client) -> None:
    policy = page(operator)["Content-Security-Policy"]
    assert "script-src 'self' 'unsafe-eval'" in policy
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "unsafe" not in Client().get("/")["Content-Security-Policy"]
    assert "unsafe-eval" in Client().get(reverse("admin:login"))["Content-Security-Policy"]


def test_the_menu_leads_to_every_table_that_is_open_and_no_other(alice: Memory, viewer: Client) -> None:
    links = {item["link"] for group in page(viewer).context["sidebar_navigation"] for item in group["items"]}
    assert reverse("admin:memory_atom_changelist") in links
    assert reverse("admin:memory_work_parked") in links
    assert reverse("admin:auth_user_changelist") not in links
    assert reverse("admin:memory_process_changelist") not in links
