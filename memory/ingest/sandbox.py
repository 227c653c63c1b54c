"""Words of strangers: each visitor of the pages has a memory of their own in a workspace apart."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from memory.cascade.work import flush
from memory.ingest.entities import ensure_entity
from memory.ingest.incoming import read_messages
from memory.ingest.messages import Appended, append_messages
from memory.ingest.problems import refused
from memory.models import Entity, Session, Step, Workspace
from memory.models.tenancy import SANDBOX_WORKSPACE_ID

NAMES = ("sandbox", "sandbox of visitors")
"""The second one where somebody has a workspace of the first already."""
SESSION = "visit"
SPEAKER = "Visitor"
NAME_BYTES = 8
WITHOUT = (Step.COMPACTION, Step.PROMOTION, Step.SKILL_EXTRACT)
"""No graph and no procedures of strangers: only the ladder."""


class SandboxFullError(Exception):
    """No more is taken: the text says of what, fit for people."""


def sandboxes() -> QuerySet[Entity]:
    """Visitors' memories that still stand for their visitors."""
    since = Now() - timedelta(hours=settings.MEMSEEK.sandbox.hours)
    return Entity.objects.for_workspace(SANDBOX_WORKSPACE_ID).filter(created_at__gt=since)


def open_sandbox() -> Entity:
    """A new, empty memory under a name that nobody can guess; SandboxFullError when there are too many."""
    workspace = _workspace()
    if Entity.objects.for_workspace(workspace.pk).count() >= settings.MEMSEEK.sandbox.most:
        raise SandboxFullError("Too many visitors have a memory here just now. Come again later.")
    with transaction.atomic():
        entity = ensure_entity(workspace=workspace, name=f"visitor-{secrets.token_hex(NAME_BYTES)}")
        entity.paused_steps = sorted(WITHOUT)
        entity.save(update_fields=["paused_steps"])
    return entity


def say(*, entity: Entity, text: str) -> Appended:
    """Store the next words of a visitor.

    SandboxFullError when a sandbox holds all it may; IngestError for what cannot be stored, also when another
    window of the same visitor was faster.
    """
    limits = settings.MEMSEEK.sandbox
    if len(text) > limits.characters:
        raise refused("text", f"has {len(text)} characters, {limits.characters} are taken")
    ordinal = _next_ordinal(entity)
    if ordinal >= limits.messages:
        raise SandboxFullError(f"This sandbox holds {limits.messages} messages, which is all it takes.")
    # The place is named, so that however many arrive at once no more are stored than may be.
    said = {"session": SESSION, "role": "user", "speaker": SPEAKER, "text": text, "ordinal": ordinal}
    return append_messages(entity=entity, messages=read_messages([said]))


def end_of_talk(entity: Entity) -> None:
    """Have all that was said worked on at once: nothing more is to come."""
    flush(entity)


def _next_ordinal(entity: Entity) -> int:
    found = Session.objects.for_entity(entity).filter(external_id=SESSION)
    return found.values_list("next_ordinal", flat=True).first() or 0


def _workspace() -> Workspace:
    """The workspace apart, with the cap of the settings."""
    budget = settings.MEMSEEK.sandbox.daily_tokens
    for name in NAMES:
        made = Workspace(pk=SANDBOX_WORKSPACE_ID, name=name, daily_token_budget=budget)
        Workspace.objects.bulk_create([made], ignore_conflicts=True)
        found = Workspace.objects.filter(pk=SANDBOX_WORKSPACE_ID).first()
        if found is not None:
            return _capped(found, budget)
    raise SandboxFullError("There is no room for visitors here.")


def _capped(workspace: Workspace, budget: int) -> Workspace:
    if workspace.daily_token_budget != budget:
        workspace.daily_token_budget = budget
        workspace.save(update_fields=["daily_token_budget"])
    return workspace
