"""Versions beside each other, line by line: what came, went or was reworded, by whom, on what."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.html import format_html

from memory.admin.links import id_link, target_end
from memory.cascade.rules.difference import (
    Change,
    Difference,
    Edit,
    LineChange,
    TextEdit,
    VersionLine,
    difference,
    word_difference,
)
from memory.models import Run

ERASED = "(erased)"
SIGNS = {Change.ADDED: "+", Change.REMOVED: "−", Change.REWORDED: "~", Change.UNCHANGED: ""}


@dataclass(frozen=True, slots=True)
class Written:
    """A line as a version holds it, with what stands beside it."""

    id: Hashable
    section: str
    text: str
    author: str = ""
    receipts: tuple[str, ...] = ()
    is_pinned: bool = False
    page: str = ""
    """Address of the line's own page."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a difference: its sign, the pieces of its text, and what stands beside the newer one."""

    change: str
    sign: str
    pieces: tuple[TextEdit, ...]
    line: Written


@dataclass(frozen=True, slots=True)
class ShownSection:
    """A section's lines; `is_changed` when one of them came, went or was reworded."""

    title: str
    lines: tuple[ShownLine, ...]

    @property
    def is_changed(self) -> bool:
        """Whether something happened in it."""
        return any(line.sign for line in self.lines)


@dataclass(frozen=True, slots=True)
class Compared:
    """A version beside the one before it; a first one stands alone."""

    sections: tuple[ShownSection, ...]
    is_first: bool = False

    @property
    def counts(self) -> str:
        """How many lines came, went and were reworded."""
        if self.is_first:
            total = sum(len(section.lines) for section in self.sections)
            return f"the first version, {total} line{'' if total == 1 else 's'}"
        told = {"added": "added", "removed": "removed", "reworded": "reworded"}
        lines = [line for section in self.sections for line in section.lines]
        found = {word: sum(line.change == name for line in lines) for name, word in told.items()}
        return ", ".join(f"{count} {word}" for word, count in found.items() if count) or "no line changed"


def compared(old: Sequence[Written] | None, new: Sequence[Written], titles: Mapping[str, str]) -> Compared:
    """The difference of two versions in the order of their sections; `titles` gives order and names.

    Without an older version the lines are shown as they are.
    """
    if old is None:
        alone = compared(new, new, titles)
        return Compared(alone.sections, is_first=True)
    found = difference([_bare(line) for line in old], [_bare(line) for line in new])
    return shown_difference(found, titles, old=old, new=new)


def shown_difference(
    found: Difference, titles: Mapping[str, str], *, old: Sequence[Written] = (), new: Sequence[Written] = ()
) -> Compared:
    """A difference that was made already; lines that are not among `old` and `new` stand alone."""
    before, after = {line.id: line for line in old}, {line.id: line for line in new}
    shown = [_shown(change, before, after) for change in found.changes]
    sections = (
        ShownSection(title, tuple(line for line in shown if line.line.section == section))
        for section, title in titles.items()
    )
    return Compared(tuple(section for section in sections if section.lines))


def author_of(row: Any, runs: Mapping[UUID, Run]) -> str:
    """Who wrote a line or a version: a person by correction, or a run with its model."""
    if row.correction_id is not None:
        return format_html("{} ({})", _person(row.correction), id_link("correction", row.correction_id))
    if row.run_id is None:
        return ""
    run = runs.get(row.run_id)
    return format_html("{} ({})", run.model or run.step, id_link("run", run.pk)) if run else "a removed run"


def runs_of(rows: Iterable[Any]) -> Mapping[UUID, Run]:
    """The runs behind lines and versions, in one statement, without what they recorded."""
    ids = {row.run_id for row in rows if row.run_id is not None}
    return {run.pk: run for run in Run.objects.filter(pk__in=ids).only("model", "step")}


def receipts_of(line: Any) -> tuple[str, ...]:
    """What a line rests on, as links with the beginning of the text."""
    return tuple(target_end(evidence) for evidence in line.evidence.all())


def _person(correction: Any) -> str:
    return str(correction.by or correction.user or "a former user")


def _bare(line: Written) -> VersionLine:
    return VersionLine(line.id, line.section, line.text or ERASED)


def _shown(change: LineChange, before: Mapping[Any, Written], after: Mapping[Any, Written]) -> ShownLine:
    kept = change.after or change.before
    assert kept is not None  # noqa: S101  # a change has one side at least
    line = (after if change.after else before).get(kept.id) or Written(kept.id, kept.section, kept.text)
    return ShownLine(str(change.change), SIGNS[change.change], _pieces(change, kept.text), line)


def _pieces(change: LineChange, text: str) -> tuple[TextEdit, ...]:
    if change.change is Change.REWORDED and change.before and change.after:
        return word_difference(change.before.text, change.after.text)
    return (TextEdit(Edit.EQUAL, text),)
