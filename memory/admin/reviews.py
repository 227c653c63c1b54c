"""What reviewers decide about procedures, each bound to the version that was active when they looked."""

from typing import Any

from django import forms

from memory.admin.changes import REASON_LIMIT, BasedForm, Change, ReasonForm
from memory.admin.differences import shown_difference
from memory.admin.editing import Edit, Opened, Preview
from memory.admin.membership import Duty
from memory.models import Procedure, ProcedureSection, ProcedureVersion
from memory.skills.editing import preview_edit
from memory.skills.review import approve, edit_and_approve, reject, retire_procedure, rollback
from memory.skills.versions import active_version, rendered
from memory.stewardship.actors import Actor

TITLES = dict(ProcedureSection.choices)


class ApprovalForm(BasedForm):
    """An approval needs no reason."""

    reason = forms.CharField(max_length=REASON_LIMIT, required=False)


class RollbackForm(ReasonForm):
    """Which of the earlier versions becomes active again."""

    number = forms.TypedChoiceField(coerce=int, label="Version")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        [procedure] = self.rows
        earlier = procedure.versions.filter(status=ProcedureVersion.Status.SUPERSEDED).order_by("-number")
        self.fields["number"].choices = [(one.number, str(one)) for one in earlier]  # type: ignore[attr-defined]


def _active_number(version: ProcedureVersion) -> int | None:
    active = active_version(procedure=version.procedure)
    return active.number if active else None


def _is_draft(version: ProcedureVersion) -> bool:
    return version.status == ProcedureVersion.Status.DRAFT


def _preview(draft: ProcedureVersion, markdown: str, base: int | None) -> Preview:
    edited = preview_edit(draft=draft, markdown=markdown)
    return Preview(shown_difference(edited.change, TITLES), edited.repairs)


def _save(draft: ProcedureVersion, markdown: str, base: int | None, actor: Actor, reason: str) -> object:
    return edit_and_approve(draft=draft, markdown=markdown, actor=actor, base=base, reason=reason)


APPROVE = Change(
    name="approve",
    label="Approve",
    says="The draft becomes the active version: from the next context on, agents are given it. The "
    "version before becomes history and can be made active again.",
    duty=Duty.REVIEW,
    apply=lambda draft, actor, cleaned: approve(
        draft=draft, actor=actor, base=cleaned["base"], reason=cleaned["reason"]
    ),
    form=ApprovalForm,
    fits=_is_draft,
    carried=lambda draft: {"base": _active_number(draft)},
)
REJECT = Change(
    name="reject",
    label="Reject",
    says="The draft is turned down and no agent is given it. The reason is shown to whatever writes "
    "the next one.",
    duty=Duty.REVIEW,
    apply=lambda draft, actor, cleaned: reject(draft=draft, actor=actor, reason=cleaned["reason"]),
    form=ReasonForm,
    fits=_is_draft,
    is_danger=True,
)
ROLL_BACK = Change(
    name="rollback",
    label="Roll back",
    says="An earlier version becomes active again. A draft made on the later one goes, and its "
    "inputs wait anew.",
    duty=Duty.REVIEW,
    apply=lambda procedure, actor, cleaned: rollback(
        procedure=procedure, number=cleaned["number"], actor=actor, reason=cleaned["reason"]
    ),
    form=RollbackForm,
    fits=lambda procedure: procedure.status == Procedure.Status.LIVE,
)
RETIRE = Change(
    name="retire",
    label="Retire",
    says="Nothing of the procedure is handed out any more. Its versions stay as history.",
    duty=Duty.REVIEW,
    apply=lambda procedure, actor, cleaned: retire_procedure(
        procedure=procedure, actor=actor, reason=cleaned["reason"]
    ),
    form=ReasonForm,
    fits=lambda procedure: procedure.status == Procedure.Status.LIVE,
    is_danger=True,
)
EDIT = Edit(
    label="Edit and approve",
    says="Your wording becomes the active version. Lines that you leave alone keep what they rest "
    "on; changed and new ones rest on you, and are kept byte for byte in later drafts.",
    duty=Duty.REVIEW,
    fits=_is_draft,
    opened=lambda draft: Opened(rendered(draft), _active_number(draft)),
    preview=_preview,
    save=_save,
)
