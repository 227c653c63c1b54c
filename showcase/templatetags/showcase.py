"""Tags and filters of the pages."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django import template
from django.template.context import Context
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory.models import Section
from memory.recall.short_ids import short_id
from showcase.links import anchor as anchor_of
from showcase.navigation import Item, items
from showcase.said import as_plain, as_said
from showcase.theme import Theme, theme_of

MOMENT = "j M Y, H:i"
HEADINGS: dict[str, str] = {section.value: str(section.label) for section in Section}

register = template.Library()
register.filter("as_said", as_said)
register.filter("as_plain", as_plain)


@register.filter
def short(id: UUID) -> str:
    """An id as people see and type it."""
    return short_id(id)


@register.filter
def anchor(id: UUID, kind: str) -> str:
    """The place of a record within a page: `id="{{ card.id|anchor:card.kind }}"`."""
    return anchor_of(kind, id)


@register.filter
def words(name: str) -> str:
    """A name of the database as words."""
    return name.replace("_", " ")


@register.filter
def heading(section: str) -> str:
    """The heading of a section of a scene or a procedure."""
    return HEADINGS.get(section) or words(section).capitalize()


@register.filter
def hue(layer: str) -> str:
    """The class that gives an element the hue of a layer; none for what lies beside the ladder."""
    return layer.lower()


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """An instant in the zone that it carries."""
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), date_format(at, MOMENT)) if at else ""


@register.simple_tag(takes_context=True)
def theme(context: Context) -> str:
    """What the visitor chose; `auto` on pages that are rendered without a request."""
    request: Any = context.get("request")
    return str(theme_of(request) if request else Theme.AUTO)


@register.simple_tag(takes_context=True)
def destinations(context: Context) -> tuple[Item, ...]:
    """The pages of the bar."""
    request: Any = context.get("request")
    return items(request.path if request else "")


@register.simple_tag
def themes() -> tuple[Theme, ...]:
    """What there is to choose from."""
    return tuple(Theme)
