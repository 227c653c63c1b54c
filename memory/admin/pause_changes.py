"""Pause switches: of an entity's steps, and of single steps in the list of work."""

from typing import Any

from django import forms

from memory.admin.changes import Change, ChangeForm
from memory.admin.membership import Duty
from memory.admin.steps import STEPS
from memory.models import Step, Work
from memory.stewardship.pausing import pause_steps, resume_steps

WAITS = "Inputs wait meanwhile, and nothing is lost; a run that is under way still ends."
GOES_ON = "What waited is worked on again."


class StepsForm(ChangeForm):
    """Which steps."""

    steps = forms.TypedMultipleChoiceField(choices=STEPS, coerce=Step, widget=forms.CheckboxSelectMultiple)


def _is_paused(work: Work) -> bool:
    return work.step in work.entity.paused_steps


def _runs(work: Work) -> bool:
    return not _is_paused(work)


def _paused_now(entity: Any) -> dict[str, Any]:
    return {"steps": list(entity.paused_steps)}


def _of(work: Any) -> list[Step]:
    return [Step(work.step)]


PAUSE_ENTITY = Change(
    name="pause",
    label="Pause steps",
    says=f"The chosen steps are switched off for these entities. {WAITS}",
    duty=Duty.MANAGE,
    apply=lambda entity, actor, cleaned: pause_steps(entity=entity, steps=cleaned["steps"]),
    form=StepsForm,
    initial=_paused_now,
    is_bulk=True,
)
RESUME_ENTITY = Change(
    name="resume",
    label="Resume steps",
    says=f"The chosen steps are switched on for these entities. {GOES_ON}",
    duty=Duty.MANAGE,
    apply=lambda entity, actor, cleaned: resume_steps(entity=entity, steps=cleaned["steps"]),
    form=StepsForm,
    initial=_paused_now,
    fits=lambda entity: bool(entity.paused_steps),
    is_bulk=True,
)
PAUSE_WORK = Change(
    name="pause",
    label="Pause",
    says=f"The step is switched off for its entity. {WAITS}",
    duty=Duty.MANAGE,
    apply=lambda work, actor, cleaned: pause_steps(entity=work.entity, steps=_of(work)),
    fits=_runs,
    is_bulk=True,
)
RESUME_WORK = Change(
    name="resume",
    label="Resume",
    says=f"The step is switched on for its entity. {GOES_ON}",
    duty=Duty.MANAGE,
    apply=lambda work, actor, cleaned: resume_steps(entity=work.entity, steps=_of(work)),
    fits=_is_paused,
    is_bulk=True,
)
