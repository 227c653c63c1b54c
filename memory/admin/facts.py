"""Stored structures as small lists of names and values, for pages that people read; ids of rows are links."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memory.admin.links import NOTHING, id_link
from memory.recall.short_ids import short_id

VALUES_SHOWN = 100

TABLES: Final = {
    "message": "message",
    "messages": "message",
    "context": "message",
    "atom": "atom",
    "atoms": "atom",
    "head": "atom",
    "replaced": "atom",
    "receipts": "atom",
    "line": "line",
    "lines": "line",
    "section": "scene",
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
"""The tables whose ids stand under a name, or in a record of a kind."""


def facts(value: Any, name: str = "") -> str:
    """What stands under a name: names with values, lists one value after the other; nothing is a dash."""
    if isinstance(value, Mapping):
        return _named(value)
    if isinstance(value, list | tuple):
        return _listed(value, name)
    return _single(value, name)


def _named(values: Mapping[str, Any]) -> str:
    rows = ((_spoken(name), facts(value, _table_of(name, values))) for name, value in values.items())
    shown = format_html_join("", "<dt>{}</dt><dd>{}</dd>", rows)
    return format_html('<dl class="m-facts">{}</dl>', shown) if shown else NOTHING


def _table_of(name: str, values: Mapping[str, Any]) -> str:
    """Under which name a value's table is known: an `id` goes by the record's `kind`."""
    return str(values.get("kind", "")) if name == "id" else name


def _listed(values: Sequence[Any], name: str) -> str:
    shown = [_item(value, name) for value in values[:VALUES_SHOWN]]
    if len(values) > VALUES_SHOWN:
        shown.append(format_html("and {} more", len(values) - VALUES_SHOWN))
    if not shown:
        return NOTHING
    if all(_is_short(value) for value in values):
        return format_html_join(SafeString(", "), "{}", ((one,) for one in shown))
    items = format_html_join("", "<li>{}</li>", ((one,) for one in shown))
    return format_html('<ul class="m-list">{}</ul>', items)


def _item(value: Any, name: str) -> str:
    """A record of single values takes one line of a list."""
    if not isinstance(value, Mapping) or not all(_is_single(one) for one in value.values()):
        return facts(value, name)
    pairs = ((_spoken(key), facts(one, _table_of(key, value))) for key, one in value.items())
    return format_html_join(SafeString(", "), '<span class="m-soft">{}:</span> {}', pairs)


def _is_short(value: Any) -> bool:
    return _is_single(value) and " " not in str(value)


def _is_single(value: Any) -> bool:
    return not isinstance(value, Mapping | list | tuple)


def _spoken(name: str) -> str:
    return str(name).replace("_", " ")


def _single(value: Any, name: str) -> str:
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    try:
        pk = UUID(value)
    except (AttributeError, TypeError, ValueError):
        return str(value)
    if name in TABLES:
        return id_link(TABLES[name], pk)
    return format_html('<span title="{}">{}</span>', pk, short_id(pk))
