"""The hot ways through the memory, each with the statements that it sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.db import connection
from django.test import Client

from memory.cascade.engine import settle_entity
from memory.claims.promotion import PromotionWorker
from memory.indexing.step import index_entity
from memory.ingest.entities import ensure_entity
from memory.ingest.workspaces import create_workspace
from memory.llm.registry import offline_model
from memory.models import Session

NAME = "agent.alice"
TALK = (
    "Never deploy to production without my written approval.",
    "Ana lives in Turin and works on the billing service.",
    "The import job has to be ready on June 9.",
    "I prefer short answers.",
)
PLANNED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "(")
COMMENT = re.compile(r"^\s*--.*$|/\*.*?\*/", re.MULTILINE)
MANY = re.compile(r"%s(?:::\w+)?(?:, %s(?:::\w+)?)+")

Sent = tuple[str, Any]
"""A statement with places for values, and the values."""


def sent_through_doors() -> Mapping[str, list[Sent]]:
    """By door: one statement of every form that it sent."""
    client = Client(headers={"Authorization": f"Bearer {_made().token}"})
    return {name: list(_forms(sent_by(work))) for name, work in _doors(client).items()}


def _made() -> Any:
    created = create_workspace(name="doors")
    ensure_entity(workspace=created.workspace, name=NAME)
    return created


def _doors(client: Client) -> Mapping[str, Callable[[], object]]:
    """In this order: a later one reads what the earlier ones wrote."""
    return {
        "message": lambda: _post(client, "/records", _records("first", TALK[:1])),
        "batch": lambda: _post(client, "/records", _records("second", TALK)),
        "steps": lambda: settle_entity(_entity(), model=offline_model()),
        "promotion": lambda: PromotionWorker(_entity()).run_once(),
        "index": lambda: index_entity(entity_id=_entity().pk),
        "timeline": lambda: _get(client, "/timeline", entity=NAME, limit=100),
        "recall": lambda: _get(
            client, "/api/v1/recall", entity=NAME, query="When may the import job be deployed?"
        ),
        "context": lambda: _get(client, "/api/v1/context", entity=NAME, task="Deploy the import job."),
        "turn": lambda: _post(
            client, f"/api/v1/sessions/{_session().pk}/context", {"query": "the import job"}
        ),
    }


def _entity() -> Any:
    return Session.objects.select_related("entity__workspace").get(external_id="first").entity


def _session() -> Session:
    return Session.objects.get(external_id="second")


def _records(session: str, texts: tuple[str, ...]) -> dict[str, Any]:
    said = [{"session": session, "role": "user", "speaker": "Ana", "text": text} for text in texts]
    return {"entity": NAME, "messages": said}


def _post(client: Client, path: str, body: dict[str, Any]) -> None:
    reply = client.post(path, body, content_type="application/json")
    assert reply.status_code in (200, 201), reply.content


def _get(client: Client, path: str, **query: Any) -> None:
    reply = client.get(path, query)
    assert reply.status_code == 200, reply.content


def sent_by(work: Callable[[], object]) -> list[Sent]:
    """All statements of some work, with their values.

    Taken where they are sent: Django's log has no text of those whose values the server binds.
    """
    sent: list[Sent] = []

    def take(execute: Callable[..., Any], text: str, values: Any, many: bool, context: Any) -> Any:
        sent.append((str(text), values))
        return execute(text, values, many, context)

    with connection.execute_wrapper(take):
        work()
    return sent


def _forms(statements: list[Sent]) -> Iterator[Sent]:
    """Those that have a plan and name a table of the memory, the first of each form."""
    seen = set()
    for text, values in statements:
        form = MANY.sub("%s", text)
        if form not in seen and has_plan(text) and "memory_" in text:
            seen.add(form)
            yield text, values


def has_plan(text: str) -> bool:
    """Whether a statement reads or writes rows, rather than transactions and settings."""
    return COMMENT.sub("", text).lstrip().startswith(PLANNED)
