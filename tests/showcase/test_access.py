"""Who sees whose memory, and where its links lead."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, HttpResponse
from django.test import RequestFactory

from memory.admin.membership import Duty
from memory.ingest.sandbox import open_sandbox
from memory.models import Entity, Member
from showcase.access import SANDBOX_KEY, Place, Scope, scope_of, scoped
from showcase.links import anchor, overview_url, record_url


def request_of(user: Any = None, **session: str) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = user or AnonymousUser()
    request.session = session  # type: ignore[assignment]
    return request


def member_of(entity: Entity, role: str) -> User:
    user = User.objects.create_user(f"the-{role}")
    Member.objects.create(workspace=entity.workspace, user=user, role=role)
    return user


def test_everybody_sees_the_demonstration_and_may_change_nothing(alice: Entity, bob: Entity) -> None:
    for user in (None, member_of(alice, "operator")):
        assert scope_of(request_of(user), Place.DEMO) == Scope(alice, Place.DEMO)


def test_without_a_demonstration_there_is_nothing_to_see(bob: Entity) -> None:
    with pytest.raises(Http404):
        scope_of(request_of(), Place.DEMO)


@pytest.mark.parametrize(
    ("role", "duties"),
    [
        ("viewer", {Duty.VIEW}),
        ("reviewer", {Duty.VIEW, Duty.CORRECT, Duty.REVIEW}),
        ("operator", set(Duty)),
    ],
)
def test_members_see_their_workspaces_with_the_duties_of_their_role(
    role: str, duties: set[Duty], alice: Entity, bob: Entity
) -> None:
    request = request_of(member_of(bob, role))
    scope = scope_of(request, Place.LIVE, bob.pk)
    assert scope == Scope(bob, Place.LIVE, frozenset(duties))
    assert scope.allows(Duty.ERASE) is (role == "operator")
    for other in (alice.pk, uuid4()):
        with pytest.raises(Http404):
            scope_of(request, Place.LIVE, other)


def test_superusers_see_every_workspace(bob: Entity) -> None:
    root = User.objects.create_superuser("root")
    assert scope_of(request_of(root), Place.LIVE, bob.pk).duties == frozenset(Duty)


def test_visitors_see_no_live_memory(alice: Entity) -> None:
    with pytest.raises(Http404):
        scope_of(request_of(), Place.LIVE, alice.pk)


def test_a_visitor_sees_the_sandbox_of_the_own_session_alone(db: None) -> None:
    mine, other = open_sandbox(), open_sandbox()
    given = {SANDBOX_KEY: str(mine.pk)}
    assert scope_of(request_of(**given), Place.SANDBOX).entity == mine
    mine.delete()
    for session in (given, {}):
        with pytest.raises(Http404):
            scope_of(request_of(**session), Place.SANDBOX)
    assert Entity.objects.filter(pk=other.pk).exists()


def test_a_session_leads_to_no_memory_of_another_workspace(alice: Entity, bob: Entity) -> None:
    for entity in (alice, bob):
        with pytest.raises(Http404):
            scope_of(request_of(**{SANDBOX_KEY: str(entity.pk)}), Place.SANDBOX)


def test_shadows_of_rebuilds_are_not_found(alice: Entity) -> None:
    shadow = Entity.objects.create(workspace=alice.workspace, name=alice.name, shadow_of=alice)
    with pytest.raises(Http404):
        scope_of(request_of(member_of(alice, "operator")), Place.LIVE, shadow.pk)


def test_a_view_is_given_the_scope_of_its_address(alice: Entity) -> None:
    @scoped
    def page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
        return HttpResponse(f"{scope.entity.name} {scope.place} {number}")

    response = page(request_of(), place="demo", number=4)
    assert response.content.decode() == "agent.alice-demo demo 4"  # type: ignore[attr-defined]


def test_links_stay_in_their_place(alice: Entity) -> None:
    scope = Scope(alice, Place.DEMO)
    assert overview_url(scope) == "/showcase/agent-memory/"
    for kind in ("message", "atom", "line", "scene", "trait"):
        url = record_url(scope, kind, alice.pk)
        assert url.startswith("/showcase/agent-memory/")
        assert "live" not in url


def test_a_place_on_a_page_is_named_by_kind_and_short_id(alice: Entity) -> None:
    assert anchor("scene version", alice.pk) == f"scene-version-{alice.pk.hex[-8:]}"
