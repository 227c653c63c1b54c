"""What a run recorded, made readable: its decisions item by item, and links to what it read and wrote.

Steps write different records; whatever a record holds is shown, ids of rows as links.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memory.admin.links import NOTHING, id_link

LINKS_SHOWN = 100

_TABLES = {
    "message": "message",
    "messages": "message",
    "atom": "atom",
    "atoms": "atom",
    "replaced": "atom",
    "receipts": "atom",
    "line": "line",
    "lines": "line",
    "scene": "scene",
    "scenes": "scene",
    "scene_versions": "sceneversion",
    "trait": "trait",
    "traits": "trait",
    "trait_versions": "traitversion",
    "sessions": "session",
    "digests": "digest",
    "summaries": "digest",
    "briefs": "digest",
}


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
    facts = tuple((name.replace("_", " "), _shown(name, value)) for name, value in rest.items())
    return DecisionRow(_text(item_number), _text(decision), _text(reason), facts)


def references(recorded: Any) -> str:
    """Links to the rows that a run's `inputs` or `outputs` name, by table."""
    if not isinstance(recorded, Mapping) or not any(recorded.values()):
        return NOTHING
    return format_html_join(
        SafeString("<br>"),
        "{}: {}",
        ((name.replace("_", " "), _shown(name, value)) for name, value in recorded.items()),
    )


def _shown(name: str, value: Any) -> str:
    table = _TABLES.get(name)
    if table is None:
        return _text(value)
    values = value if isinstance(value, list) else [value]
    shown = _joined(_reference(table, one) for one in values[:LINKS_SHOWN])
    left = len(values) - LINKS_SHOWN
    return format_html("{} and {} more", shown, left) if left > 0 else shown


def _joined(parts: Iterable[str]) -> SafeString:
    return format_html_join(SafeString(", "), "{}", ((part,) for part in parts))


def _reference(table: str, value: Any) -> str:
    try:
        return id_link(table, UUID(value))
    except (TypeError, ValueError, AttributeError):
        return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
