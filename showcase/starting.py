"""What the first pages say about starting, about an empty memory, and about how much is there."""

from __future__ import annotations

from showcase.demonstration import Standing
from showcase.parts import Code, Counter, Empty, Layer

START = Code(
    "make demo    # play a tour, serve it\nmake agent   # an agent that remembers",
    "Two commands",
    wraps=True,
)
EMPTY = Empty(
    "Nothing has been said yet",
    "The demonstration's workspace is empty. Fill it with the scripted tour, two short sessions that climb "
    "through all four layers. Where the site runs already, manage.py walkthrough does the same and then lets "
    "you speak.",
    command="make demo",
)


def counters(standing: Standing, overview: str = "") -> tuple[Counter, ...]:
    """How much stands on each layer, from the words up; each leads to its layer of an overview page."""
    superseded = standing.atoms_superseded
    versions = standing.scene_versions
    rows: tuple[tuple[str, int, Layer, str, str], ...] = (
        ("messages", standing.messages, "L0", "word for word", "words"),
        ("atoms", standing.atoms, "L1", f"{superseded} superseded" if superseded else "live", "atoms"),
        ("scenes", standing.scenes, "L2", f"{versions} version{'' if versions == 1 else 's'}", "scenes"),
        ("traits", standing.traits, "L3", "one per slot", "persona"),
    )
    return tuple(
        Counter(label, count, layer, note, f"{overview}#{place}") for label, count, layer, note, place in rows
    )
