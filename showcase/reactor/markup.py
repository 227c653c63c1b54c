"""The items of a stage's lists, of which it has hundreds."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.safestring import SafeString

from showcase.markup import filled, joined
from showcase.reactor.records import Item
from showcase.said import as_said


def listed(items: Iterable[Item]) -> SafeString:
    """Each record by the beginning of its words; what is new says so."""
    return joined(_item(item) for item in items)


def _item(item: Item) -> SafeString:
    new = SafeString(' <span class="state state-good">new</span>') if item.is_new else ""
    return filled(
        '<li class="item{}"><a href="{}">{}</a> <span class="small quiet">{}</span>{}</li>',
        " is-new" if item.is_new else "",
        item.url,
        as_said(item.text),
        as_said(item.note),
        new,
    )
