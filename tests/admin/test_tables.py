"""Every table: registered, bounded in its statements, read-only, and within the person's workspaces."""

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.admin.filling import FILLED_BY
from memory.models import (
    Atom,
    EmbeddingSpace,
    Entity,
    LiveSource,
    Member,
    ModelEndpoint,
    Policy,
    Process,
    Run,
    Workspace,
)
from tests.admin.conftest import Memory, fill, signed_in
from tests.factories import make_workspace

TABLES = list(apps.get_app_config("memory").get_models())
OF_THE_INSTALLATION = {Process, ModelEndpoint, EmbeddingSpace}
OF_A_WORKSPACE = [model for model in TABLES if model not in OF_THE_INSTALLATION]


def list_address(model: type[Model]) -> str:
    return reverse(f"admin:memory_{model._meta.model_name}_changelist")


def row_address(row: Model) -> str:
    return reverse(f"admin:memory_{row._meta.model_name}_change", args=[row.pk])


def first(model: type[Model]) -> Model:
    row = model._default_manager.first()
    assert row is not None
    return row


def statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_every_table_is_registered() -> None:
    assert [model for model in TABLES if model not in admin.site._registry] == []


def test_every_empty_list_says_what_fills_it(superuser: Client) -> None:
    assert {model._meta.model_name for model in TABLES} == set(FILLED_BY)
    shown = superuser.get(list_address(Atom)).content.decode()
    assert FILLED_BY["atom"] in shown
    assert "Create a new item" not in shown
    searched = superuser.get(list_address(Atom), {"q": "agent.nobody"}).content.decode()
    assert "No row fits the search and the filters." in searched


def test_a_row_is_called_by_its_name_in_the_way_to_it(alice: Memory, superuser: Client) -> None:
    shown = superuser.get(row_address(alice.entity)).content.decode()
    assert "Agent.alice" not in shown


def test_runs_are_listed_by_step_as_steps_are_written(alice: Memory, superuser: Client) -> None:
    shown = superuser.get(list_address(Run), {"step__exact": "l1_extract"})
    assert {run.step for run in shown.context["cl"].result_list} == {"l1_extract"}
    assert "L1 Extract" not in shown.content.decode()


def test_a_list_takes_the_same_statements_whatever_it_holds(
    alice: Memory, superuser: Client, operator: Client
) -> None:
    def count_all() -> dict[str, tuple[int, int]]:
        return {
            model.__name__: (
                statements(superuser, list_address(model)),
                0 if model in OF_THE_INSTALLATION else statements(operator, list_address(model)),
            )
            for model in TABLES
        }

    before = count_all()
    for number in range(9):
        fill(f"agent.alice-{number}", workspace=make_workspace(f"northwind-{number % 2}"))
    assert count_all() == before
    assert max(max(pair) for pair in before.values()) <= 9


def test_a_row_has_a_page_that_can_be_saved_only_where_it_is_managed(
    alice: Memory, superuser: Client
) -> None:
    Member.objects.create(workspace=alice.workspace, user=User.objects.get(username="root"))
    savable = set()
    for model in TABLES:
        page = superuser.get(row_address(first(model)))
        assert page.status_code == 200
        if b'name="_save"' in page.content:
            savable.add(model)
        else:
            assert superuser.post(row_address(first(model)), {}).status_code == 403
    assert savable == {Workspace, Member, Entity, Policy, LiveSource}


def test_only_what_operators_set_is_deleted_here(alice: Memory, superuser: Client) -> None:
    Member.objects.create(workspace=alice.workspace, user=User.objects.get(username="root"))
    for model in set(TABLES) - {Member, Policy, LiveSource}:
        address = reverse(f"admin:memory_{model._meta.model_name}_delete", args=[first(model).pk])
        assert superuser.post(address, {"post": "yes"}).status_code == 403


def test_members_see_the_rows_of_their_workspaces_and_no_others(
    alice: Memory, bob: Memory, viewer: Client
) -> None:
    for model in OF_A_WORKSPACE:
        path = "pk" if model is Workspace else "workspace"
        mine = set(model._default_manager.filter(**{path: alice.workspace.pk}).values_list("pk", flat=True))
        response = viewer.get(list_address(model))
        assert {row.pk for row in response.context["cl"].result_list} == mine
        assert "southwind" not in response.content.decode()
        for row in model._default_manager.exclude(pk__in=mine):
            answer = viewer.get(row_address(row))
            assert (answer.status_code, answer["Location"]) == (302, reverse("admin:index"))


@pytest.mark.parametrize("name", ["process", "modelendpoint", "embeddingspace"])
def test_tables_of_the_installation_are_for_superusers(name: str, alice: Memory, operator: Client) -> None:
    assert operator.get(reverse(f"admin:memory_{name}_changelist")).status_code == 403


def test_staff_without_a_membership_see_no_table(alice: Memory) -> None:
    stranger = signed_in(User.objects.create_user("sam", is_staff=True))
    assert stranger.get(reverse("admin:memory_atom_changelist")).status_code == 403
    assert "memory" not in {
        app["app_label"] for app in stranger.get(reverse("admin:index")).context["app_list"]
    }


def test_viewers_change_nothing(alice: Memory, viewer: Client) -> None:
    for model in OF_A_WORKSPACE:
        add = reverse(f"admin:memory_{model._meta.model_name}_add")
        assert viewer.post(add, {}).status_code == 403
        assert viewer.post(row_address(first(model)), {}).status_code == 403


def test_a_search_finds_a_row_by_its_id_and_rows_by_their_entity(
    alice: Memory, bob: Memory, superuser: Client
) -> None:
    address = reverse("admin:memory_atom_changelist")

    def found(term: str) -> set[object]:
        return {atom.pk for atom in superuser.get(address, {"q": term}).context["cl"].result_list}

    assert found(str(alice.atom.pk)) == {alice.atom.pk}
    assert found("agent.bob") == set(
        type(bob.atom).objects.for_entity(bob.entity).values_list("pk", flat=True)
    )
    assert found("nobody") == set()
    assert found(str(bob.message.pk)) == set()


def test_counting_stops_at_the_cap_and_the_list_says_so(
    alice: Memory, superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.admin.pagination.COUNT_CAP", 1)
    response = superuser.get(reverse("admin:memory_atom_changelist"))
    assert response.context["cl"].paginator.count == 1
    assert "There are more rows than the 1 that were counted" in response.content.decode()


@pytest.mark.parametrize(
    ("table", "asked"), [("atom", {"status__exact": "\0"}), ("tombstone", {"q": "no number of a row"})]
)
def test_what_no_row_can_hold_is_no_error(
    table: str, asked: dict[str, str], alice: Memory, superuser: Client
) -> None:
    answer = superuser.get(reverse(f"admin:memory_{table}_changelist"), asked, follow=True)
    assert answer.status_code == 200
