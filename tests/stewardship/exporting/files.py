"""Exports for tests: a memory told by the tour's story, its file, and a place where nothing is."""

from __future__ import annotations

import hashlib
import json
from io import BytesIO
from typing import Any

from django.db import connection

from memory.cascade.engine import settle_entity
from memory.indexing.step import index_entity
from memory.ingest.messages import append_messages
from memory.ingest.sessions import end_session
from memory.llm.offline import OfflineModel
from memory.models import Entity, Session
from memory.stewardship.exporting import open_export
from memory.walkthrough.incoming import incoming_messages
from memory.walkthrough.story import story
from tests.cascade.story import an_entity


def told_story(name: str = "agent.alice") -> Entity:
    """The tour's sessions through the cascade with the offline model, digests included."""
    entity = an_entity(name)
    for session in story():
        append_messages(entity=entity, messages=incoming_messages(session))
        Session.objects.for_entity(entity).update(takes_turns=True)
        end_session(Session.objects.for_entity(entity).get(external_id=session.external_id))
        settle_entity(entity, model=OfflineModel())
    return entity


def indexed(entity: Entity) -> Entity:
    """The same, once nothing waits for promotion or for the index."""
    settle_entity(entity, model=OfflineModel())
    index_entity(entity_id=entity.pk)
    return entity


def exported(entity: Entity) -> bytes:
    """The whole file."""
    with open_export(entity=entity) as export:
        return b"".join(export.chunks())


def empty_the_place() -> None:
    """Take every workspace with all that is in it."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE memory_workspace CASCADE")


def rows_of(file: bytes, kind: str) -> list[dict[str, Any]]:
    """The rows of one kind as the file has them."""
    rows = [json.loads(line) for line in file.splitlines()[1:]]
    return [row for row in rows if row["row"] == kind]


def rewritten(file: bytes, kind: str, change: dict[str, Any], *, place: int = 0) -> BytesIO:
    """The file with one row changed and all hashes made anew: well-formed, but other than it was."""
    manifest, *lines = (json.loads(line) for line in file.splitlines())
    row = [line for line in lines if line["row"] == kind][place]
    row |= change
    told = [(line["row"], _line(line)) for line in lines]
    for found in manifest["kinds"]:
        own = [text for name, text in told if name == found["kind"]]
        found["sha256"] = hashlib.sha256(b"".join(own)).hexdigest()
    manifest["sha256"] = hashlib.sha256(b"".join(text for _, text in told)).hexdigest()
    return BytesIO(_line(manifest) + b"".join(text for _, text in told))


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
