"""A visitor's sandbox: theirs alone, within limits, gone when they say so."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings as configured
from django.test import Client

from memory.cascade.engine import settle_entity
from memory.ingest.sandbox import open_sandbox, say
from memory.limiting import counters
from memory.models import Entity, Message, Process
from memory.models.tenancy import SANDBOX_WORKSPACE_ID
from showcase.access import SANDBOX_KEY
from showcase.sandbox.reading import EXAMPLES
from tests.showcase.conftest import SECRET
from tests.showcase.statements import assert_few_statements, statements

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/showcase/agent-memory/try/"
EVIL = "<script>alert(1)</script> \u202eevil <img src=x onerror=alert(1)>"


@pytest.fixture
def limited(settings: Any) -> Callable[..., None]:
    """`limited(messages=2)`: the settings with other limits of the sandbox."""

    def limit(**limits: Any) -> None:
        settings.MEMSEEK = replace(settings.MEMSEEK, sandbox=replace(settings.MEMSEEK.sandbox, **limits))

    return limit


@pytest.fixture(autouse=True)
def no_rates(limited: Callable[..., None]) -> None:
    """All tests come from one address."""
    limited(new_an_hour=0, said_a_minute=0)


def tell(client: Client, *texts: str) -> Entity:
    for text in texts:
        assert client.post(f"{PAGE}say/", {"text": text}).status_code == 302
    return Entity.objects.get(pk=client.session[SANDBOX_KEY])


def text_of(client: Client, path: str = PAGE) -> str:
    return client.get(path).content.decode()


def test_a_look_makes_nothing(client: Client) -> None:
    assert "Remember this" in text_of(client)
    assert not Entity.objects.exists()
    assert "sessionid" not in client.cookies


def test_words_climb_to_traits_and_lead_to_records(client: Client) -> None:
    entity = tell(client, *EXAMPLES)
    settle_entity(entity)
    content = text_of(client)
    assert re.findall(r'class="rung rung-(\w+) (l\d)', content) == [
        ("resting", f"l{number}") for number in range(4)
    ]
    assert 'id="trait-' in content
    record = re.search(r'href="(/showcase/agent-memory/try/atoms/[^"]+)"', content)
    assert record is not None
    assert client.get(record[1]).status_code == 200
    assert Client().get(record[1]).status_code == 404


def test_what_waits_and_why_is_said(client: Client) -> None:
    entity = tell(client, "I live in Oslo.")
    Process.objects.all().delete()
    content = text_of(client)
    assert "1 waiting to become claims" in content
    assert "No worker is running here." in content
    settle_entity(entity)
    say(entity=entity, text="ok")
    settle_entity(entity)
    assert re.search(r'rung-resting l1">.*?rung-said"><bdi class="said">([^<]+)<', text_of(client), re.S)


def test_two_visitors_never_see_each_other_nor_any_workspace(
    client: Client, alice: Entity, bob: Entity
) -> None:
    other = Client()
    mine = tell(client, "My word is heron.")
    theirs = tell(other, "My word is walrus.")
    assert mine != theirs
    for entity in (mine, theirs):
        settle_entity(entity)
    paths = [PAGE, f"{PAGE}now/", f"{PAGE}persona/", f"{PAGE}composer/?task=word"]
    for visitor, own, foreign in ((client, "heron", "walrus"), (other, "walrus", "heron")):
        shown = "".join(text_of(visitor, path) for path in paths)
        assert (own in shown, foreign in shown, SECRET in shown, "Billing" in shown) == (
            True, False, False, False,
        )  # fmt: skip
    message = Message.objects.for_entity(theirs).get()
    for path in (f"messages/{message.pk}/", f"traces/{message.pk}/"):
        assert client.get(PAGE + path).status_code == 404
    for entity in (theirs, alice, bob):
        assert client.get(f"/showcase/agent-memory/live/{entity.pk}/").status_code == 302
        assert client.get(f"/showcase/agent-memory/live/{entity.pk}/persona/").status_code == 302


def test_a_stranger_without_a_sandbox_finds_none(client: Client) -> None:
    open_sandbox()
    assert client.get(f"{PAGE}now/").status_code == 404
    for action in ("finish", "leave"):
        assert client.post(f"{PAGE}{action}/").status_code == 404


def test_the_cookie_names_a_session_and_a_planted_one_leads_nowhere(client: Client) -> None:
    planted = Client()
    planted.session["nothing"] = 1
    client.cookies["sessionid"] = planted.session.session_key or "planted-by-somebody"
    before = client.cookies["sessionid"].value
    tell(client, "My word is heron.")
    cookie = client.cookies["sessionid"]
    assert cookie.value != before
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert str(Entity.objects.get().pk) not in str(client.cookies)
    attacker = Client()
    attacker.cookies["sessionid"] = before
    assert "heron" not in text_of(attacker)


def test_it_is_thrown_away_at_once(client: Client) -> None:
    settle_entity(tell(client, "My word is heron."))
    old = client.cookies["sessionid"].value
    response = client.post(f"{PAGE}leave/", follow=True)
    assert "Erased: your words" in response.content.decode()
    assert not Entity.objects.exists()
    assert SANDBOX_KEY not in client.session
    assert client.cookies["sessionid"].value != old


def test_after_its_day_nobody_finds_it_even_before_it_is_erased(client: Client) -> None:
    entity = tell(client, "My word is heron.")
    Entity.objects.filter(pk=entity.pk).update(created_at="2026-01-01T00:00:00Z")
    assert "heron" not in text_of(client)
    assert client.get(f"{PAGE}now/").status_code == 404


def test_switched_off_nothing_is_taken(client: Client, limited: Callable[..., None]) -> None:
    tell(client, "My word is heron.")
    limited(is_on=False)
    assert "switched off here" in text_of(client)
    assert client.post(f"{PAGE}say/", {"text": "One more."}).status_code == 404
    assert client.get(f"{PAGE}persona/").status_code == 404
    assert Message.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("", 400, "This field is required."),
        (" \u200b\n", 400, "Nobody can see these characters"),
        ("x" * 6, 400, "That is 6 characters, 5 are taken."),
        ("a\x00b", 400, "Null characters are not allowed."),
    ],
)
def test_what_is_not_taken_is_said_and_kept_in_the_form(
    text: str, status: int, said: str, client: Client, limited: Callable[..., None]
) -> None:
    limited(characters=5)
    response = client.post(f"{PAGE}say/", {"text": text})
    assert response.status_code == status
    assert said in response.content.decode()
    assert not Entity.objects.exists()


def test_a_full_sandbox_says_so(client: Client, limited: Callable[..., None]) -> None:
    limited(messages=1)
    tell(client, "one")
    response = client.post(f"{PAGE}say/", {"text": "two"})
    assert (response.status_code, "holds 1 messages" in response.content.decode()) == (409, True)


@pytest.mark.parametrize("limits", [{"said_a_minute": 2}, {"new_an_hour": 1}])
def test_an_address_is_slowed_down(
    limits: dict[str, int], limited: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(**limits)
    local = counters.LocalCounters()
    monkeypatch.setattr("memory.limiting.rates.counters", lambda: local)
    responses = [Client().post(f"{PAGE}say/", {"text": "Hello there."}) for _ in range(3)]
    taken = next(iter(limits.values()))
    assert [response.status_code for response in responses] == [302] * taken + [429] * (3 - taken)
    assert int(responses[-1]["Retry-After"]) >= 1
    said = {
        "said_a_minute": "Too much at once from your address. Send it again in",
        "new_an_hour": "as many sandboxes as it may in an hour. Send it again in about an hour.",
    }
    assert said[next(iter(limits))] in responses[-1].content.decode()
    assert Entity.objects.count() == taken


def test_posts_need_their_token() -> None:
    strict = Client(enforce_csrf_checks=True)
    for action in ("say", "finish", "leave"):
        assert strict.post(f"{PAGE}{action}/", {"text": "Hello."}).status_code == 403


def test_words_are_shown_as_text(client: Client) -> None:
    settle_entity(tell(client, EVIL))
    content = text_of(client)
    assert "<script>alert" not in content
    assert "<img" not in content.split("<main")[1]
    assert "\u202e" not in content
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in content


def test_a_page_that_knows_the_newest_is_told_so(client: Client) -> None:
    entity = tell(client, "My word is heron.")
    first = client.get(f"{PAGE}now/")
    again = client.get(f"{PAGE}now/", headers={"If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    settle_entity(entity)
    later = client.get(f"{PAGE}now/", headers={"If-None-Match": first["ETag"]})
    assert (later.status_code, later["ETag"] != first["ETag"]) == (200, True)
    assert "no-store" in first["Cache-Control"]


def test_few_statements_at_any_size(client: Client, limited: Callable[..., None]) -> None:
    entity = tell(client, *EXAMPLES)
    settle_entity(entity)

    def grow() -> None:
        for number in range(12):
            say(entity=entity, text=f"Rule {number}: never touch cabinet {number} before {number + 3} May.")
        settle_entity(entity)

    assert_few_statements(client, PAGE, grow)
    assert statements(client, f"{PAGE}now/") <= 12


def test_the_sandbox_is_a_workspace_that_no_key_and_no_member_opens(client: Client) -> None:
    entity = tell(client, "My word is heron.")
    assert entity.workspace_id == SANDBOX_WORKSPACE_ID
    assert not entity.workspace.keys.exists()
    assert not entity.workspace.members.exists()
    assert configured.MEMSEEK.sandbox.is_on


def test_the_limit_is_said_and_what_is_too_long_comes_back_whole(
    client: Client, limited: Callable[..., None]
) -> None:
    limited(characters=1_000)
    content = text_of(client, PAGE)
    assert "Up to 1,000 characters." in content
    assert "data-most=" in content
    assert "maxlength" not in content
    text = "long " * 13_000
    response = client.post(f"{PAGE}say/", {"text": text})
    assert (response.status_code, text in response.content.decode()) == (400, True)
    assert "That is 65,000 characters, 1,000 are taken." in response.content.decode()


def test_a_form_without_its_token_is_refused_on_a_page_of_the_site() -> None:
    response = Client(enforce_csrf_checks=True).post(f"{PAGE}say/", {"text": "Hello."})
    assert (response.status_code, "This form was not sent." in response.content.decode()) == (403, True)


def test_a_request_that_is_too_large_is_refused_on_a_page_of_the_site(client: Client, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    response = client.post(f"{PAGE}say/", {"text": "long " * 100})
    assert (response.status_code, "This request cannot be read." in response.content.decode()) == (400, True)
    assert response.content.decode().count('class="bar-name"') == 1
