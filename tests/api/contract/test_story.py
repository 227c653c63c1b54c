"""Every operation answers as the document says; the exchanges are its examples."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from typing import Any

import pytest

from memory.api.operations.document import openapi_document
from memory.api.operations.examples import FOLDER
from memory.models import Workspace
from tests.api.contract.story import Exchange, Story

SHOWN = 2
"""Items of a list in an example."""
LONGEST_TEXT = 700
"""Of a text in an example; the rest of it is left out."""
SECRET_SHOWN = 8
SECRETS = frozenset({"token", "url"})
SECRET = re.compile(r"[^/]{20,}")
UNSHOWN = {"getOpenapiJson"}
UNPLAYED = {"getEvents"}
"""A stream without an end: `tests/events` reads it, and its example is written by hand."""


@pytest.mark.django_db(transaction=True)
def test_every_operation_has_a_part_in_the_story() -> None:
    exchanges = Story(Workspace.objects.create(name="northwind")).tell()
    documented = {
        operation["operationId"]
        for operations in openapi_document()["paths"].values()
        for operation in operations.values()
    }
    if os.environ.get("API_EXAMPLES") == "write":
        write_examples(exchanges)
    assert documented - {exchange.operation for exchange in exchanges} == UNPLAYED


def write_examples(exchanges: list[Exchange]) -> None:
    """The first exchange of each operation, one file for each heading."""
    groups = {
        operation["operationId"]: operation["tags"][0]
        for operations in openapi_document()["paths"].values()
        for operation in operations.values()
    }
    files: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for exchange in exchanges:
        if exchange.operation not in UNSHOWN:
            files[groups[exchange.operation]].setdefault(exchange.operation, example_of(exchange))
    for name, told in files.items():
        text = json.dumps(dict(sorted(told.items())), indent=1, ensure_ascii=False)
        (FOLDER / f"{name.lower()}.json").write_text(text + "\n", encoding="utf-8")


def example_of(exchange: Exchange) -> dict[str, Any]:
    """What the document shows of an exchange."""
    return {
        "status": exchange.status,
        "parameters": exchange.parameters,
        "body": shortened(exchange.body),
        "response": shortened(exchange.response),
    }


def shortened(value: Any) -> Any:
    """The same with the beginnings of its lists and texts."""
    if isinstance(value, dict):
        return {name: secret(part) if name in SECRETS else shortened(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shortened(part) for part in value[:SHOWN]]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}…"
    return value


def secret(value: str | None) -> str | None:
    """The beginning of what opens something, by itself or in an address."""
    return value and SECRET.sub(lambda found: f"{found[0][:SECRET_SHOWN]}…", value)
