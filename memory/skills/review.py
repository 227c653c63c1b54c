"""Reviews: a person approves, edits or rejects a draft, goes back to an earlier version, or ends a procedure.

Everything happens under the entity's row, with who and why in a Review. `base` is the number of the version
that was active when the reviewer looked, None for none: if another one is active by now, the decision was
made on something else and is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.claims.chains import lock_entity
from memory.models import Evidence, Procedure, ProcedureVersion, Review, SkillInput
from memory.skills.editing import edited_text, write_correction
from memory.skills.traces import wake_skills
from memory.skills.version_writing import stored_text, write_version
from memory.stewardship.actors import Actor, RefusedChangeError, StaleChangeError
from memory.transactions import durable_transaction

REASON_LIMIT = 500
ONCE_ACTIVE = (Review.Verdict.APPROVED, Review.Verdict.EDITED, Review.Verdict.ROLLED_BACK)
Status = ProcedureVersion.Status


def approve(*, draft: ProcedureVersion, actor: Actor, base: int | None, reason: str = "") -> ProcedureVersion:
    """Make a draft the active version; the one before becomes history.

    Raises StaleChangeError when another draft or version has come meanwhile, RefusedChangeError when it is
    no draft.
    """
    _refuse_reason(reason)
    with durable_transaction():
        held = _Held.of(draft, base)
        return held.activate(held.version, actor, Review.Verdict.APPROVED, reason)


def edit_and_approve(
    *, draft: ProcedureVersion, markdown: str, actor: Actor, base: int | None, reason: str = ""
) -> ProcedureVersion:
    """Make a person's wording of a draft the active version, as a version of its own.

    The Markdown is read tolerantly (see `editing.preview_edit`). Lines that the person left alone keep their
    evidence; changed and new ones rest on a correction and are kept byte for byte from then on. Without any
    change it is an approval. Raises as `approve` does, and RefusedChangeError for what cannot be stored.
    """
    _refuse_reason(reason)
    with durable_transaction():
        held = _Held.of(draft, base)
        before = stored_text(held.version)
        edited = edited_text(before, markdown)
        if edited.text.says == before.says:
            return held.activate(held.version, actor, Review.Verdict.APPROVED, reason)
        correction = write_correction(held.version, before, edited, actor, reason)
        held.version.status = Status.SUPERSEDED
        held.version.save(update_fields=["status"])
        version = write_version(
            held.procedure, edited.corrected_by(correction.pk), status=Status.DRAFT, base=held.active
        )
        return held.activate(version, actor, Review.Verdict.EDITED, reason)


def reject(*, draft: ProcedureVersion, actor: Actor, reason: str) -> ProcedureVersion:
    """Turn a draft down. The reason is needed: the next extraction is shown it.

    Raises StaleChangeError when a newer draft has taken its place, RefusedChangeError when it is no draft.
    """
    if not reason.strip():
        raise RefusedChangeError("A rejection needs a reason: the next draft is made with it.")
    _refuse_reason(reason)
    with durable_transaction():
        lock_entity(draft.entity)
        version = _locked_draft(draft)
        version.status = Status.REJECTED
        version.save(update_fields=["status"])
        _note(version, actor, Review.Verdict.REJECTED, reason)
        return version


def rollback(*, procedure: Procedure, number: int, actor: Actor, reason: str) -> ProcedureVersion:
    """Make an earlier version active again. A draft made on the later one goes; its inputs wait anew.

    Raises RefusedChangeError when there is no such version, it was never active, was erased, or is active.
    """
    _refuse_reason(reason)
    with durable_transaction():
        lock_entity(procedure.entity)
        version = ProcedureVersion.objects.filter(procedure=procedure, number=number).first()
        if version is None:
            raise RefusedChangeError(f"There is no version {number} of this procedure.")
        held = _Held(_live(procedure), version, _active(procedure))
        _refuse_rollback(version)
        _withdraw_draft(procedure)
        return held.activate(version, actor, Review.Verdict.ROLLED_BACK, reason)


def retire_procedure(*, procedure: Procedure, actor: Actor, reason: str) -> Procedure:
    """End a procedure: nothing of it is handed out any more, its versions stay as history.

    Raises RefusedChangeError when it is retired already.
    """
    _refuse_reason(reason)
    with durable_transaction():
        lock_entity(procedure.entity)
        row = _live(procedure)
        newest = _active(row) or row.versions.order_by("-number").first()
        row.status = Procedure.Status.RETIRED
        row.save(update_fields=["status"])
        row.versions.filter(status=Status.DRAFT).update(status=Status.STALE)
        if newest is not None:
            _note(newest, actor, Review.Verdict.RETIRED, reason)
        return row


@dataclass(frozen=True, slots=True)
class _Held:
    """What a decision is about, read under the entity's lock."""

    procedure: Procedure
    version: ProcedureVersion
    active: ProcedureVersion | None

    @classmethod
    def of(cls, draft: ProcedureVersion, base: int | None) -> _Held:
        """A draft that may be decided on; what was active for the reviewer, and for the draft, still is."""
        lock_entity(draft.entity)
        version = _locked_draft(draft)
        procedure = _live(version.procedure)
        active = _active(procedure)
        number = active.number if active else None
        if number != base:
            raise StaleChangeError(f"{_named(number)} is active by now: look at the difference again.")
        if version.base_id != (active.pk if active else None):
            raise StaleChangeError(f"The draft was made on another version; {_named(number)} is active now.")
        return cls(procedure, version, active)

    def activate(
        self, version: ProcedureVersion, actor: Actor, verdict: Review.Verdict, reason: str
    ) -> ProcedureVersion:
        """Within the transaction: the version is active, the one before history."""
        if self.active is not None:
            self.active.status = Status.SUPERSEDED
            self.active.save(update_fields=["status"])
        version.status = Status.ACTIVE
        version.save(update_fields=["status"])
        _note(version, actor, verdict, reason)
        return version


def _named(number: int | None) -> str:
    return "No version" if number is None else f"Version {number}"


def _refuse_reason(reason: str) -> None:
    if len(reason) > REASON_LIMIT:
        raise RefusedChangeError(f"The reason has {len(reason)} characters; at most {REASON_LIMIT} are kept.")


def _locked_draft(draft: ProcedureVersion) -> ProcedureVersion:
    rows = ProcedureVersion.objects.for_entity(draft.entity).select_related("procedure", "entity")
    version = rows.filter(pk=draft.pk).first()
    if version is None:
        raise StaleChangeError("The draft is gone.")
    if version.status == Status.STALE:
        raise StaleChangeError("A newer draft has taken its place, or what it was made on has changed.")
    if version.status != Status.DRAFT:
        raise RefusedChangeError(f"Version {version.number} is no draft: it is {version.status}.")
    return version


def _live(procedure: Procedure) -> Procedure:
    row = (
        Procedure.objects.for_entity(procedure.entity)
        .select_related("entity")
        .filter(pk=procedure.pk)
        .first()
    )
    if row is None or row.status != Procedure.Status.LIVE:
        raise RefusedChangeError("The procedure is retired.")
    return row


def _active(procedure: Procedure) -> ProcedureVersion | None:
    return procedure.versions.filter(status=Status.ACTIVE).first()


def _refuse_rollback(version: ProcedureVersion) -> None:
    if version.status == Status.ACTIVE:
        raise RefusedChangeError(f"Version {version.number} is active.")
    if version.erased_at is not None:
        raise RefusedChangeError(f"The words of version {version.number} were erased.")
    was_approved = version.reviews.filter(verdict__in=ONCE_ACTIVE).exists()
    if version.status != Status.SUPERSEDED or not was_approved:
        raise RefusedChangeError(
            f"Version {version.number} was never active: only an approved one comes back."
        )


def _withdraw_draft(procedure: Procedure) -> None:
    """A draft on a version that is active no more: what only drafts rest on waits for the next one."""
    if not procedure.versions.filter(status=Status.DRAFT).update(status=Status.STALE):
        return
    cited = Evidence.objects.filter(of_procedure_line__version__procedure=procedure)
    approved = cited.filter(of_procedure_line__version__status__in=[Status.ACTIVE, Status.SUPERSEDED])
    inputs = SkillInput.objects.for_entity(procedure.entity)
    for column, target in (("trace", "trace_step__trace"), ("feedback", "feedback")):
        settled = approved.filter(**{f"{target}__isnull": False}).values(target)
        drafted = inputs.filter(**{f"{column}__in": cited.values(target)})
        drafted.exclude(**{f"{column}__in": settled}).update(consumed_by=None)
    wake_skills(procedure.entity)


def _note(version: ProcedureVersion, actor: Actor, verdict: Review.Verdict, reason: str) -> None:
    Review.objects.create(
        workspace_id=version.workspace_id,
        entity_id=version.entity_id,
        version=version,
        verdict=verdict,
        reason=reason.strip(),
        **actor.columns,
    )
