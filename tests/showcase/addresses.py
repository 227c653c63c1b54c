"""Every address of the pages, from the table of addresses: a new page is among them by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import URLPattern, URLResolver, reverse

from showcase import urls

ASKED = {"composer": "?task=Deploy+the+ledger+tonight"}
"""What shows something only when it is asked."""


@dataclass(frozen=True)
class Rows:
    """A memory and a record of each kind that has a page."""

    entity: UUID
    message: UUID
    atom: UUID
    scene: UUID


def routes(
    patterns: Sequence[Any] = urls.urlpatterns, namespace: str = "showcase"
) -> Iterator[tuple[str, set[str]]]:
    """The full name of every address with the names of its parameters."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{namespace}:{pattern.name}", set(pattern.pattern.converters)
        elif isinstance(pattern, URLResolver):
            own = set(pattern.pattern.converters)
            inner = f"{namespace}:{pattern.namespace}" if pattern.namespace else namespace
            yield from ((name, own | found) for name, found in routes(pattern.url_patterns, inner))


def addresses(demo: Rows, sandbox: Rows, *, procedure: UUID, stage: str) -> Mapping[str, str]:
    """An address by the name of every route, of rows that are there; the live view looks at the demo's."""
    found = {}
    for name, parameters in routes():
        page = name.rpartition(":")[2]
        rows = sandbox if name.startswith("showcase:sandbox:") else demo
        records = {"atom": rows.atom, "message": rows.message, "skill": procedure, "live_change": rows.atom}
        values = {
            "entity_id": rows.entity,
            "number": 1,
            "slug": stage,
            "table": "atom",
            "name": "retract",
            "id": records.get(page, rows.scene),
        }
        asked = ASKED.get(page.rpartition("_")[2], "")
        found[name] = reverse(name, kwargs={each: values[each] for each in parameters}) + asked
    return found
