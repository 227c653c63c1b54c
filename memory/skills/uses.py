"""Uses: what was handed to an agent once, bound to the bytes it got and to the versions of procedures in it.

Recall writes nothing; a door records a use afterwards, when it was asked to. Words are kept on request only:
without them a use holds ids, numbers and the SHA-256 that the text can be checked against. What the settings
take out of words is taken out of kept ones as well; then their SHA-256 is another one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.ingest.access import UnknownEntityError
from memory.ingest.redaction import redact, redact_json
from memory.models import Entity, Key, Procedure, ProcedureVersion, Session, Use
from memory.recall.compiling import Compiled
from memory.recall.compiling.chat import chat_bytes
from memory.recall.context import Context
from memory.recall.tokens import count_tokens
from memory.skills.versions import active_version, rendered
from memory.stewardship.actors import RefusedChangeError
from memory.transactions import durable_transaction

PROCEDURE_KIND = "procedure"
NOT_KEPT = ("problem",)
"""Keys of manifests whose values quote others."""


class NoUseError(LookupError):
    """The entity has no such use."""


class ExpiredUseError(LookupError):
    """The use is older than its workspace keeps uses."""


def record_use(
    *,
    entity: Entity,
    kind: str,
    sha256: str,
    tokens: int,
    manifest: Mapping[str, Any],
    procedure_versions: Iterable[UUID],
    records: Iterable[UUID],
    text: str = "",
    request: str = "",
    session: Session | None = None,
    key: Key | None = None,
) -> Use:
    """Store what was handed out; it expires after the workspace's days for uses.

    Text, request and manifest are stored as they are given, unless something of the entity was erased since
    `entity` was read: what was rendered before may hold the erased words. UnknownEntityError when the entity
    is gone.
    """
    with durable_transaction():
        held = Entity.objects.select_for_update(no_key=True).filter(pk=entity.pk).first()
        if held is None:
            raise UnknownEntityError(entity.name)
        keeps_words = held.erase_epoch == entity.erase_epoch
        return Use.objects.create(
            workspace_id=entity.workspace_id,
            entity=entity,
            kind=kind,
            sha256=sha256,
            tokens=tokens,
            manifest=_without_words(manifest) if keeps_words else {},
            procedure_versions=list(dict.fromkeys(procedure_versions)),
            records=list(dict.fromkeys(records)),
            text=text if keeps_words else "",
            request=request if keeps_words else "",
            session=session,
            key=key,
            expires_at=timezone.now() + timedelta(days=entity.workspace.use_days),
        )


def record_context(
    *, entity: Entity, context: Context, task: str, keeps_text: bool = False, key: Key | None = None
) -> Use:
    """Store that a context was handed out, with its words when that is wanted.

    RefusedChangeError where words of other entities would be kept: they could not be erased with them.
    """
    if keeps_text and context.manifest.get("shared"):
        raise RefusedChangeError("The context holds shared memory: words of others are not kept.")
    return record_use(
        entity=entity,
        kind=Use.Kind.CONTEXT,
        sha256=context.sha256,
        tokens=context.tokens,
        manifest=context.manifest,
        procedure_versions=_shown(context.manifest["blocks"], PROCEDURE_KIND),
        records=_shown(context.manifest["blocks"]),
        text=redact(context.text).text if keeps_text else "",
        request=redact(task).text if keeps_text else "",
        key=key,
    )


def record_compiled(
    *,
    session: Session,
    compiled: Compiled,
    query: str | None,
    keeps_text: bool = False,
    key: Key | None = None,
) -> Use:
    """Store that the messages of a turn were handed out; kept words are the messages as compact JSON."""
    return record_use(
        entity=session.entity,
        kind=Use.Kind.COMPILED,
        sha256=compiled.sha256,
        tokens=compiled.tokens,
        manifest=compiled.manifest,
        procedure_versions=_shown(compiled.manifest["parts"], PROCEDURE_KIND),
        records=_shown(compiled.manifest["parts"]),
        text=_told(compiled) if keeps_text else "",
        request=redact(query or "").text if keeps_text else "",
        session=session,
        key=key,
    )


def hand_out(
    *, procedure: Procedure, keeps_text: bool = False, key: Key | None = None
) -> tuple[ProcedureVersion, Use]:
    """The active version of a procedure, and the use that records it as the Markdown that `rendered` gives.

    RefusedChangeError when nothing of the procedure may be handed out.
    """
    version = active_version(procedure=procedure)
    if version is None or procedure.status != Procedure.Status.LIVE:
        raise RefusedChangeError("The procedure has no version that may be handed out.")
    text = rendered(version)
    tokens = count_tokens(text)
    use = record_use(
        entity=procedure.entity,
        kind=Use.Kind.PROCEDURE,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        tokens=tokens,
        manifest={"procedure": str(procedure.pk), "version": str(version.pk), "tokens": tokens},
        procedure_versions=[version.pk],
        records=[version.pk],
        text=text if keeps_text else "",
        key=key,
    )
    return version, use


def find_use(*, entity: Entity, use_id: UUID) -> Use:
    """The entity's use of this id; NoUseError when there is none, ExpiredUseError when its time is over."""
    found = Use.objects.for_entity(entity).filter(pk=use_id).first()
    if found is None:
        raise NoUseError(str(use_id))
    if found.expires_at <= timezone.now():
        raise ExpiredUseError(f"The use expired at {found.expires_at:%Y-%m-%d %H:%M} UTC.")
    return found


def _told(compiled: Compiled) -> str:
    """The messages as their SHA-256 is taken; the request in them may hold what a setting takes out."""
    messages, _ = redact_json([dict(message) for message in compiled.messages])
    return chat_bytes(messages).decode()


def _shown(blocks: Iterable[Mapping[str, Any]], kind: str | None = None) -> list[UUID]:
    """The ids of what blocks show, of one kind or of all."""
    rows = (row for block in blocks for row in block["shown"])
    return [UUID(row["id"]) for row in rows if row["id"] and kind in (None, row["kind"])]


def _without_words(value: Any) -> Any:
    """A manifest without what live sources said of themselves."""
    if isinstance(value, Mapping):
        return {name: _without_words(inner) for name, inner in value.items() if name not in NOT_KEPT}
    if isinstance(value, (list, tuple)):
        return [_without_words(inner) for inner in value]
    return value
