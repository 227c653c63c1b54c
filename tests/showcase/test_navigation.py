"""The bar."""

import re

from django.test import Client
from django.urls import reverse

from showcase.navigation import DESTINATIONS, items


def test_the_longest_address_that_holds_the_page_is_where_we_are() -> None:
    assert [item.label for item in items("/showcase/agent-memory/atoms/1/") if item.is_here] == ["Overview"]
    assert [item.label for item in items("/") if item.is_here] == []


def test_every_destination_is_on_the_list_of_pages(client: Client, db: None) -> None:
    content = client.get("/showcase/").content.decode()
    listed = re.findall(r'<a class="door" href="([^"]+)"', content)
    assert listed == [reverse(destination.name) for destination in DESTINATIONS]
