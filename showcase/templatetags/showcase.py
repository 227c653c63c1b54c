"""Filters of the pages."""

from uuid import UUID

from django import template

from memory.recall.short_ids import short_id

register = template.Library()


@register.filter
def short(id: UUID) -> str:
    """An id as people see and type it."""
    return short_id(id)


@register.filter
def words(name: str) -> str:
    """A name of the database as words."""
    return name.replace("_", " ")
