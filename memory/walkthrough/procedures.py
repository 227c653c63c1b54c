"""The command `procedure`: what is active, what waits, and what a person at the terminal decides."""

from __future__ import annotations

import getpass
from collections.abc import Callable

from memory.models import Entity, Procedure, ProcedureVersion, Use
from memory.skills.feedback import give_feedback
from memory.skills.fitting import fitting_procedures
from memory.skills.reading import version_record
from memory.skills.review import approve, reject
from memory.skills.uses import find_use, hand_out
from memory.stewardship.actors import Actor
from memory.walkthrough.access import Procedures, ShownProcedure
from memory.walkthrough.choosing import (
    ACTIVE,
    DRAFT,
    MOST_SHOWN,
    NONE_FITS,
    USE_OR_ACTIVE,
    Choice,
    approved,
    handed_out,
    matching,
    noted,
    the_one,
    turned_down,
)

TERMINAL = "terminal"


def terminal_actor() -> Actor:
    """Whoever sits at this terminal, by the name of their account."""
    try:
        return Actor(name=getpass.getuser())
    except (OSError, KeyError):
        # An account without a name, as in some containers.
        return Actor(name=TERMINAL)


def shown_procedures(entity: Entity, words: str = "") -> Procedures:
    """The live procedures that are for some words, all without words; the newest first."""
    rows = Procedure.objects.for_entity(entity).live()
    if words:
        rows = rows.filter(pk__in=fitting_procedures(entity, words))
    shown = map(_shown, rows.order_by("-pk")[:MOST_SHOWN])
    found = tuple(one for one in shown if one.active is not None or one.draft is not None)
    return Procedures(found, "" if found or not words else NONE_FITS)


def _shown(procedure: Procedure) -> ShownProcedure:
    current = procedure.versions.filter(status__in=["active", "draft"])
    by_status = {version.status: version_record(version) for version in current}
    return ShownProcedure(procedure.pk, by_status.get("active"), by_status.get("draft"))


def approve_draft(entity: Entity, id_part: str, reason: str) -> Procedures:
    """Make a draft the active version, as it was shown."""
    draft = the_one(_drafts(entity), id_part, DRAFT)
    base = draft.base.number if draft.base is not None else None
    version = approve(draft=draft, actor=terminal_actor(), base=base, reason=reason)
    return _after(version.procedure, approved(version.number))


def reject_draft(entity: Entity, id_part: str, reason: str) -> Procedures:
    """Turn a draft down."""
    draft = the_one(_drafts(entity), id_part, DRAFT)
    reject(draft=draft, actor=terminal_actor(), reason=reason)
    return _after(draft.procedure, turned_down(draft.number))


def use_procedure(entity: Entity, id_part: str) -> Procedures:
    """Hand out the active version that an id means, and say which use that was."""
    version = the_one(_active(entity), id_part, ACTIVE)
    _, use = hand_out(procedure=version.procedure)
    return _after(version.procedure, handed_out(use.pk, use.sha256))


def say_of_procedure(
    entity: Entity, id_part: str, comment: str, settle: Callable[[], tuple[str, ...]]
) -> Procedures:
    """Feedback on a use or an active version; `settle` waits for the next draft or says why it is late."""
    rows = Use.objects.for_entity(entity).order_by("-pk").values_list("pk", flat=True)
    uses = matching((Choice(id, (id,)) for id in rows), id_part)
    use = find_use(entity=entity, use_id=uses[0].value) if uses else None
    version = None if uses else the_one(_active(entity), id_part, USE_OR_ACTIVE)
    stored = give_feedback(
        entity=entity,
        use=use,
        kind="correction",
        source="operator",
        comment=comment,
        procedure_version=version,
        actor=terminal_actor(),
    )
    notice = noted(settle())
    about = stored.procedure_version
    return _after(about.procedure, notice) if about is not None else Procedures((), notice)


def _after(procedure: Procedure, notice: str) -> Procedures:
    return Procedures((_shown(procedure),), notice)


def _drafts(entity: Entity) -> list[Choice[ProcedureVersion]]:
    rows = ProcedureVersion.objects.for_entity(entity).drafts()
    return list(map(_choice, rows.select_related("procedure__entity", "base", "entity")))


def _active(entity: Entity) -> list[Choice[ProcedureVersion]]:
    rows = ProcedureVersion.objects.for_entity(entity).active()
    return list(map(_choice, rows.select_related("procedure__entity__workspace", "entity")))


def _choice(version: ProcedureVersion) -> Choice[ProcedureVersion]:
    """A version is meant by its own id or by its procedure's."""
    return Choice(version, (version.pk, version.procedure_id), version.title)
