"""The command `procedure`: what is active, what waits, and what a person at the terminal decides."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from memory.indexing.languages import known_languages
from memory.models import Entity, Procedure, ProcedureVersion, Use
from memory.recall.records import Candidate
from memory.recall.short_ids import read_id, short_id
from memory.skills.feedback import give_feedback
from memory.skills.matching import Request, Triggers
from memory.skills.reading import version_record
from memory.skills.records import VersionRecord
from memory.skills.review import approve, reject
from memory.skills.uses import find_use, hand_out
from memory.stewardship.actors import Actor
from memory.walkthrough.access import MemoryProblemError, Procedures, ShownProcedure

TERMINAL = "terminal"
MOST_SHOWN = 20
Row = TypeVar("Row", ProcedureVersion, Use)


def terminal_actor() -> Actor:
    """Whoever sits at this terminal, by the name of their account."""
    try:
        return Actor(name=getpass.getuser())
    except (OSError, KeyError):
        # An account without a name, as in some containers.
        return Actor(name=TERMINAL)


def shown_procedures(entity: Entity, words: str = "") -> Procedures:
    """The live procedures that are for some words, all without words; the newest first."""
    rows = Procedure.objects.for_entity(entity).live().order_by("-pk")
    shown = tuple(_fitting(map(_shown, rows), entity, words))[:MOST_SHOWN]
    notice = "" if shown or not words else "No procedure is for that."
    return Procedures(shown, notice)


def _shown(procedure: Procedure) -> ShownProcedure:
    current = procedure.versions.filter(status__in=["active", "draft"])
    by_status = {version.status: version_record(version) for version in current}
    return ShownProcedure(procedure.pk, by_status.get("active"), by_status.get("draft"))


def _fitting(shown: Iterable[ShownProcedure], entity: Entity, words: str) -> Iterator[ShownProcedure]:
    request = Request(words, known_languages(entity))
    for one in shown:
        versions = [version for version in (one.active, one.draft) if version is not None]
        if versions and (not words or any(request.fit(_triggers(v)).verdict == "fits" for v in versions)):
            yield one


def _triggers(version: VersionRecord) -> Triggers:
    def texts(section: str) -> tuple[str, ...]:
        return tuple(line.text for line in version.lines if line.section == section)

    return Triggers(version.summary.title, texts("when"), texts("when_not"))


def approve_draft(entity: Entity, id_part: str, reason: str) -> Procedures:
    """Make a draft the active version, as it was shown."""
    draft = _one(_drafts(entity), id_part, "draft")
    base = draft.base.number if draft.base is not None else None
    version = approve(draft=draft, actor=terminal_actor(), base=base, reason=reason)
    return _after(version.procedure, f"Approved: version {version.number} is handed to agents from now on.")


def reject_draft(entity: Entity, id_part: str, reason: str) -> Procedures:
    """Turn a draft down."""
    draft = _one(_drafts(entity), id_part, "draft")
    reject(draft=draft, actor=terminal_actor(), reason=reason)
    return _after(draft.procedure, f"Turned down: version {draft.number} is never handed out.")


def use_procedure(entity: Entity, id_part: str) -> Procedures:
    """Hand out the active version that an id means, and say which use that was."""
    version = _one(_active(entity), id_part, "active version")
    _, use = hand_out(procedure=version.procedure)
    return _after(version.procedure, f"Handed out as use [{short_id(use.pk)}]; sha256 {use.sha256}.")


def say_of_procedure(
    entity: Entity, id_part: str, comment: str, settle: Callable[[], tuple[str, ...]]
) -> Procedures:
    """Feedback on a use or an active version; `settle` waits for the next draft or says why it is late."""
    uses = _matching(Use.objects.for_entity(entity).order_by("-pk"), id_part)
    use = find_use(entity=entity, use_id=uses[0].pk) if uses else None
    version = None if uses else _one(_active(entity), id_part, "use or active version")
    stored = give_feedback(
        entity=entity,
        use=use,
        kind="correction",
        source="operator",
        comment=comment,
        procedure_version=version,
        actor=terminal_actor(),
    )
    reasons = settle()
    notice = f"Noted. Nothing came of it yet: {'; '.join(reasons)}." if reasons else "Noted."
    about = stored.procedure_version
    return _after(about.procedure, notice) if about is not None else Procedures((), notice)


def _after(procedure: Procedure, notice: str) -> Procedures:
    return Procedures((_shown(procedure),), notice)


def _drafts(entity: Entity) -> Iterable[ProcedureVersion]:
    rows = ProcedureVersion.objects.for_entity(entity).drafts()
    return rows.select_related("procedure__entity", "base", "entity")


def _active(entity: Entity) -> Iterable[ProcedureVersion]:
    rows = ProcedureVersion.objects.for_entity(entity).active()
    return rows.select_related("procedure__entity__workspace", "entity")


def _one(rows: Iterable[ProcedureVersion], id_part: str, noun: str) -> ProcedureVersion:
    """The version that an id means, by its own id or its procedure's."""
    found = _matching(rows, id_part)
    if not found:
        raise MemoryProblemError(f"There is no {noun} with such an id.")
    if len(found) > 1:
        candidates = tuple(Candidate(noun, row.pk, row.title) for row in found)
        raise MemoryProblemError(f"{len(found)} have such an id. Give more digits.", candidates)
    return found[0]


def _matching(rows: Iterable[Row], id_part: str) -> list[Row]:
    digits = read_id(id_part).digits
    return [row for row in rows if any(_has(id, digits) for id in _ids(row))]


def _ids(row: ProcedureVersion | Use) -> tuple[str, ...]:
    return (row.pk.hex, row.procedure_id.hex) if isinstance(row, ProcedureVersion) else (row.pk.hex,)


def _has(id: str, digits: str) -> bool:
    return id.startswith(digits) or id.endswith(digits)
