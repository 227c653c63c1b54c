"""The rows of a block, of which a context may have hundreds."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.safestring import SafeString

from memory.recall.short_ids import short_id
from showcase.composer.rows import Row
from showcase.markup import filled, hue, joined
from showcase.parts import Fact
from showcase.said import as_said


def told(rows: Iterable[Row]) -> SafeString:
    """What is in a context, each row with its weight and what brought it in."""
    return joined(map(_row, rows))


def named(rows: Iterable[Row]) -> SafeString:
    """Rows by their words alone, each in a line: those far down, and those that were left out."""
    return joined(map(_name, rows))


def _name(row: Row) -> SafeString:
    return filled(
        "<li>{} {}{}{}</li>",
        _handle(row),
        filled("<b>{}</b> ", as_said(row.title)) if row.title else "",
        as_said(row.text),
        filled(' <span class="quiet">score {}</span>', row.score) if row.score else "",
    )


def _handle(row: Row) -> SafeString:
    if not row.url or row.id is None:
        return filled('<span class="chip">{}</span>', row.kind)
    linked = '<a class="chip {}" href="{}">{} <span class="id">{}</span></a>'
    return filled(linked, hue(row.layer), row.url, row.kind, short_id(row.id))


def _row(row: Row) -> SafeString:
    return filled(
        '<li class="told {}">\n  <p class="told-head">{}{}{}</p>\n  {}{}{}\n</li>',
        hue(row.layer),
        filled("<b>{}</b>", as_said(row.title)) if row.title else "",
        joined(map(_fact, row.facts), ""),
        _chip(row),
        filled('<p class="text">{}</p>\n', as_said(row.text)) if row.text else "",
        _why(row) if row.why else "",
        _score(row) if row.terms else "",
    )


def _fact(fact: Fact) -> SafeString:
    named = ' <span class="fact"><span class="fact-name">{}</span> {}</span>'
    return filled(named, fact.name, as_said(fact.value))


def _chip(row: Row) -> SafeString:
    id = filled(' <span class="id">{}</span>', short_id(row.id)) if row.id else ""
    if row.url:
        return filled(' <a class="chip" href="{}">{}{}</a>', row.url, row.kind, id)
    return filled(' <span class="chip">{}{}</span>', row.kind, id)


def _why(row: Row) -> SafeString:
    return filled('<p class="why"><span class="why-label">In because</span> {}</p>\n', as_said(row.why))


def _score(row: Row) -> SafeString:
    terms = (filled(' <span class="term">{} {}</span>', name, value) for name, value in row.terms)
    return filled(
        '<details class="why"><summary>{}</summary> <span class="terms">score <b>{}</b>{}</span></details>',
        "Its score" if row.why else "Found by search",
        row.score,
        joined(terms, ""),
    )
