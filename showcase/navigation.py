"""The pages, in the order of the bar. A new page is one more row here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import reverse


@dataclass(frozen=True)
class Destination:
    """A page of the bar: its label, the name of its address, and what a visitor finds there."""

    label: str
    name: str
    about: str


DESTINATIONS = (
    Destination(
        "Overview", "showcase:agent_memory", "All four layers of one memory, every line with its receipts."
    ),
    Destination(
        "Reactor", "showcase:reactor", "How that memory came about, run by run, decision by decision."
    ),
    Destination(
        "Try it", "showcase:sandbox", "Say something yourself and watch a memory form. Erased after a day."
    ),
    Destination(
        "Recall", "showcase:composer", "What an agent is told before it acts, and why each row is in it."
    ),
    Destination("Graph", "showcase:graph", "What rests on what, from the words up to the persona."),
    Destination(
        "Skills", "showcase:skills", "How traces of tasks become a procedure that a person approved."
    ),
    Destination("Live", "showcase:live", "Your own agents' memories as they are made. Asks for a login."),
    Destination("API", "api-docs", "Every operation over HTTP, with examples and errors."),
    Destination("Admin", "admin:index", "Every table, for the people in charge. Asks for a login."),
)


@dataclass(frozen=True)
class Item:
    """A destination as a page shows it."""

    label: str
    url: str
    about: str
    is_here: bool


def items(path: str, destinations: Iterable[Destination] = DESTINATIONS) -> tuple[Item, ...]:
    """All destinations; the one with the longest address that the path lies under is where we are."""
    urls = {destination: reverse(destination.name) for destination in destinations}
    here = max((url for url in urls.values() if path.startswith(url)), key=len, default=None)
    return tuple(
        Item(destination.label, url, destination.about, is_here=url == here)
        for destination, url in urls.items()
    )
