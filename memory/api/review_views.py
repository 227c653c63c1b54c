"""Reviews of drafts, by the bearer of a key with scope admin."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api import skill_bodies as bodies
from memory.api.authentication import CanAdmin
from memory.api.correction_requests import ReasonGiven
from memory.api.operations import operation
from memory.api.reading import read_body
from memory.api.skill_requests import ApprovalGiven, EditGiven, RollbackGiven
from memory.api.views import JsonView
from memory.models import Procedure, ProcedureVersion
from memory.skills import reading
from memory.skills.review import approve, edit_and_approve, reject, retire_procedure, rollback
from memory.stewardship.actors import Actor


class ReviewView(JsonView):
    """A decision about a procedure."""

    permission_classes = [CanAdmin]

    def actor(self) -> Actor:
        """Whoever holds the key."""
        return Actor(key=self.access().key)

    def draft(self, version_id: UUID) -> ProcedureVersion:
        """The version of the address."""
        return reading.opened(ProcedureVersion.objects.all(), self.access(), version_id)

    def procedure(self, procedure_id: UUID) -> Procedure:
        """The procedure of the address."""
        return reading.opened(Procedure.objects.all(), self.access(), procedure_id)

    def told(self, version: ProcedureVersion) -> Response:
        """The version as it stands now."""
        return Response(bodies.version_body(version.entity.name, reading.version_record(version)))


class ApproveView(ReviewView):
    """`POST /drafts/{id}/approve`."""

    @operation("Approve a draft", body=ApprovalGiven, returns=bodies.VersionBody)
    def post(self, request: Request, version_id: UUID) -> Response:
        """Make the draft the active version."""
        given = read_body(ApprovalGiven, cast(dict[str, Any], request.data))
        draft = self.draft(version_id)
        approved = approve(draft=draft, actor=self.actor(), base=given.base, reason=given.reason)
        return self.told(approved)


class EditView(ReviewView):
    """`POST /drafts/{id}/edit`."""

    @operation("Edit and approve a draft", body=EditGiven, returns=bodies.VersionBody)
    def post(self, request: Request, version_id: UUID) -> Response:
        """Make a person's wording of the draft the active version."""
        given = read_body(EditGiven, cast(dict[str, Any], request.data))
        edited = edit_and_approve(
            draft=self.draft(version_id),
            markdown=given.markdown,
            actor=self.actor(),
            base=given.base,
            reason=given.reason,
        )
        return self.told(edited)


class RejectView(ReviewView):
    """`POST /drafts/{id}/reject`."""

    @operation("Reject a draft", body=ReasonGiven, returns=bodies.VersionBody)
    def post(self, request: Request, version_id: UUID) -> Response:
        """Turn the draft down; the next one is made with the reason."""
        given = read_body(ReasonGiven, cast(dict[str, Any], request.data))
        return self.told(reject(draft=self.draft(version_id), actor=self.actor(), reason=given.reason))


class RollbackView(ReviewView):
    """`POST /procedures/{id}/rollback`."""

    @operation("Make an earlier version active", body=RollbackGiven, returns=bodies.VersionBody)
    def post(self, request: Request, procedure_id: UUID) -> Response:
        """Make an earlier version active again."""
        given = read_body(RollbackGiven, cast(dict[str, Any], request.data))
        procedure = self.procedure(procedure_id)
        version = rollback(procedure=procedure, number=given.number, actor=self.actor(), reason=given.reason)
        return self.told(version)


class RetireView(ReviewView):
    """`POST /procedures/{id}/retire`."""

    @operation("Retire a procedure", body=ReasonGiven, returns=bodies.NamedProcedureBody)
    def post(self, request: Request, procedure_id: UUID) -> Response:
        """End a procedure; nothing of it is handed out any more."""
        given = read_body(ReasonGiven, cast(dict[str, Any], request.data))
        procedure = self.procedure(procedure_id)
        retire_procedure(procedure=procedure, actor=self.actor(), reason=given.reason)
        record = reading.procedure_record(procedure)
        return Response(bodies.procedure_body(procedure.entity, record))
