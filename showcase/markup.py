"""Marks that a page has by the hundred, made without the template language.

A record with its receipts takes that one half a millisecond, and a page shows a hundred of them. Everything
here goes through `filled`, which escapes what it is given, or through `as_said`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from html import escape

from django.utils.safestring import SafeString

from memory.recall.short_ids import short_id
from showcase.links import anchor
from showcase.parts import Card, Fact, Layer, Receipt
from showcase.said import as_plain, as_said

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NOTHING = SafeString("")
_PLAIN = frozenset({SafeString, int, float})
"""Of what there is nothing to escape; a drawing has thousands of numbers."""


def filled(markup: str, *values: object) -> SafeString:
    """Our own markup with values in its `{}`, escaped where they are not markup already.

    As `format_html` does it, which spends more than half of its time on texts that are translated late.
    """
    return SafeString(markup.format(*[one if type(one) in _PLAIN else escape(str(one)) for one in values]))


def hue(layer: Layer | str) -> str:
    """The class that gives an element the hue of a layer; none for what lies beside the ladder."""
    return layer.lower()


def moment(at: datetime | None) -> SafeString:
    """An instant in the zone that it carries; nothing for none."""
    if at is None:
        return NOTHING
    # As Django's "j M Y, H:i", which takes twenty times as long.
    said = f"{at.day} {MONTHS[at.month - 1]} {at.year:04}, {at:%H:%M}"
    return filled('<time datetime="{}">{}</time>', at.isoformat(), said)


def joined(marks: Iterable[SafeString], between: str = "\n") -> SafeString:
    """Marks one after the other; `between` is our own."""
    return SafeString(between.join(marks))


def record(card: Card, *, is_anchored: bool = False) -> SafeString:
    """One record of any layer in its hue; anchored, it has the id that receipts lead to."""
    return filled(
        '<article class="card {}{}"{}>\n  <header class="card-head">{}{}{}'
        '<span class="card-end">{} {}</span></header>\n  <p class="text">{}</p>{}{}\n</article>',
        hue(card.layer),
        " card-past" if card.state else "",
        filled(' id="{}"', anchor(card.kind, card.id)) if is_anchored else "",
        filled('<span class="tag">{}</span>\n', card.layer) if card.layer else "",
        _title(card),
        filled('<span class="state">{}</span>\n', card.state) if card.state else "",
        moment(card.at),
        _id(card),
        as_said(card.text),
        _attachment(card.attachment) if card.attachment else "",
        _foot(card) if card.facts or card.receipts else "",
    )


def _title(card: Card) -> SafeString:
    if card.title:
        return filled('<span class="card-title">{}</span>\n', as_said(card.title))
    return filled('<span class="card-kind">{}</span>\n', card.kind)


def _id(card: Card) -> SafeString:
    """The short id, which opens the record where it has a page."""
    id = short_id(card.id)
    if not card.url:
        return filled('<span class="id">{}</span>', id)
    opens = '<a class="id" href="{}"><span class="hidden">Open {}</span> {}</a>'
    return filled(opens, card.url, card.kind, id)


def _attachment(text: str) -> SafeString:
    attached = '\n  <p class="text text-attached"><span class="hidden">Attached:</span> {}</p>'
    return filled(attached, as_said(text))


def _foot(card: Card) -> SafeString:
    facts = joined(_fact(fact) for fact in card.facts)
    return filled('\n  <footer class="card-foot">{}\n{}</footer>', facts, receipts(card.receipts))


def _fact(fact: Fact) -> SafeString:
    return filled('<span class="fact"><span class="fact-name">{}</span> {}</span>', fact.name, _value(fact))


def _value(fact: Fact) -> SafeString:
    if fact.at:
        return moment(fact.at)
    if fact.url:
        return filled('<a href="{}">{}</a>', fact.url, as_said(fact.value))
    return as_said(fact.value)


def receipts(rests_on: Iterable[Receipt]) -> SafeString:
    """What a row rests on, as marks in the hue of their layer; nothing where there is nothing."""
    marks = joined(_receipt(one) for one in rests_on)
    if not marks:
        return NOTHING
    return filled('<span class="receipts"><span class="hidden">Rests on:</span>\n{}\n</span>', marks)


def _receipt(receipt: Receipt) -> SafeString:
    if receipt.id is None:
        return filled('<span class="chip">{}</span>', as_said(receipt.text))
    layer, id = hue(receipt.layer), short_id(receipt.id)
    if not receipt.url:
        named = '<span class="chip {}">{} <span class="id">{}</span></span>'
        return filled(named, layer, receipt.kind, id)
    note = filled(' title="{}"', as_plain(receipt.note)) if receipt.note else ""
    linked = '<a class="chip {}" href="{}"{}>{} <span class="id">{}</span></a>'
    return filled(linked, layer, receipt.url, note, receipt.kind, id)
