"""Skills: what agents did, the procedures that people approved of it, and what was said of their use."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid4

from memory.client.asking import Asking, listed
from memory.client.errors import ConflictError, StillWaitingError
from memory.client.exchange import Flow, Pause
from memory.client.given import NewStep, told
from memory.client.running import Pages, door, listing
from memory.client.skill_results import (
    Feedback,
    HandedOut,
    Procedure,
    ProcedureVersion,
    TaskTrace,
    Use,
    VersionSummary,
)

Outcome = Literal["success", "partial", "failure", "unknown"]
DRAFT_SECONDS = 120.0
FIRST_LOOK_SECONDS, LONGEST_LOOK_SECONDS = 0.1, 2.0


class SkillDoors(Asking):
    """From traces to procedures, and from uses to feedback."""

    @door
    def record_trace(
        self,
        *,
        task: str,
        outcome: Outcome = "unknown",
        steps: Iterable[NewStep] | None = None,
        entity: str | None = None,
        session: UUID | str | None = None,
        note: str = "",
        external_id: str | None = None,
        occurred_at: datetime | None = None,
    ) -> Flow[TaskTrace]:
        """Store how a task was carried out: its steps, or a `session` whose turns show them.

        A worker drafts a procedure from it; nothing of it reaches an agent before a person approves. Without
        an `external_id` of your own steps get a random one, so that a second try stores nothing twice.
        """
        sent = None if steps is None else [step.model_dump(mode="json", exclude_unset=True) for step in steps]
        own = external_id if sent is None or external_id is not None else f"client-{uuid4().hex}"
        body = told(
            entity=entity,
            task=task,
            outcome=outcome,
            note=note,
            session=session,
            external_id=own,
            occurred_at=occurred_at,
        )
        if sent is not None:
            body["steps"] = sent
        return (yield from self._read(TaskTrace, "POST", "traces", body=body))

    @listing
    def traces(self, *, entity: str, limit: int | None = None) -> Pages[TaskTrace]:
        """Traces, newest first."""
        return self._pages(TaskTrace, "traces", "traces", limit=limit, query={"entity": entity})

    @listing
    def procedures(
        self,
        *,
        entity: str,
        status: Literal["live", "retired", "all"] = "live",
        words: str | None = None,
        limit: int | None = None,
    ) -> Pages[Procedure]:
        """Procedures, newest first, each with its active version and the draft that waits.

        With `words` those that are for them alone.
        """
        query = told(entity=entity, status=status, words=words)
        return self._pages(Procedure, "procedures", "procedures", limit=limit, query=query)

    @door
    def procedure(self, procedure_id: UUID | str) -> Flow[Procedure]:
        """One procedure; NotFoundError for one that the key does not open."""
        return (yield from self._read(Procedure, "GET", f"procedures/{_id(procedure_id)}"))

    @listing
    def versions(self, procedure_id: UUID | str, *, limit: int | None = None) -> Pages[VersionSummary]:
        """The versions of a procedure, newest first, each with its reviews."""
        path = f"procedures/{_id(procedure_id)}/versions"
        return self._pages(VersionSummary, path, "versions", limit=limit, query={})

    @door
    def version(self, version_id: UUID | str) -> Flow[ProcedureVersion]:
        """A version line by line, with what each line rests on, and what it changes."""
        return (yield from self._read(ProcedureVersion, "GET", f"versions/{_id(version_id)}"))

    @listing
    def drafts(self, *, entity: str, limit: int | None = None) -> Pages[VersionSummary]:
        """The drafts that wait for a review, newest first."""
        return self._pages(VersionSummary, "drafts", "drafts", limit=limit, query={"entity": entity})

    @door
    def next_draft(
        self,
        *,
        entity: str,
        procedure: UUID | str | None = None,
        timeout_seconds: float = DRAFT_SECONDS,
    ) -> Flow[ProcedureVersion]:
        """Wait until a draft waits for a review, of one procedure where it is given, and read it in full.

        StillWaitingError when none has come by then: a worker goes on, or what was said changes nothing.
        """
        ends_at = self._limits.clock() + timeout_seconds
        pause = FIRST_LOOK_SECONDS
        while True:
            page = yield from self._ask("GET", "drafts", query={"entity": entity})
            drafts = listed(VersionSummary, page, "drafts")
            for draft in drafts:
                if procedure is None or draft.procedure == _id(procedure):
                    return (yield from self._read(ProcedureVersion, "GET", f"versions/{draft.id}"))
            left = ends_at - self._limits.clock()
            if left <= 0:
                raise StillWaitingError("No draft has come yet; the work goes on without you.")
            yield Pause(min(pause, left))
            pause = min(LONGEST_LOOK_SECONDS, pause * 1.5)

    @door
    def approve(self, draft: VersionSummary, *, reason: str = "") -> Flow[ProcedureVersion]:
        """Make a draft that you looked at the active version; scope admin.

        ConflictError when another draft or version has come meanwhile. What is active already stays so.
        """
        body = {"base": draft.base, "reason": reason}
        return (yield from self._decided(draft, "approve", body, "active"))

    @door
    def edit(self, draft: VersionSummary, markdown: str, *, reason: str = "") -> Flow[ProcedureVersion]:
        """Make your own wording of a draft the active version; scope admin. Errors as with `approve`.

        Your wording becomes a version of its own. A ConflictError after a broken connection may mean that the
        first try came through: look at the procedure.
        """
        body = {"base": draft.base, "markdown": markdown, "reason": reason}
        return (yield from self._read(ProcedureVersion, "POST", f"drafts/{draft.id}/edit", body=body))

    @door
    def reject(self, draft: VersionSummary, *, reason: str) -> Flow[ProcedureVersion]:
        """Turn a draft down; the next one is made with the reason. Scope admin."""
        return (yield from self._decided(draft, "reject", {"reason": reason}, "rejected"))

    @door
    def rollback(self, procedure_id: UUID | str, *, number: int, reason: str = "") -> Flow[Procedure]:
        """Make an earlier version active again; scope admin. What is active already stays so."""
        body = {"number": number, "reason": reason}
        return (
            yield from self._turned(
                procedure_id,
                "rollback",
                body,
                lambda now: now.active is not None and now.active.number == number,
            )
        )

    @door
    def retire(self, procedure_id: UUID | str, *, reason: str = "") -> Flow[Procedure]:
        """End a procedure: nothing of it is handed out any more; scope admin."""
        body = {"reason": reason}
        return (yield from self._turned(procedure_id, "retire", body, lambda now: now.status == "retired"))

    @door
    def hand_out(self, procedure_id: UUID | str, *, keep_text: bool = False) -> Flow[HandedOut]:
        """The active version of a procedure as Markdown, recorded as a use; scope write."""
        body = {"procedure": str(_id(procedure_id)), "keep_text": keep_text}
        return (yield from self._read(HandedOut, "POST", "uses", body=body))

    @listing
    def uses(self, *, entity: str, limit: int | None = None) -> Pages[Use]:
        """What was handed to an entity's agents, newest first."""
        return self._pages(Use, "uses", "uses", limit=limit, query={"entity": entity})

    @door
    def feedback(
        self,
        *,
        entity: str,
        use: UUID | str | None = None,
        procedure_version: UUID | str | None = None,
        kind: str,
        source: str,
        score: float | None = None,
        label: str = "",
        comment: str = "",
        expected: str = "",
        actual: str = "",
    ) -> Flow[Feedback]:
        """Say something of a use, or of a version of a procedure; the next draft is made with it.

        `kind` is thumbs_up, thumbs_down, correction, task_success, task_failure, exception or evaluation;
        `source` end_user, operator, evaluator or application; `score` lies between 0 and 1. A use that handed
        out several procedures needs the `procedure_version` that is meant.
        """
        body = told(
            id=uuid4(),
            entity=entity,
            use=use,
            procedure_version=procedure_version,
            kind=kind,
            source=source,
            score=score,
            label=label,
            comment=comment,
            expected=expected,
            actual=actual,
        )
        return (yield from self._read(Feedback, "POST", "feedback", body=body))

    @listing
    def feedback_given(
        self,
        *,
        entity: str,
        use: UUID | str | None = None,
        procedure: UUID | str | None = None,
        limit: int | None = None,
    ) -> Pages[Feedback]:
        """Feedback, newest first; of one use or about one procedure, where these are given."""
        query = told(entity=entity, use=use, procedure=procedure)
        return self._pages(Feedback, "feedback", "feedback", limit=limit, query=query)

    def _decided(
        self, draft: VersionSummary, word: str, body: dict[str, Any], status: str
    ) -> Flow[ProcedureVersion]:
        """A decision; one that had been carried out before is no conflict."""
        try:
            return (yield from self._read(ProcedureVersion, "POST", f"drafts/{draft.id}/{word}", body=body))
        except ConflictError:
            now = yield from self._read(ProcedureVersion, "GET", f"versions/{draft.id}")
            if now.status != status:
                raise
            return now

    def _turned(
        self, procedure_id: UUID | str, word: str, body: dict[str, Any], is_so: Any
    ) -> Flow[Procedure]:
        path = f"procedures/{_id(procedure_id)}"
        try:
            yield from self._ask("POST", f"{path}/{word}", body=body)
        except ConflictError:
            now = yield from self._read(Procedure, "GET", path)
            if not is_so(now):
                raise
            return now
        return (yield from self._read(Procedure, "GET", path))


def _id(given: UUID | str) -> UUID:
    return UUID(str(given))
