"""Scenes on the overview, with lines and receipts: made without the template language, as records are."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.safestring import SafeString

from showcase.links import anchor
from showcase.markup import filled, joined, receipts
from showcase.overview_scenes import ShownLine, ShownScene, ShownSection
from showcase.said import as_said


def scenes(shown: Iterable[ShownScene]) -> SafeString:
    """Each with its sections, or with its summary and how many lines it has."""
    return joined(map(_scene, shown))


def _scene(shown: ShownScene) -> SafeString:
    return filled(
        '<article class="scene" id="{}">\n  <h3><a href="{}">{}</a> '
        '<span class="version">version {}</span></h3>\n  {}{}{}\n</article>',
        anchor("scene", shown.id),
        shown.url,
        as_said(shown.title),
        shown.number,
        filled('<p class="summary">{}</p>\n', as_said(shown.summary)) if shown.summary else "",
        _sections(shown.sections) if shown.sections else _count(shown),
        _due(shown.due) if shown.due else "",
    )


def _sections(sections: Iterable[ShownSection]) -> SafeString:
    return filled('<div class="sections">\n{}\n</div>', joined(map(_section, sections)))


def _section(section: ShownSection) -> SafeString:
    lines = joined(map(_line, section.lines))
    return filled('<div class="section">\n<h4>{}</h4>\n<ul>\n{}\n</ul>\n</div>', section.heading, lines)


def _line(line: ShownLine) -> SafeString:
    return filled(
        '<li id="{}">{}{} {}</li>',
        anchor("line", line.id),
        as_said(line.text),
        SafeString(' <span class="chip">pinned</span>') if line.is_pinned else "",
        receipts(line.receipts),
    )


def _count(shown: ShownScene) -> SafeString:
    counted = f"{shown.line_count} line{'' if shown.line_count == 1 else 's'}"
    return filled('<p class="quiet"><a href="{}">{}</a></p>', shown.url, counted)


def _due(count: int) -> SafeString:
    what = "1 line" if count == 1 else f"{count} lines"
    rests = "it rests" if count == 1 else "they rest"
    said = f"{what} left out until rewritten: what {rests} on no longer holds."
    return filled('\n<p class="notice notice-warn">{}</p>', said)
