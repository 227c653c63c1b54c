"""The operations of the document as short lists: for the page, and for readers of docs/api.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory.api.operations.groups import GROUPS


@dataclass(frozen=True, slots=True)
class ListedOperation:
    """One line about an operation."""

    method: str
    path: str
    summary: str
    scope: str
    """What a key needs; empty for an operation without a key."""


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """The operations under one heading, by their addresses."""

    name: str
    about: str
    operations: tuple[ListedOperation, ...]


def listed_groups(document: dict[str, Any]) -> tuple[ListedGroup, ...]:
    """Every operation of a document once."""
    found: dict[str, list[ListedOperation]] = {name: [] for name in GROUPS}
    for path, operations in sorted(document["paths"].items()):
        for method, told in operations.items():
            listed = ListedOperation(method.upper(), path, told["summary"], told.get("x-scope", ""))
            found[told["tags"][0]].append(listed)
    return tuple(ListedGroup(name, GROUPS[name], tuple(listed)) for name, listed in found.items() if listed)
