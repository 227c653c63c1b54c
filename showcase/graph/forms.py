"""What of a memory the graph shows; everything stands in the address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.http import QueryDict

from showcase.days import add_day_errors
from showcase.parts import Layer
from showcase.said import as_plain
from showcase.widgets import Select

TEXT_CHARACTERS = 200
NAMED_SESSIONS = 100
LAYERS: tuple[tuple[Layer, str], ...] = (
    ("L0", "L0 messages"),
    ("L1", "L1 atoms"),
    ("L2", "L2 scenes"),
    ("L3", "L3 traits"),
)


def _calendar() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date"})


class GraphForm(forms.Form):
    """Layers to draw, and what to follow: words, a session, a time. All of them together."""

    text = forms.CharField(required=False, max_length=TEXT_CHARACTERS, label="Words")
    session = forms.UUIDField(required=False, widget=Select)
    since = forms.DateField(required=False, label="Said from", widget=_calendar())
    until = forms.DateField(required=False, label="Said until", widget=_calendar())
    layers = forms.MultipleChoiceField(
        required=False, choices=LAYERS, widget=forms.CheckboxSelectMultiple, label="Layers"
    )

    def __init__(self, data: QueryDict, zone: ZoneInfo) -> None:
        data = data.copy()
        data.setlistdefault("layers", [layer for layer, _ in LAYERS])
        super().__init__(data, label_suffix="")
        self.zone = zone

    def clean(self) -> dict[str, Any]:
        """Days at either end of the calendar have no instant in every zone."""
        found = super().clean() or {}
        add_day_errors(self, self.zone)
        return found

    def offer_sessions(self, sessions: Iterable[tuple[UUID, str]]) -> None:
        """The sessions to choose from."""
        choices: list[tuple[Any, str]] = [("", "all")]
        choices += [(str(id), as_plain(name)) for id, name in sessions][:NAMED_SESSIONS]
        select: Any = self.fields["session"].widget
        select.choices = choices
