"""Pages as JSON: one object, one line."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any
from uuid import UUID

from memory.recall.short_ids import short_id
from memory.walkthrough.commands import Help, Page


def page_line(command: str, page: Page) -> str:
    """`{"command": …, …the page's fields}` on one line."""
    return _line({"command": command, **_fields(page)})


def problem_line(command: str, error: str, **more: Any) -> str:
    """`{"command": …, "error": …}` on one line."""
    return _line({"command": command, "error": error, **more})


def _line(value: dict[str, Any]) -> str:
    """ASCII alone: no terminal stumbles over it, and no character in a text can end the line."""
    return json.dumps(value, default=_plain)


def _fields(page: Page) -> dict[str, Any]:
    if isinstance(page, Help):
        return {"commands": [{"usage": command.usage, "about": command.about} for command in page.commands]}
    return _record(page)


def _record(value: Any) -> dict[str, Any]:
    """The fields of a record, and the short form of its id, which the other commands take."""
    shown = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(shown.get("id"), UUID):
        shown["short_id"] = short_id(shown["id"])
    return shown


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a page.")
