"""What a visitor may ask the composer: everything stands in the address, so that it can be shared."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.http import QueryDict

from memory.models import Layer
from memory.recall.arms import Filters
from memory.recall.context import ContextRequest
from memory.recall.context.request import LEAST_RULES, LEAST_TOTAL
from memory.walkthrough.story import risky_request
from showcase.days import NO_INSTANT
from showcase.widgets import NumberInput

TASK_CHARACTERS = 2_000
MOST_TOKENS = 20_000
BLOCKS = ("persona", "rules", "scenes", "memory", "procedure", "request")
LAYERS = {"messages": Layer.MESSAGE, "atoms": Layer.ATOM, "scenes": Layer.SECTION}


def _tokens(least: int = 0) -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=least, max_value=MOST_TOKENS, widget=NumberInput)


class ComposerForm(forms.Form):
    """A task, what of the memory is searched, and how many tokens each block may take.

    An empty budget is the design's. Without layers all are searched.
    """

    task = forms.CharField(
        max_length=TASK_CHARACTERS,
        label="What is about to be done",
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )
    layers = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name.capitalize()) for name in LAYERS],
        widget=forms.CheckboxSelectMultiple,
    )
    rules_floor = forms.IntegerField(
        required=False, min_value=0, max_value=100, label="Rules from priority (0 to 100)", widget=NumberInput
    )
    total = _tokens(LEAST_TOTAL)
    persona = _tokens()
    rules = _tokens()
    scenes = _tokens()
    memory = _tokens()
    procedure = _tokens()
    request = _tokens()
    as_of = forms.DateTimeField(required=False, label="Clock that the text shows")
    words_only = forms.BooleanField(required=False, label="Search by words alone, not by meaning")
    evolution = forms.BooleanField(required=False, label="With what scenes used to say")

    def __init__(self, data: QueryDict, *, has_example: bool, zone: ZoneInfo) -> None:
        super().__init__(_bound(data, has_example), label_suffix="")
        self.zone = zone
        for name in ("total", *BLOCKS):
            self.fields[name].widget.attrs["placeholder"] = "design's"
        self.fields["as_of"].widget.attrs["placeholder"] = "now, cut to the hour"
        self.fields["rules_floor"].widget.attrs["placeholder"] = "design's"

    def clean_as_of(self) -> datetime | None:
        """A clock that the memory's zone can show."""
        as_of: datetime | None = self.cleaned_data["as_of"]
        try:
            return as_of and as_of.astimezone(self.zone)
        except OverflowError as error:
            raise forms.ValidationError(NO_INSTANT) from error

    def clean(self) -> dict[str, Any]:
        """Budgets have to leave a place for the notice of what does not fit."""
        found = super().clean() or {}
        rules = found.get("rules")
        if rules and rules < LEAST_RULES:
            self.add_error("rules", f"Rules need {LEAST_RULES} tokens or more; 0 leaves them out.")
        return found

    def asked(self) -> ContextRequest:
        """The request of a valid form."""
        found = self.cleaned_data
        layers = tuple(LAYERS[name] for name in found["layers"])
        as_of: datetime | None = found["as_of"]
        return ContextRequest(
            task=found["task"],
            budgets={name: found[name] for name in BLOCKS if found[name] is not None},
            total=found["total"],
            rules_floor=found["rules_floor"],
            as_of=as_of,
            filters=Filters(layers=layers) if layers else Filters(),
            include_evolution_record=found["evolution"],
            uses_meaning=not found["words_only"],
        )

    @property
    def budgets(self) -> list[forms.BoundField]:
        """The fields of the blocks."""
        return [self[name] for name in BLOCKS]

    @property
    def is_narrowed(self) -> bool:
        """Whether anything but the task was asked for, so that the rest of the form is shown."""
        others = any(self[name].value() for name in self.fields if name not in ("task", "as_of", "layers"))
        return others or len(self["layers"].value() or LAYERS) < len(LAYERS)


def _bound(data: QueryDict, has_example: bool) -> QueryDict | None:
    """What was asked, else the example; all layers where none is named."""
    data = data.copy()
    if has_example and "task" not in data:
        data.update(example())
    data.setlistdefault("layers", list(LAYERS))
    return data if "task" in data else None


def example() -> dict[str, str]:
    """The tour's request that the standing rules speak against, with the clock of the tour."""
    request = risky_request()
    return {"task": request.text, "as_of": request.as_of.isoformat()}
