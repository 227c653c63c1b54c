"""The live view: for members, of their workspaces, by their role; without a key anywhere."""

import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from memory.cascade.work import ensure_work
from memory.ingest.workspaces import create_key
from memory.models import Atom, Entity, Member, Message, Process, Work
from showcase.live import listing
from tests.factories import make_atom, make_entity, make_message, make_run, make_workspace
from tests.showcase.conftest import SECRET, tell
from tests.showcase.statements import assert_few_statements, statements

pytestmark = pytest.mark.django_db(transaction=True)

LIVE = "/showcase/agent-memory/live/"
SIGN_IN = f"{LIVE}sign-in/"
PASSWORD = "correct horse battery staple"


def member(entity: Entity, role: str = "operator", *, is_staff: bool = True) -> User:
    user = User.objects.create_user(f"the-{role}", password=PASSWORD, is_staff=is_staff)
    Member.objects.create(workspace=entity.workspace, user=user, role=role)
    return user


@pytest.fixture
def entity() -> Entity:
    """Of a workspace with members, with a worker at hand."""
    found = make_entity("agent.alice-x1", workspace=make_workspace("acme"), time_zone="Europe/Oslo")
    ensure_work(found)
    with transaction.atomic():
        tell(found)
    Process.objects.create(kind="worker", name="here:1", configuration_hash="0")
    return found


@pytest.fixture
def page(entity: Entity) -> str:
    return f"{LIVE}{entity.pk}/"


@pytest.fixture
def signed_in(client: Client, entity: Entity) -> Client:
    """An operator of the entity's workspace."""
    client.force_login(member(entity))
    return client


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def cards(client: Client, path: str) -> list[str]:
    return re.findall(r'<p class="text"><bdi class="said">(.*?)</bdi>', text_of(client, path))


def test_members_sign_in_and_come_to_where_they_wanted(client: Client, entity: Entity, page: str) -> None:
    member(entity, "viewer", is_staff=False)
    asked = client.get(page)
    assert (asked.status_code, asked["Location"]) == (302, f"{SIGN_IN}?next={page}")
    given = {"username": "the-viewer", "password": PASSWORD, "next": page}
    wrong = client.post(SIGN_IN, {**given, "password": "guess"})
    assert (wrong.status_code, "Please enter a correct username" in wrong.content.decode()) == (200, True)
    assert client.post(SIGN_IN, given)["Location"] == page
    assert "agent.alice-x1" in text_of(client, page)
    assert client.post(f"{LIVE}sign-out/").status_code == 302
    assert client.get(page).status_code == 302


@pytest.mark.parametrize("leads", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_signing_in_leads_nowhere_else(leads: str, client: Client, entity: Entity) -> None:
    member(entity)
    given = {"username": "the-operator", "password": PASSWORD, "next": leads}
    assert client.post(SIGN_IN, given)["Location"] == LIVE


def test_signing_in_begins_another_session(client: Client, entity: Entity) -> None:
    member(entity)
    client.cookies["sessionid"] = "planted-by-somebody-else-0000000"
    client.post(SIGN_IN, {"username": "the-operator", "password": PASSWORD})
    assert client.cookies["sessionid"].value != "planted-by-somebody-else-0000000"


def test_posts_need_their_token(entity: Entity, page: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(member(entity))
    for path in (SIGN_IN, f"{LIVE}sign-out/", f"{page}retry/"):
        assert strict.post(path, {}).status_code == 403


def test_other_workspaces_are_not_found(signed_in: Client, bob: Entity) -> None:
    listed = text_of(signed_in, LIVE)
    assert ("agent.alice-x1" in listed, "agent.bob" in listed, "southwind" in listed) == (True, False, False)
    for path in ("", "now/", "persona/", "composer/?task=code"):
        assert signed_in.get(f"{LIVE}{bob.pk}/{path}").status_code == 404
    assert signed_in.post(f"{LIVE}{bob.pk}/retry/", {"step": "l1_extract", "run": uuid4()}).status_code == 404
    run = make_run(bob)
    for told in (run.pk, bob.pk, "bob"):
        content = text_of(signed_in, f"{LIVE}?run={told}")
        assert "No run of that id" in content
        assert SECRET not in content


def test_a_run_leads_to_its_memory(signed_in: Client, entity: Entity, page: str) -> None:
    for told in (make_run(entity).pk, "x1", entity.pk):
        assert signed_in.get(f"{LIVE}?run={told}")["Location"] == page
    assert "neither the id of a run" in text_of(signed_in, f"{LIVE}?run=a b")


def test_entities_are_narrowed_down_and_paged(signed_in: Client, entity: Entity) -> None:
    for number in range(31):
        make_entity(f"robot-{number:02}", workspace=entity.workspace)
    names = re.findall(
        r'<th scope="row">.*?<bdi class="said">([^<]+)', text_of(signed_in, f"{LIVE}?name=robot")
    )
    assert (len(names), names[0], names[-1]) == (30, "robot-00", "robot-29")
    assert "robot-30" in text_of(signed_in, f"{LIVE}?name=robot&page=2")
    assert "No memory here" in text_of(signed_in, f"{LIVE}?name=nobody")
    assert signed_in.get(f"{LIVE}?workspace={uuid4()}&page=x").status_code == 200


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ["Billing 0 stays", "Never deploy"]),
        ("?layer=L0", ["Understood.", "Billing 0 stays", "Never deploy"]),
        ("?layer=L0&text=UNDERSTOOD", ["Understood."]),
        ("?layer=L1&text=approval", ["Never deploy"]),
        ("?layer=L1&state=history", []),
        ("?layer=L1&state=all", ["Billing 0 stays", "Never deploy"]),
        ("?layer=L2", ["Billing 0: what stays"]),
        ("?layer=L2&text=written+approval", ["Billing 0: what stays"]),
        ("?layer=L2&text=walrus", []),
        ("?layer=L3", ["Ask before you act."]),
        ("?layer=L3&state=pending", []),
        ("?layer=L0&until=2026-06-01", []),
        ("?layer=L0&since=2026-06-02&until=2026-06-02", ["Understood.", "Billing 0 stays", "Never deploy"]),
        ("?layer=&state=", ["Billing 0 stays", "Never deploy"]),
    ],
)
def test_rows_are_chosen_by_layer_state_text_and_time(
    query: str, shown: list[str], signed_in: Client, page: str
) -> None:
    found = cards(signed_in, page + query)
    assert [text[: len(wanted)] for text, wanted in zip(found, shown, strict=True)] == shown


@pytest.mark.parametrize("query", ["?layer=L9", "?since=soon", "?before=x", "?after=99999999999999999999"])
def test_what_cannot_be_asked_breaks_nothing(query: str, signed_in: Client, page: str) -> None:
    assert signed_in.get(page + query).status_code == 200


def test_long_lists_go_on_in_both_directions(
    signed_in: Client, entity: Entity, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "PAGE_SIZE", 2)
    for number in range(5):
        make_message(entity, f"word {number}", session="more")
    path, seen = f"{page}?layer=L0&text=word", []
    while True:
        content = text_of(signed_in, path)
        seen.append(re.findall(r'class="said">(word \d)<', content))
        older = re.search(r'href="([^"]+)" rel="next"', content)
        if older is None:
            break
        path = page + older[1].replace("&amp;", "&")
    assert seen == [["word 4", "word 3"], ["word 2", "word 1"], ["word 0"]]
    newer = re.search(r'href="([^"]+)" rel="prev"', content)
    assert newer is not None
    back = text_of(signed_in, page + newer[1].replace("&amp;", "&"))
    assert re.findall(r'class="said">(word \d)<', back) == ["word 2", "word 1"]


def parked(entity: Entity) -> Message:
    run = make_run(entity, status="failed", error_kind="unreadable", error_text="<b>no JSON</b>")
    return make_message(
        entity, "poison", consumed_by_id=None, parked_at=datetime.now(UTC), parked_by_id=run.pk
    )


def test_failures_wait_for_an_operator(client: Client, entity: Entity, page: str) -> None:
    poison = parked(entity)
    client.force_login(member(entity, "reviewer"))
    content = text_of(client, page)
    assert "&lt;b&gt;no JSON&lt;/b&gt;" in content
    assert "Try again" not in content
    given = {"step": "l1_extract", "run": poison.parked_by_id}
    assert client.post(f"{page}retry/", given).status_code == 404
    client.force_login(member(entity, "operator"))
    assert "Try again" in text_of(client, page)
    assert client.post(f"{page}retry/", given)["Location"] == page
    poison.refresh_from_db()
    assert poison.parked_at is None
    assert Work.objects.get(entity=entity, step="l1_extract").due_at is not None
    assert client.post(f"{page}retry/", {"step": "dance", "run": "1"}).status_code == 404


def test_what_stands_in_the_way_is_said(signed_in: Client, entity: Entity, page: str) -> None:
    Process.objects.all().delete()
    Entity.objects.filter(pk=entity.pk).update(paused_steps=["persona"])
    content = text_of(signed_in, page)
    assert "No worker is running here." in content
    assert re.search(r'rung-paused l3">.*?paused by an operator', content, re.S)
    assert 'Paused: <span class="state">persona</span>' in content


@pytest.mark.parametrize(
    ("role", "is_staff", "doors"),
    [
        ("viewer", True, ["See it in the admin"]),
        ("operator", True, ["Pause or resume steps", "See it in the admin"]),
        ("operator", False, []),
    ],
)
def test_ways_into_the_admin_follow_the_role(
    role: str, is_staff: bool, doors: list[str], client: Client, entity: Entity, page: str
) -> None:
    client.force_login(member(entity, role, is_staff=is_staff))
    found = re.findall(r'<a href="(/admin/[^"]+)">([^<]+)</a>', text_of(client, page).split("<aside")[1])
    assert [label for _, label in found] == doors
    assert [client.get(url).status_code for url, _ in found] == [200] * len(doors)


def test_no_page_holds_or_asks_for_a_key(signed_in: Client, entity: Entity, page: str) -> None:
    issued = create_key(workspace=entity.workspace, label="agent")
    for path in (LIVE, SIGN_IN, page, f"{page}now/", f"{page}?layer=L2", f"{page}persona/"):
        response = signed_in.get(path)
        told = response.content.decode() + str(response.headers) + str(response.cookies)
        assert "msk_" not in told
        assert issued.token not in told
        assert issued.key.digest not in told
        assert not re.search(r'name="[^"]*(key|token)"', told.replace('name="csrfmiddlewaretoken"', ""))


def test_the_part_that_follows_is_sent_when_something_happened(
    signed_in: Client, entity: Entity, page: str
) -> None:
    first = signed_in.get(f"{page}now/?layer=L0")
    known = {"If-None-Match": first["ETag"]}
    assert signed_in.get(f"{page}now/?layer=L0", headers=known).status_code == 304
    make_message(entity, "One more.")
    later = signed_in.get(f"{page}now/?layer=L0", headers=known)
    assert (later.status_code, "One more." in later.content.decode()) == (200, True)


@pytest.mark.parametrize("layer", ["L0", "L1", "L2", "L3"])
def test_few_statements_at_any_size(layer: str, signed_in: Client, entity: Entity, page: str) -> None:
    parked(entity)

    def grow() -> None:
        for number in range(1, 9):
            with transaction.atomic():
                tell(entity, number=number)
            parked(entity)

    assert_few_statements(signed_in, f"{page}?layer={layer}&state=all&text=i", grow)
    assert statements(signed_in, LIVE) <= 12


def test_a_superseded_claim_is_history(signed_in: Client, entity: Entity, page: str) -> None:
    with transaction.atomic():
        old = make_atom(entity, "The locker is 12.", [make_message(entity, "The locker is 12.")])
    Atom.objects.filter(pk=old.pk).update(status="retracted")
    assert cards(signed_in, f"{page}?state=history") == ["The locker is 12."]
    assert '<span class="state">retracted</span>' in text_of(signed_in, f"{page}?state=history")


@pytest.mark.parametrize("query", ["?until=9999-12-31", "?since=0001-01-01", "?layer=L0&until=9999-12-31"])
def test_days_at_the_ends_of_the_calendar_are_a_mistake_of_the_form(
    query: str, signed_in: Client, page: str
) -> None:
    for path in ("", "now/"):
        response = signed_in.get(f"{page}{path}{query}")
        assert response.status_code == 200
    assert "No memory reaches that far." in text_of(signed_in, f"{page}{query}")


def test_a_memory_without_words_says_what_to_do_next(signed_in: Client, entity: Entity) -> None:
    empty = make_entity("agent.new", workspace=entity.workspace)
    ensure_work(empty)
    content = text_of(signed_in, f"{LIVE}{empty.pk}/")
    assert "Nobody has said anything here yet" in content
    assert "Nothing like that is here" not in content
