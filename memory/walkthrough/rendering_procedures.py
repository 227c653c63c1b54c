"""Procedures as plain text: what agents get, and the draft that waits with what each change rests on."""

from __future__ import annotations

from collections.abc import Iterator

from memory.recall.short_ids import short_id
from memory.recall.times import time_text
from memory.skills.document import PARTS, Part
from memory.skills.records import Citation, LineDifference, VersionRecord
from memory.walkthrough.access import Procedures, ShownProcedure

MARK = "▣"
SECTIONS = tuple(part for part in Part if part is not Part.BOUNDARY)
MARKS = {"added": "+", "removed": "-", "reworded": "~", "unchanged": " "}
TEXT_SHOWN = 120
APPROVALS = ("approved", "edited", "rolled_back")
NOTHING = (
    "No procedures yet. A trace of a task leads to a draft, and a person's approval makes a procedure of it."
)


def procedure_lines(page: Procedures) -> Iterator[str]:
    """What has become of one, then each of them."""
    if page.notice:
        yield page.notice
    if not page.procedures and not page.notice:
        yield NOTHING
    for position, shown in enumerate(page.procedures):
        if position or page.notice:
            yield ""
        yield from _procedure(shown)


def _procedure(shown: ShownProcedure) -> Iterator[str]:
    if shown.active is not None:
        yield f"{_title(shown.active)}{_approved(shown.active)}"
        yield from _sections(shown.active)
    if shown.draft is not None:
        if shown.active is not None:
            yield ""
        yield from _draft(shown.draft)


def _title(version: VersionRecord) -> str:
    summary = version.summary
    return f"{MARK} {summary.title}  [{short_id(summary.id)}] version {summary.number}"


def _approved(version: VersionRecord) -> str:
    reviews = [review for review in version.summary.reviews if review.verdict in APPROVALS]
    if not reviews:
        return ""
    by = f" by {reviews[-1].by}" if reviews[-1].by else ""
    return f", approved {time_text(reviews[-1].at)}{by}"


def _sections(version: VersionRecord) -> Iterator[str]:
    if version.boundary:
        yield f"  {Part.BOUNDARY.heading}: {version.boundary}"
    for section in SECTIONS:
        texts = [line.text for line in version.lines if line.section == section.value]
        if texts:
            yield f"  {section.heading}"
        for number, text in enumerate(texts, start=1):
            dash = f"{number}." if section is Part.PROCEDURE else "-"
            yield f"    {dash} {text}"


def _draft(draft: VersionRecord) -> Iterator[str]:
    """The draft as it differs from what it was made on, and what a person may do with it."""
    yield f"{_title(draft)}, a draft: no agent gets it before a person approves"
    if draft.boundary:
        yield f"  {Part.BOUNDARY.heading}: {draft.boundary}"
    last = ""
    for line in draft.difference.lines:
        if line.section != last:
            yield f"  {PARTS[line.section].heading}"
        last = line.section
        yield from _change(line)
    if draft.incidental:
        yield f"  left out as details of single tasks: {', '.join(draft.incidental)}"
    id = short_id(draft.summary.id)
    yield f"  procedure approve {id}   or   procedure reject {id} <reason>"


def _change(line: LineDifference) -> Iterator[str]:
    yield f"    {MARKS[line.change]} {line.after or line.before}"
    if line.change == "reworded" and line.before != line.after:
        yield f"        was: {line.before}"
    if line.change != "unchanged":
        yield from (f"        {_cited(citation)}" for citation in line.citations)


def _cited(citation: Citation) -> str:
    words = " ".join(citation.says.split())
    shown = words if len(words) <= TEXT_SHOWN else f"{words[:TEXT_SHOWN].rstrip()} …"
    return f"{citation.kind.replace('_', ' ')} [{short_id(citation.id)}] “{shown}” ({citation.of})"
