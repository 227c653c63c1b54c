"""What Markdown makes of a scene: carried lines, new ones, and what stands in the way. No writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.cascade.contract import LINE_TEXT_LIMIT, TITLE_LIMIT
from memory.cascade.rules.difference import Difference, VersionLine, difference
from memory.cascade.rules.scene_text import SECTION_ORDER, ParsedLine, normal_text
from memory.cascade.rules.sections import parse_scene, render_scene
from memory.cascade.rules.summaries import LEAST_WORDS, MOST_CHARACTERS, MOST_WORDS, summary_of
from memory.ingest.storable import is_blank, text_problem
from memory.models import Line, Section
from memory.stewardship.scene_heads import NewLine, SceneHead

SHOWN = 60


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """A line as it would stand."""

    section: str
    text: str
    line: UUID | None
    """The row that is carried over with its evidence; None for one that is written."""
    replaces: UUID | None = None
    """The line in whose place it is written."""
    is_pinned: bool = False


@dataclass(frozen=True, slots=True)
class ScenePreview:
    """What an edit would do, shown before it is saved."""

    base: int
    title: str
    summary: str
    lines: tuple[PreviewLine, ...]
    repairs: tuple[str, ...]
    """What was not in the usual form, and how it was read."""
    difference: Difference
    problems: tuple[str, ...]
    """Why it cannot be saved; empty when it can."""


def markdown_of(head: SceneHead) -> str:
    """The text that a person edits."""
    sections = {section.value: section for section in SECTION_ORDER}
    lines = [ParsedLine(sections[line.section], line.text) for line in head.lines]
    return render_scene(head.version.title, lines)


def plan_edit(head: SceneHead, *, markdown: str, summary: str, most_characters: int) -> ScenePreview:
    """Read the Markdown tolerantly and compare it with the head.

    A line that says the same in the same section is carried over; any other is written anew. `summary` is
    empty to have one made from the lines.
    """
    parsed = parse_scene(markdown)
    lines, repairs = _once(parsed.lines)
    if not parsed.title:
        repairs = (*repairs, "The title was kept.")
    compared = difference(_old(head), [VersionLine(at, str(line.section), line.text) for at, line in lines])
    planned = _planned(head, compared)
    preview = ScenePreview(
        base=head.version.number,
        title=parsed.title or head.version.title,
        summary=_summary(head, summary, planned),
        lines=planned,
        repairs=(*parsed.repairs, *repairs),
        difference=compared,
        problems=(),
    )
    problems = tuple(dict.fromkeys(_problems(head, preview, summary, most_characters)))
    return ScenePreview(
        preview.base,
        preview.title,
        preview.summary,
        preview.lines,
        preview.repairs,
        preview.difference,
        problems,
    )


def draft_of(head: SceneHead, preview: ScenePreview) -> list[Line | NewLine]:
    """The lines of a plan as they are written: rows that stay, new ones on the claims that still hold."""
    rows = {line.pk: line for line in head.lines}
    return [
        rows[line.line]
        if line.line is not None
        else NewLine(
            line.section,
            line.text,
            head.standing(rows[line.replaces]) if line.replaces is not None else (),
            line.replaces,
        )
        for line in preview.lines
    ]


def _old(head: SceneHead) -> list[VersionLine]:
    return [VersionLine(line.pk, line.section, normal_text(line.text)) for line in head.lines]


def _once(lines: Sequence[ParsedLine]) -> tuple[list[tuple[int, ParsedLine]], tuple[str, ...]]:
    kept = list(dict.fromkeys(lines))
    repairs = ("A line that stood there twice was taken once.",) if len(kept) < len(lines) else ()
    return list(enumerate(kept)), repairs


def _planned(head: SceneHead, compared: Difference) -> tuple[PreviewLine, ...]:
    rows: Mapping[object, Line] = {line.pk: line for line in head.lines}
    same = {after.id: rows[before.id] for before, after in compared.unchanged}
    reworded = {after.id: rows[before.id] for before, after in compared.reworded}
    planned: list[PreviewLine] = []
    for change in compared.changes:
        after = change.after
        if after is None:
            continue
        if (row := same.get(after.id)) is not None:
            planned.append(PreviewLine(row.section, row.text, row.pk, is_pinned=row.is_pinned))
        else:
            old = reworded.get(after.id)
            planned.append(PreviewLine(after.section, after.text, None, old.pk if old else None))
    return tuple(planned)


def _summary(head: SceneHead, given: str, planned: Sequence[PreviewLine]) -> str:
    """The given one; else, if lines change, one from the lines: the old one may tell what was removed."""
    if given.strip():
        return normal_text(given)
    if [line.line for line in planned] == [line.pk for line in head.lines]:
        return head.version.summary
    return made_summary(planned)


def made_summary(lines: Sequence[PreviewLine | Line | NewLine]) -> str:
    """A summary of what holds: the Evolution Record tells of what held once."""
    return summary_of("", [line.text for line in lines if line.section != Section.EVOLUTION_RECORD])


def _problems(head: SceneHead, preview: ScenePreview, summary: str, most: int) -> Iterator[str]:
    yield from _text_problems("The title", preview.title, TITLE_LIMIT)
    for line in preview.lines:
        if line.line is None:
            yield from _text_problems(f"«{line.text[:SHOWN]}»", line.text, LINE_TEXT_LIMIT)
    if not preview.lines:
        yield "A scene has at least one line: retire it instead."
    total = sum(len(line.text) for line in preview.lines)
    # A scene that is too long already may shrink.
    if total > most and total >= head.characters:
        yield f"The scene would have {total} characters, the limit is {most}."
    yield from _pin_problems(head, preview)
    if summary.strip():
        yield from _summary_problems(preview.summary)
    if _says_the_same(head, preview):
        yield "Nothing would change."


def _text_problems(name: str, text: str, limit: int) -> Iterator[str]:
    if is_blank(text):
        yield f"{name} holds nothing that can be seen."
    if problem := text_problem(text):
        yield f"{name} {problem}."
    if len(text) > limit:
        yield f"{name} has {len(text)} characters, the limit is {limit}."


def _pin_problems(head: SceneHead, preview: ScenePreview) -> Iterator[str]:
    kept = {line.line for line in preview.lines}
    for line in head.lines:
        if line.is_pinned and line.pk not in kept:
            yield f"«{line.text[:SHOWN]}» is pinned: unpin it before it is changed."


def _summary_problems(summary: str) -> Iterator[str]:
    count = len(summary.split())
    is_spaced = count > 1 or summary.isascii()
    if is_spaced and not LEAST_WORDS <= count <= MOST_WORDS:
        yield f"The summary has {count} words, {LEAST_WORDS} to {MOST_WORDS} are taken."
    yield from _text_problems("The summary", summary, MOST_CHARACTERS)


def _says_the_same(head: SceneHead, preview: ScenePreview) -> bool:
    stands = (head.version.title, head.version.summary, [line.pk for line in head.lines])
    return stands == (preview.title, preview.summary, [line.line for line in preview.lines])
