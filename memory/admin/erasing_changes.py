"""Erasing in two steps: a plan that counts what would go, then the page that confirms exactly this plan."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.urls import reverse

from memory.admin.changes import REASON_LIMIT, Change, ChangeForm
from memory.admin.membership import Duty
from memory.models import Entity, Erasure
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.erasing.planning import is_open

NEXT = "Nothing goes yet: the next page counts what would go, and asks again."


class WhyForm(ChangeForm):
    """Why, if there is more to say than that it was asked for."""

    reason = forms.CharField(
        max_length=REASON_LIMIT, required=False, help_text="Kept with the erase: write no word of what goes."
    )


class PeriodForm(WhyForm):
    """From when until when; one side may stay open."""

    since = forms.DateTimeField(
        required=False,
        label="From",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="UTC. What was said then and later.",
    )
    until = forms.DateTimeField(
        required=False,
        label="Before",
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
        help_text="UTC. What was said earlier than that.",
    )
    field_order = ("since", "until", "reason")


def _planned(rows: Sequence[Any], scope: Scope, actor: Actor, cleaned: Mapping[str, Any]) -> Erasure:
    entities = {row.pk if isinstance(row, Entity) else row.entity_id for row in rows}
    if len(entities) != 1:
        raise RefusedChangeError("An erase is of one entity: choose rows of one alone.")
    [row] = rows[:1]
    entity = row if isinstance(row, Entity) else row.entity
    return plan_erasure(entity=entity, scope=scope, actor=actor, reason=cleaned["reason"])


def _confirming(erasure: Erasure) -> str:
    return reverse("admin:memory_erasure_do", args=[erasure.pk, "erase"])


def _ids(rows: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(row.pk for row in rows)


ERASE_MESSAGES = Change(
    name="plan-erase",
    label="Erase",
    says=f"These messages go, with everything that rests on them alone, in every place that holds "
    f"their words. {NEXT}",
    duty=Duty.ERASE,
    apply_to_all=lambda rows, actor, cleaned: _planned(
        rows, Scope(kind="messages", messages=_ids(rows)), actor, cleaned
    ),
    then=_confirming,
    form=WhyForm,
    is_bulk=True,
    is_danger=True,
)
ERASE_SESSIONS = Change(
    name="plan-erase",
    label="Erase",
    says=f"These conversations go whole, with everything that rests on them alone. {NEXT}",
    duty=Duty.ERASE,
    apply_to_all=lambda rows, actor, cleaned: _planned(
        rows, Scope(kind="session", sessions=_ids(rows)), actor, cleaned
    ),
    then=_confirming,
    form=WhyForm,
    is_bulk=True,
    is_danger=True,
)
ERASE_PERIOD = Change(
    name="plan-erase-period",
    label="Erase a period",
    says=f"What was said in the period goes, with everything that rests on it alone. {NEXT}",
    duty=Duty.ERASE,
    apply_to_all=lambda rows, actor, cleaned: _planned(
        rows, Scope(kind="period", since=cleaned["since"], until=cleaned["until"]), actor, cleaned
    ),
    then=_confirming,
    form=PeriodForm,
    is_danger=True,
)
ERASE_ENTITY = Change(
    name="plan-erase-entity",
    label="Erase everything",
    says=f"The whole memory goes, and the entity itself with its keys' bindings. {NEXT}",
    duty=Duty.ERASE,
    apply_to_all=lambda rows, actor, cleaned: _planned(rows, Scope(kind="entity"), actor, cleaned),
    then=_confirming,
    form=WhyForm,
    is_danger=True,
)
ERASE = Change(
    name="erase",
    label="Erase for good",
    says="What the plan counts goes now, and cannot be brought back. Backups keep it until they are gone: "
    "docs/erasing.md says what has to be done about them.",
    duty=Duty.ERASE,
    apply=lambda erasure, actor, cleaned: erase(erasure=erasure, actor=actor),
    fits=is_open,
    details=lambda erasure: {name.replace("_", " "): count for name, count in erasure.counts.items()},
    is_danger=True,
)
