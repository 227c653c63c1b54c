"""Policies and live sources, as operators make them; what cannot be is said beside its field."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from memory.models import LiveSource, Policy
from memseek_site.live_sources import LiveSettings
from tests.admin.conftest import Memory

ADD_POLICY = reverse("admin:memory_policy_add")
ADD_SOURCE = reverse("admin:memory_livesource_add")


@pytest.fixture(autouse=True)
def allowed(settings: Any) -> None:
    live = LiveSettings(
        callables={"plan": "shop.plan"},
        hosts=("billing.example.com", "localhost:8000"),
        private_hosts=("localhost:8000",),
        credentials={"billing": "t" * 20},
    )
    settings.MEMSEEK = replace(settings.MEMSEEK, live=live)


def policy(workspace_id: UUID, **values: Any) -> dict[str, Any]:
    asked = {"workspace": str(workspace_id), "pattern": "billing.*", "action": "store", "cardinality": "one"}
    return {**asked, "asserted_by": ["4", "3"], **values}


def source(workspace_id: UUID, **values: Any) -> dict[str, Any]:
    return {
        "workspace": str(workspace_id),
        "name": "billing",
        "kind": "http",
        "address": "https://billing.example.com/{identifier}",
        "credential": "billing",
        "timeout_milliseconds": "500",
        "most_bytes": "1000",
        "cache_seconds": "60",
        **values,
    }


def errors(client: Client, address: str, asked: dict[str, Any]) -> dict[str, list[str]]:
    """What is said beside the fields; empty when the row was made."""
    response: Any = client.post(address, asked)
    return dict(response.context["adminform"].form.errors) if response.status_code == 200 else {}


def test_a_policy_is_made_and_changed(alice: Memory, operator: Client) -> None:
    assert errors(operator, ADD_POLICY, policy(alice.workspace.pk)) == {}
    made = Policy.objects.get(pattern="billing.*")
    assert (made.workspace, made.action, sorted(made.asserted_by)) == (alice.workspace, "store", [3, 4])
    change = reverse("admin:memory_policy_change", args=[made.pk])
    assert errors(operator, change, policy(alice.workspace.pk, action="ignore", cardinality="many")) == {}
    made.refresh_from_db()
    assert (made.action, made.cardinality) == ("ignore", "many")
    operator.post(reverse("admin:memory_policy_delete", args=[made.pk]), {"post": "yes"})
    assert not Policy.objects.filter(pk=made.pk).exists()


@pytest.mark.parametrize(
    ("values", "field", "told"),
    [
        ({"pattern": "billing*"}, "pattern", "Write a predicate such as billing.plan"),
        ({"asserted_by": []}, "asserted_by", "This field is required."),
        ({"action": "live"}, "source", "Choose the source that the values are fetched from."),
    ],
)
def test_what_a_policy_cannot_be(
    alice: Memory, operator: Client, values: dict[str, Any], field: str, told: str
) -> None:
    found = errors(operator, ADD_POLICY, policy(alice.workspace.pk, **values))
    assert list(found) == [field]
    assert found[field][0].startswith(told)


def test_only_a_live_policy_has_a_source(alice: Memory, operator: Client) -> None:
    of_alice = LiveSource.objects.get(workspace=alice.workspace)
    asked = policy(alice.workspace.pk, source=str(of_alice.pk))
    assert errors(operator, ADD_POLICY, asked) == {
        "source": ["Only a policy whose action is live has a source."]
    }
    assert errors(operator, ADD_POLICY, {**asked, "action": "live"}) == {}


def test_sources_of_other_workspaces_are_not_offered(
    alice: Memory, bob: Memory, operator: Client, superuser: Client
) -> None:
    of_bob = LiveSource.objects.get(workspace=bob.workspace)
    assert str(of_bob.pk) not in operator.get(ADD_POLICY).content.decode()
    asked = policy(alice.workspace.pk, action="live", source=str(of_bob.pk))
    assert list(errors(operator, ADD_POLICY, asked)) == ["source"]
    assert errors(superuser, ADD_POLICY, asked) == {
        "source": ["The source of a policy lies in its own workspace."]
    }


def test_the_same_pattern_twice_is_told(alice: Memory, operator: Client) -> None:
    errors(operator, ADD_POLICY, policy(alice.workspace.pk))
    assert "already exists" in str(errors(operator, ADD_POLICY, policy(alice.workspace.pk)))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"name": "plan", "kind": "callable", "address": "plan", "credential": ""},
        {"name": "local", "address": "http://localhost:8000/{kind}", "credential": ""},
    ],
)
def test_a_source_is_made(alice: Memory, operator: Client, values: dict[str, Any]) -> None:
    asked = source(alice.workspace.pk, **values)
    assert errors(operator, ADD_SOURCE, asked) == {}
    made = LiveSource.objects.get(name=asked["name"])
    assert (made.workspace, made.address) == (alice.workspace, asked["address"])
    renamed = {**asked, "name": "other", "cache_seconds": "5"}
    assert errors(operator, reverse("admin:memory_livesource_change", args=[made.pk]), renamed) == {}
    made.refresh_from_db()
    assert (made.name, made.cache_seconds) == (asked["name"], 5)


@pytest.mark.parametrize(
    ("values", "field", "told"),
    [
        ({"name": "my source"}, "name", "Write letters, digits"),
        (
            {"address": "https://evil.example.com/"},
            "address",
            "The address lies on a host that is not allowed",
        ),
        ({"address": "http://billing.example.com/"}, "address", "The address has to be asked over https"),
        ({"address": "https://{kind}.example.com/"}, "address", "The address has to name its host in full."),
        ({"address": "https://billing.example.com/{id}"}, "address", "The address holds {id}; known are"),
        (
            {"kind": "callable", "address": "other", "credential": ""},
            "address",
            "MEMSEEK_LIVE_CALLABLES has no",
        ),
        ({"kind": "callable", "address": "plan"}, "credential", "A function gets no credential."),
        ({"credential": "sk-secret"}, "credential", "MEMSEEK_LIVE_CREDENTIALS has none of this name."),
        ({"timeout_milliseconds": "10001"}, "timeout_milliseconds", "Ensure this value is less than"),
        ({"most_bytes": "0"}, "most_bytes", "Ensure this value is greater than"),
    ],
)
def test_what_a_source_cannot_be(
    alice: Memory, operator: Client, values: dict[str, Any], field: str, told: str
) -> None:
    found = errors(operator, ADD_SOURCE, source(alice.workspace.pk, **values))
    assert list(found) == [field]
    assert found[field][0].startswith(told)


def test_viewers_change_nothing(alice: Memory, viewer: Client) -> None:
    assert viewer.post(ADD_POLICY, policy(alice.workspace.pk)).status_code == 403
    assert viewer.post(ADD_SOURCE, source(alice.workspace.pk)).status_code == 403


def test_a_source_that_a_policy_names_stays(alice: Memory, operator: Client) -> None:
    named = LiveSource.objects.get(workspace=alice.workspace)
    operator.post(reverse("admin:memory_livesource_delete", args=[named.pk]), {"post": "yes"})
    assert LiveSource.objects.filter(pk=named.pk).exists()
