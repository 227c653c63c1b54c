"""What a run recorded, made readable: its decisions item by item, and links to what it read and wrote.

Steps write different records; whatever a record holds is shown, ids of rows as links.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from memory.admin.facts import facts
from memory.admin.links import NOTHING


@dataclass(frozen=True)
class DecisionRow:
    """One item of a run: which one, what was decided, why, and everything else that was noted."""

    item: str
    decision: str
    reason: str
    facts: tuple[tuple[str, str], ...]


def decision_rows(recorded: Any) -> tuple[DecisionRow, ...]:
    """The items of a run's `decisions`, in their order."""
    items = recorded if isinstance(recorded, list) else [recorded]
    return tuple(
        _row(item) if isinstance(item, Mapping) else DecisionRow("", _text(item), "", ()) for item in items
    )


def _row(item: Mapping[str, Any]) -> DecisionRow:
    rest = dict(item)
    item_number = rest.pop("item", "")
    decision = rest.pop("outcome", "")
    reason = rest.pop("reason", "")
    noted = tuple((name.replace("_", " "), facts(value, name)) for name, value in rest.items())
    return DecisionRow(_text(item_number), _text(decision), _text(reason), noted)


def references(recorded: Any) -> str:
    """Links to the rows that a run's `inputs` or `outputs` name, by table."""
    if not isinstance(recorded, Mapping) or not any(recorded.values()):
        return NOTHING
    return format_html_join(
        SafeString("<br>"),
        "{}: {}",
        ((name.replace("_", " "), facts(value, name)) for name, value in recorded.items()),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else facts(value)
