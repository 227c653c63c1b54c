"""The pages as anybody gets them."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.models import Entity, Message, Process
from showcase import layers
from tests.factories import make_entity, make_message, make_pending_message, make_workspace
from tests.showcase.conftest import SECRET, tell

PAGES = ["/", "/showcase/agent-memory/"]


def statements(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


def text_of(client: Client, page: str) -> str:
    return client.get(page).content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_takes_the_same_few_statements_whatever_it_shows(
    page: str, alice: Entity, client: Client
) -> None:
    before = statements(client, page)
    for number in range(1, 6):
        tell(alice, number=number)
    assert Message.objects.for_entity(alice).count() == 18
    assert (statements(client, page), before <= 12) == (before, True)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_carries_nothing_inline_and_nothing_from_elsewhere(
    page: str, alice: Entity, client: Client
) -> None:
    response = client.get(page)
    content = response.content.decode()
    assert re.findall(r"<script|<style|\sstyle=|\son\w+=", content) == []
    assert re.findall(r'(?:href|src)="(?:https?:)?//', content) == []
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert "msk_" not in content


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_memory_says_what_to_do_next(page: str, bob: Entity, client: Client) -> None:
    assert "make demo" in text_of(client, page)


@pytest.mark.parametrize("page", PAGES)
def test_only_the_demonstration_is_shown(page: str, alice: Entity, bob: Entity, client: Client) -> None:
    content = text_of(client, page)
    assert "Billing 0" in content
    assert SECRET not in content


def test_the_landing_page_counts_each_layer_and_shows_its_first_lines(alice: Entity, client: Client) -> None:
    content = text_of(client, "/")
    assert re.findall(r"<b>(\d+)</b>", content) == ["3", "2", "1", "1"]
    for words in ("Understood.", "Never deploy Billing 0", "what stays, until when", "Ask before you act."):
        assert words in content


def test_every_receipt_leads_to_a_place_on_the_page(alice: Entity, client: Client) -> None:
    content = text_of(client, "/showcase/agent-memory/")
    followed = set(re.findall(r'href="#([^"]+)"', content))
    places = re.findall(r'\sid="([^"]+)"', content)
    assert len(places) == len(set(places))
    assert followed <= set(places)
    kinds = sorted(place.split("-")[0] for place in followed if "-" in place)
    assert kinds == ["atom", "atom", "line", "line", "message", "message"]


def test_words_keep_their_own_zone_and_are_escaped(client: Client, db: None) -> None:
    entity = make_entity("agent.alice-demo", workspace=make_workspace("demo"), time_zone="Asia/Tokyo")
    make_message(entity, "<b>1 & 2</b>")
    content = text_of(client, "/showcase/agent-memory/")
    assert "&lt;b&gt;1 &amp; 2&lt;/b&gt;" in content
    assert "2 Jun 2026, 18:00" in content


def test_a_long_memory_shows_its_latest_session_and_says_so(
    alice: Entity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers, "TRANSCRIPT_LIMIT", 2)
    content = text_of(client, "/showcase/agent-memory/")
    assert re.findall(r'class="session">(\w+)<', content) == ["second"]
    assert "There are 3 messages; the latest session is shown." in content


def test_what_waits_without_a_worker_is_said(alice: Entity, client: Client) -> None:
    Process.objects.all().delete()
    make_pending_message(alice, "And one more thing.")
    content = text_of(client, "/")
    assert "No worker is running here." in content
    assert "1 input is waiting to be worked on." in content


def test_the_entity_named_for_the_tour_comes_before_newer_ones(alice: Entity, client: Client) -> None:
    make_entity("conv-26", workspace=alice.workspace)
    make_entity("agent.alice-x1y2z3", workspace=alice.workspace)
    assert "agent.alice-demo" in text_of(client, "/")
    alice.delete()
    assert "agent.alice-x1y2z3" in text_of(client, "/")


def test_an_unknown_page_leads_back(client: Client, db: None) -> None:
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "There is no such page." in response.content.decode()


def test_the_index_leads_on_and_writing_is_refused(alice: Entity, client: Client) -> None:
    response = client.get("/showcase/")
    assert (response.status_code, response["Location"]) == (302, "/showcase/agent-memory/")
    assert [client.post(page).status_code for page in PAGES] == [405, 405]
