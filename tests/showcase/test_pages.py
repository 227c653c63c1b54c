"""The pages as anybody gets them."""

import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.test import Client, RequestFactory
from django.views.defaults import server_error

from memory.fixed_queries import FixedQuery
from memory.models import Entity, Message, Process
from showcase import layers
from tests.factories import make_entity, make_message, make_pending_message, make_workspace
from tests.showcase.conftest import SECRET, tell
from tests.showcase.statements import assert_few_statements

PAGES = ["/", "/showcase/agent-memory/"]


def text_of(client: Client, page: str) -> str:
    return client.get(page).content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_takes_the_same_few_statements_whatever_it_shows(
    page: str, alice: Entity, client: Client
) -> None:
    def grow() -> None:
        for number in range(1, 6):
            tell(alice, number=number)

    assert_few_statements(client, page, grow)
    assert Message.objects.for_entity(alice).count() == 18


@pytest.mark.parametrize("page", PAGES)
def test_a_page_carries_nothing_inline_and_nothing_from_elsewhere(
    page: str, alice: Entity, client: Client
) -> None:
    response = client.get(page)
    content = response.content.decode()
    assert re.findall(r"<script(?! type=\"module\" src=\"/static/)|<style|\sstyle=|\son\w+=", content) == []
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


def test_the_landing_page_counts_each_layer_and_follows_one_thread(alice: Entity, client: Client) -> None:
    content = text_of(client, "/")
    assert re.findall(r'</span><b>(\d+)</b> <span class="counter-label">(\w+)', content) == [
        ("3", "messages"),
        ("2", "atoms"),
        ("1", "scenes"),
        ("1", "traits"),
    ]
    assert re.findall(r'<article class="card (l\d)', content) == ["l0", "l1", "l2", "l3"]
    assert "Ask before you act." in content


def test_every_receipt_leads_to_a_place_on_the_page(alice: Entity, client: Client) -> None:
    content = text_of(client, "/showcase/agent-memory/")
    followed = set(re.findall(r'class="chip[^"]*" href="#([^"]+)"', content))
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


def test_a_long_memory_is_cut_and_says_so(
    alice: Entity, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in (("MESSAGES_LIMIT", 2), ("ATOMS_LIMIT", 1), ("LINES_LIMIT", 1)):
        monkeypatch.setattr(layers, name, limit)
    # The queries have been put together with the usual limits.
    for name, read in (("LATEST", layers.latest), ("WEIGHTIEST", layers.weightiest)):
        monkeypatch.setattr(layers, name, FixedQuery(read, workspace=UUID, entity=UUID))
    content = text_of(client, "/showcase/agent-memory/")
    assert re.findall(r'class="session"><bdi class="said">(\w+)<', content) == ["second"]
    assert "The latest 2 of 3 are shown." in content
    assert "The 1 weightiest of 2 are shown." in content
    assert "Prohibitions and Failure Modes" not in content
    assert "what stays, until when" in content


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


def test_writing_is_refused(alice: Entity, client: Client) -> None:
    assert [client.post(page).status_code for page in [*PAGES, "/showcase/"]] == [405, 405, 405]


def test_a_broken_page_needs_no_request(client: Client, db: None) -> None:
    content = server_error(RequestFactory().get("/")).content.decode()
    assert "Something broke on our side." in content
    assert "csrf" not in content


def test_the_landing_page_leads_to_the_sandbox_where_there_are_any(
    alice: Entity, client: Client, settings: Any
) -> None:
    for is_on in (True, False):
        sandbox = replace(settings.MEMSEEK.sandbox, is_on=is_on)
        settings.MEMSEEK = replace(settings.MEMSEEK, sandbox=sandbox)
        lead = text_of(client, "/").split('class="actions"')[1].split("</p>")[0]
        assert ("Try it yourself" in lead) is is_on
