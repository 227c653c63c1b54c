"""Tags and filters of the pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString

from memory.models import Section
from memory.recall.short_ids import short_id
from showcase import markup
from showcase.composer.markup import named, told
from showcase.graph.markup import boxes, clusters, edges, outlined
from showcase.links import anchor as anchor_of
from showcase.navigation import Item, items
from showcase.overview_markup import scenes
from showcase.parts import Card
from showcase.reactor.markup import decided, listed
from showcase.said import as_plain, as_said
from showcase.theme import Theme, theme_of

HEADINGS: dict[str, str] = {section.value: str(section.label) for section in Section}

register = template.Library()
register.filter("as_said", as_said)
register.filter("as_plain", as_plain)
register.filter("hue", markup.hue)
register.filter("moment", markup.moment)
register.simple_tag(markup.receipts)
register.simple_tag(told, name="told_rows")
register.simple_tag(named, name="named_rows")
register.simple_tag(edges, name="graph_edges")
register.simple_tag(boxes, name="graph_boxes")
register.simple_tag(clusters, name="graph_clusters")
register.simple_tag(outlined)
register.simple_tag(listed)
register.simple_tag(decided)
register.simple_tag(scenes, name="overview_scenes")


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


@register.simple_tag
def record(card: Card) -> SafeString:
    """One record of any layer: `{% record card %}`."""
    return markup.record(card)


@register.simple_tag
def anchored_record(card: Card) -> SafeString:
    """The same with the id that receipts on the page lead to."""
    return markup.record(card, is_anchored=True)


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
