"""The tables of docs/api.md, made from the document."""

from __future__ import annotations

from collections.abc import Iterator

from memory.api.operations.document import openapi_document
from memory.api.operations.failures import FAILURES
from memory.api.operations.listing import ListedGroup, listed_groups


def error_table() -> str:
    """Every status that means an error, with its codes."""
    rows = [
        f"| {status} | {', '.join(f'`{code}`' for code in failure.codes)} | {failure.when} |"
        for status, failure in sorted(FAILURES.items())
    ]
    return "\n".join(["| Status | `error` | When |", "| --- | --- | --- |", *rows])


def address_tables() -> str:
    """Every operation, heading by heading."""
    groups = listed_groups(openapi_document())
    return "\n\n".join("\n".join(_lines(group)) for group in groups)


def _lines(group: ListedGroup) -> Iterator[str]:
    yield f"### {group.name}"
    yield ""
    yield group.about
    yield ""
    yield "| Operation | What it does | Scope |"
    yield "| --- | --- | --- |"
    for listed in group.operations:
        yield f"| `{listed.method} {listed.path}` | {listed.summary} | {listed.scope or 'no key'} |"
