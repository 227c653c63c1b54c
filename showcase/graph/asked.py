"""What is asked of the graph, and the addresses that ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict

from showcase.graph.forms import LAYERS, GraphForm
from showcase.parts import Layer

MOST_OPENED = 20
ALL_LAYERS: tuple[Layer, ...] = tuple(layer for layer, _ in LAYERS)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is shown: `at` is the row whose connections stand out, `opened` the groups that are unfolded."""

    layers: tuple[Layer, ...] = ALL_LAYERS
    text: str = ""
    session: UUID | None = None
    since: date | None = None
    until: date | None = None
    at: UUID | None = None
    opened: tuple[str, ...] = ()

    @classmethod
    def of(cls, form: GraphForm, query: QueryDict) -> Asked:
        """From a form that was validated: a field with an error is left out."""
        found = form.cleaned_data
        return cls(
            layers=tuple(found.get("layers") or ALL_LAYERS),
            text=(found.get("text") or "").strip(),
            session=found.get("session"),
            since=found.get("since"),
            until=found.get("until"),
            at=_id(query.get("at", "")),
            opened=tuple(dict.fromkeys(query.getlist("open")))[:MOST_OPENED],
        )

    @property
    def is_narrowed(self) -> bool:
        """Whether only a part of the memory is followed."""
        return bool(self.text or self.session or self.since or self.until)

    @property
    def follows_words_alone(self) -> bool:
        """Whether any layer may hold what is asked for: sessions and times are those of messages."""
        return bool(self.text) and not (self.session or self.since or self.until)

    def query(self) -> str:
        """The part of an address that asks for this."""
        found: Mapping[str, object] = {
            "text": self.text,
            "session": self.session or "",
            "since": self.since or "",
            "until": self.until or "",
            "layers": self.layers if self.layers != ALL_LAYERS else (),
            "at": self.at or "",
            "open": self.opened,
        }
        return "?" + urlencode({name: value for name, value in found.items() if value}, doseq=True)

    def toggled(self, group: str) -> Asked:
        """The same with a group opened, or closed where it was open."""
        if group in self.opened:
            return replace(self, opened=tuple(one for one in self.opened if one != group))
        return replace(self, opened=(*self.opened, group))

    def around(self, id: UUID | None) -> Asked:
        """The same with another row standing out."""
        return replace(self, at=id)


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
