"""What a member may choose: an entity by name or run, and rows of it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms

from memory.models import Step
from memory.walkthrough.naming import RUN_ID
from showcase.days import add_day_errors, end_of, start_of
from showcase.parts import Layer

NAME_LIMIT, TEXT_LIMIT = 128, 200
LAYERS: tuple[tuple[Layer, str], ...] = (
    ("L0", "L0 messages"),
    ("L1", "L1 atoms"),
    ("L2", "L2 scenes"),
    ("L3", "L3 traits"),
)
STATES = (
    ("holds", "What holds"),
    ("history", "What no longer holds"),
    ("all", "All of it"),
    ("pending", "Waiting for a step"),
    ("parked", "Set aside after failures"),
)
RUN_HINT = "That is neither the id of a run nor a name such as demo."
_WIDE_RUN = re.compile(r"[0-9A-Fa-f-]{32,36}")


class ChooseForm(forms.Form):
    """Which entities are listed."""

    workspace = forms.ChoiceField(required=False)
    name = forms.CharField(required=False, max_length=NAME_LIMIT, label="Name holds")

    def __init__(self, data: Any, workspaces: dict[UUID, str]) -> None:
        super().__init__(data, label_suffix="")
        choices = [("", "All of mine"), *((str(pk), name) for pk, name in workspaces.items())]
        self.fields["workspace"].choices = choices  # type: ignore[attr-defined]


class RunForm(forms.Form):
    """A run by its id, or by what `AGENT_MEMORY_RUN_ID` named it."""

    run = forms.CharField(max_length=NAME_LIMIT, label="Run id")

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="")

    def clean_run(self) -> UUID | str:
        """The id of a run or an entity, or the name of a walkthrough's run."""
        told: str = self.cleaned_data["run"].strip()
        if _WIDE_RUN.fullmatch(told):
            try:
                return UUID(told)
            except ValueError:
                pass
        if not RUN_ID.fullmatch(told):
            raise forms.ValidationError(RUN_HINT)
        return told


class RowsForm(forms.Form):
    """Which rows of an entity are listed; days are those of the entity's zone."""

    layer = forms.ChoiceField(required=False, choices=LAYERS)
    state = forms.ChoiceField(required=False, choices=STATES)
    text = forms.CharField(required=False, max_length=TEXT_LIMIT, label="Text holds")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Any, zone: ZoneInfo) -> None:
        super().__init__(
            {"layer": "L1", "state": "holds", **{name: data[name] for name in data}}, label_suffix=""
        )
        self.zone = zone

    def clean_layer(self) -> str:
        """Claims, where nothing is chosen."""
        return self.cleaned_data["layer"] or "L1"

    def clean_state(self) -> str:
        """What holds, where nothing is chosen."""
        return self.cleaned_data["state"] or "holds"

    def clean(self) -> dict[str, Any]:
        """Days at either end of the calendar have no instant in every zone."""
        found = super().clean() or {}
        add_day_errors(self, self.zone)
        return found

    def instants(self) -> tuple[datetime | None, datetime | None]:
        """From and before when."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        return since and start_of(since, self.zone), until and end_of(until, self.zone)


class RetryForm(forms.Form):
    """A batch that was set aside."""

    step = forms.ChoiceField(choices=Step.choices)
    run = forms.UUIDField()
