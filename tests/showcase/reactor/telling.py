"""Words for the reactor, and what a page of it says."""

import re
from collections.abc import Sequence

from django.test import Client

from memory.cascade.engine import settle_entity
from memory.ingest.messages import append_messages
from memory.models import Entity
from memory.walkthrough.incoming import incoming_messages
from memory.walkthrough.story import story
from tests.cascade.story import say

REACTOR = "/showcase/agent-memory/reactor/"


def tell_session(entity: Entity, place: int) -> None:
    """Say a session of the tour and have the cascade settle."""
    append_messages(entity=entity, messages=incoming_messages(story()[place]))
    settle_entity(entity)


def say_and_settle(entity: Entity, session: str, texts: Sequence[str]) -> None:
    """The same with words of one's own."""
    say(entity, *texts, session=session)
    settle_entity(entity)


def page_of(client: Client, slug: str) -> str:
    response = client.get(f"{REACTOR}{slug}/" if slug else REACTOR)
    assert response.status_code == 200
    return response.content.decode()


def plain(markup: str) -> str:
    """Text without markup, in one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())


def headline(markup: str) -> str:
    found = re.search(r'id="stage-title"[^>]*>(.*?)</h2>', markup, re.DOTALL)
    assert found
    return plain(found[1])


def counts(markup: str) -> list[int]:
    """How much stood on each layer, from the words up."""
    return [int(count) for count in re.findall(r'<b>(\d+)</b> <span class="counter-label">', markup)]


def stages(markup: str) -> list[str]:
    """The stages of the list, by address."""
    return re.findall(rf'class="jump[^"]*" href="{REACTOR}([^/"]+)/"', markup)
