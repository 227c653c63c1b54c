"""The command `procedure` over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from memory.cascade.rules.difference import Change
from memory.client import LineCitation, Memory, Procedure, ProcedureVersion, VersionSummary
from memory.skills import records
from memory.walkthrough.access import Procedures, ShownProcedure
from memory.walkthrough.choosing import (
    ACTIVE,
    DRAFT,
    MOST_SHOWN,
    NONE_FITS,
    USE_OR_ACTIVE,
    Choice,
    approved,
    handed_out,
    matching,
    noted,
    the_one,
    turned_down,
)
from memory.walkthrough.translating import record


class RemoteProcedures:
    """Reviews, uses and feedback of one entity; errors are the client's."""

    def __init__(self, client: Memory, entity: str) -> None:
        self.client = client
        self.entity = entity

    def shown(self, words: str) -> Procedures:
        """The live procedures that are for some words, all without words; the newest first."""
        wanted = words or None
        rows = self.client.procedures(entity=self.entity, words=wanted, limit=MOST_SHOWN)
        found = tuple(self._shown(row) for row in rows if row.active is not None or row.draft is not None)
        return Procedures(found, "" if found or not words else NONE_FITS)

    def _shown(self, procedure: Procedure) -> ShownProcedure:
        return ShownProcedure(procedure.id, self._version(procedure.active), self._version(procedure.draft))

    def _version(self, summary: VersionSummary | None) -> records.VersionRecord | None:
        return None if summary is None else version_record(self.client.version(summary.id))

    def approve(self, id_part: str, reason: str) -> Procedures:
        """Make a draft the active version, as it was shown."""
        draft = the_one(self._drafts(), id_part, DRAFT)
        version = self.client.approve(draft, reason=reason)
        return self._after(version.procedure, approved(version.number))

    def reject(self, id_part: str, reason: str) -> Procedures:
        """Turn a draft down."""
        draft = the_one(self._drafts(), id_part, DRAFT)
        self.client.reject(draft, reason=reason)
        return self._after(draft.procedure, turned_down(draft.number))

    def use(self, id_part: str) -> Procedures:
        """Hand out the active version that an id means, and say which use that was."""
        version = the_one(self._active(), id_part, ACTIVE)
        use = self.client.hand_out(version.procedure)
        return self._after(version.procedure, handed_out(use.id, use.sha256))

    def say(self, id_part: str, comment: str, settle: Callable[[], tuple[str, ...]]) -> Procedures:
        """Feedback on a use or an active version; `settle` waits for the next draft."""
        ids = (use.id for use in self.client.uses(entity=self.entity))
        uses = matching((Choice(id, (id,)) for id in ids), id_part)
        version = None if uses else the_one(self._active(), id_part, USE_OR_ACTIVE)
        stored = self.client.feedback(
            entity=self.entity,
            use=uses[0].value if uses else None,
            procedure_version=version.id if version else None,
            kind="correction",
            source="operator",
            comment=comment,
        )
        notice = noted(settle())
        if stored.procedure_version is None:
            return Procedures((), notice)
        return self._after(self.client.version(stored.procedure_version).procedure, notice)

    def _after(self, procedure: UUID, notice: str) -> Procedures:
        return Procedures((self._shown(self.client.procedure(procedure)),), notice)

    def _drafts(self) -> list[Choice[VersionSummary]]:
        return [_choice(draft) for draft in self.client.drafts(entity=self.entity)]

    def _active(self) -> list[Choice[VersionSummary]]:
        rows = self.client.procedures(entity=self.entity)
        return [_choice(row.active) for row in rows if row.active is not None]


def _choice(version: VersionSummary) -> Choice[VersionSummary]:
    """A version is meant by its own id or by its procedure's."""
    return Choice(version, (version.id, version.procedure), version.title)


def version_record(version: ProcedureVersion) -> records.VersionRecord:
    """A version in full as the terminal's record."""
    reviews = tuple(record(records.ReviewRecord, review) for review in version.reviews)
    return record(
        records.VersionRecord,
        version,
        summary=record(records.VersionSummary, version, reviews=reviews),
        lines=tuple(
            record(records.LineRecord, line, citations=_citations(line.citations)) for line in version.lines
        ),
        difference=record(
            records.VersionDifference,
            version.difference,
            lines=tuple(
                record(
                    records.LineDifference,
                    line,
                    change=Change(line.change),
                    citations=_citations(line.citations),
                )
                for line in version.difference.lines
            ),
        ),
    )


def _citations(citations: tuple[LineCitation, ...]) -> tuple[records.Citation, ...]:
    return tuple(record(records.Citation, citation) for citation in citations)
