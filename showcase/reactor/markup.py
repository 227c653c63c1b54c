"""The items of a stage's lists and what was decided about each, of which it has hundreds."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.safestring import SafeString

from showcase.markup import filled, joined, receipts, record
from showcase.reactor.records import Decision, Item, WrittenLine
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


def decided(decisions: Iterable[Decision]) -> SafeString:
    """What was decided about each item, with the records and lines that it was about."""
    return joined(map(_decision, decisions))


def _decision(decision: Decision) -> SafeString:
    return filled(
        '<li class="decision">\n  <p class="row"><span class="state{}{}">{}</span>{}{}</p>\n'
        "  {}{}{}{}\n</li>",
        " state-" if decision.level else "",
        decision.level,
        decision.said,
        _subject(decision) if decision.title else "",
        filled(' <span class="quiet">{}</span>', as_said(decision.reason)) if decision.reason else "",
        filled('<p class="text quiet">{}</p>', as_said(decision.text)) if decision.text else "",
        _became(decision) if decision.sources or decision.results else "",
        filled('<ul class="difference">{}</ul>', joined(map(_line, decision.lines)))
        if decision.lines
        else "",
        _unchanged(decision.unchanged) if decision.unchanged else "",
    )


def _subject(decision: Decision) -> SafeString:
    title = as_said(decision.title)
    if not decision.url:
        return filled(" <b>{}</b>", title)
    return filled(' <b><a href="{}">{}</a></b>', decision.url, title)


def _became(decision: Decision) -> SafeString:
    """The words on one side, and on the other the claims that came of them or gave way."""
    sources = joined(map(record, decision.sources), "")
    return filled(
        '<div class="became">\n{}<div class="stack">{}</div>\n</div>',
        filled('<div class="stack">{}</div>\n', sources) if sources else "",
        joined(map(record, (*decision.results, *decision.replaced))),
    )


def _unchanged(count: int) -> SafeString:
    kept = '<p class="small quiet">{} line{} carried over as {}, with what {} on.</p>'
    words = ("", "it was", "it rests") if count == 1 else ("s", "they were", "they rest")
    return filled(kept, count, *words)


def _line(line: WrittenLine) -> SafeString:
    return filled(
        '<li class="changed changed-{}"><span class="hidden">{}:</span>{}\n  {}\n  {} '
        '<a class="small" href="{}">Evidence<span class="hidden"> of this line</span></a></li>',
        line.change,
        line.change.capitalize(),
        filled(' <span class="small quiet">{}</span>', line.heading) if line.heading else "",
        _wording(line),
        receipts(line.receipts),
        line.url,
    )


def _wording(line: WrittenLine) -> SafeString:
    if line.change == "removed":
        return filled('<del class="text">{}</del>', as_said(line.before))
    if line.change != "reworded":
        return filled('<ins class="text">{}</ins>', as_said(line.after))
    marks = {"insert": "<ins>{}</ins>", "delete": "<del>{}</del>"}
    pieces = (filled(marks.get(one.edit, "<span>{}</span>"), as_said(one.text)) for one in line.words)
    return filled('<span class="text">{}</span>', joined(pieces, ""))
