"""A person's wording of a draft: read tolerantly, compared line by line, recorded as a correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory.cascade.contract import TITLE_LIMIT, UNSTORABLE
from memory.cascade.rules.difference import Change, Difference, VersionLine, difference
from memory.models import Correction, ProcedureVersion
from memory.models.skills import BOUNDARY_LIMIT, PROCEDURE_LINE_LIMIT
from memory.skills.document import Part, ProcedureText, normal_procedure, parse_procedure
from memory.skills.version_writing import LineText, Receipts, VersionText, stored_text
from memory.stewardship.actors import Actor, RefusedChangeError

LINES_LIMIT = 200
SHOWN_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class Edited:
    """A draft as a person would have it; lines without receipts are changed or new."""

    text: VersionText
    change: Difference
    repairs: tuple[str, ...]
    """What of the Markdown was not in canonical form."""

    def corrected_by(self, correction: UUID) -> VersionText:
        """The same with the correction under every line that the person changed."""
        lines = tuple(
            replace(line, receipts=Receipts(corrections=(correction,))) if line.receipts.is_empty else line
            for line in self.text.lines
        )
        return replace(self.text, lines=lines)


def preview_edit(*, draft: ProcedureVersion, markdown: str) -> Edited:
    """What an edit would come to; writes nothing. Raises RefusedChangeError for what cannot be stored."""
    return edited_text(stored_text(draft), markdown)


def edited_text(before: VersionText, markdown: str) -> Edited:
    """The person's Markdown over the lines of a draft: those with the same words keep what they rest on.

    Raises RefusedChangeError, with the line, for what cannot be stored.
    """
    if UNSTORABLE.search(markdown):
        raise RefusedChangeError("The text holds a character that cannot be stored.")
    parsed = parse_procedure(markdown)
    text = normal_procedure(parsed.text)
    text = replace(text, title=text.title or before.title)
    _refuse_unstorable(text)
    stood = {VersionLine(place, line.section, line.text): line for place, line in enumerate(before.lines)}
    wanted = [
        VersionLine(("new", place), line.section.value, line.text) for place, line in enumerate(text.lines)
    ]
    change = difference(list(stood), wanted)
    lines = _with_receipts(stood, change)
    return Edited(VersionText(text.title, text.boundary, lines, before.incidental), change, parsed.repairs)


def _refuse_unstorable(text: ProcedureText) -> None:
    limits = [("title", text.title, TITLE_LIMIT), ("boundary", text.boundary, BOUNDARY_LIMIT)]
    limits += [
        (f"line «{line.text[:SHOWN_CHARACTERS]}…»", line.text, PROCEDURE_LINE_LIMIT) for line in text.lines
    ]
    for name, words, limit in limits:
        if len(words) > limit:
            raise RefusedChangeError(f"The {name} has {len(words)} characters; at most {limit} are stored.")
    if len(text.lines) > LINES_LIMIT:
        raise RefusedChangeError(f"The text has {len(text.lines)} lines; at most {LINES_LIMIT} are stored.")
    if not any(line.section is Part.PROCEDURE for line in text.lines):
        raise RefusedChangeError("The section Procedure has no line.")


def _with_receipts(stood: Mapping[VersionLine, LineText], change: Difference) -> tuple[LineText, ...]:
    kept = {after: stood[before].receipts for before, after in change.unchanged}
    lines = [line.after for line in change.changes if line.after]
    return tuple(LineText(line.section, line.text, kept.get(line, Receipts())) for line in lines)


def write_correction(
    draft: ProcedureVersion, before: VersionText, edited: Edited, actor: Actor, reason: str
) -> Correction:
    """Within a transaction: who changed which lines and why; evidence of the lines that changed."""
    changes = [line for line in edited.change.changes if line.change is not Change.UNCHANGED]
    return Correction.objects.create(
        workspace_id=draft.workspace_id,
        entity_id=draft.entity_id,
        kind=Correction.Kind.PROCEDURE_EDITED,
        reason=reason.strip(),
        before=_record(draft, before, [line.before for line in changes]),
        after=_record(draft, edited.text, [line.after for line in changes]),
        **actor.columns,
    )


def _record(
    draft: ProcedureVersion, text: VersionText, lines: Sequence[VersionLine | None]
) -> dict[str, object]:
    """One side of a change: title, boundary, and the lines that are not the same on the other side."""
    return {
        "procedure": str(draft.procedure_id),
        "version": str(draft.pk),
        "title": text.title,
        "boundary": text.boundary,
        "lines": [{"section": line.section, "text": line.text} for line in lines if line],
    }
