"""What the doors of claims may be asked: an observation, and pages of claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from memory.api.requests import ListAsked, Moment, States, storable
from memory.claims.matching import PATTERN_SHAPE, is_pattern
from memory.claims.observation import MessageEvidence, Observation, OutsideEvidence, Subject
from memory.claims.reading import ClaimFilter
from memory.models import Authority

AuthorityName = Literal["application", "tool", "user", "inference", "agent inference"]
AUTHORITIES: Mapping[str, Authority] = {
    "inference": Authority.INFERENCE,
    **{authority.label: authority for authority in Authority},
}


def _pattern(text: str) -> str:
    if not is_pattern(text):
        raise ValueError(f"has to be {PATTERN_SHAPE}")
    return text


Text = Annotated[str, AfterValidator(storable)]
Pattern = Annotated[str, AfterValidator(_pattern)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SubjectGiven(_Given):
    """What a claim is about."""

    kind: Text
    identifier: Text


class EvidenceGiven(_Given):
    """A stored message by its id, or something outside by kind and reference."""

    message: UUID | None = None
    kind: Text | None = None
    reference: Text | None = None
    authority: AuthorityName | None = None
    """Of something outside; left out it is that of the observation."""

    @model_validator(mode="after")
    def is_one_thing(self) -> Self:
        """Either of the two, whole."""
        outside = (self.kind, self.reference)
        is_message = self.message is not None and (*outside, self.authority) == (None, None, None)
        if not is_message and (self.message is not None or None in outside):
            raise ValueError("has to be either message, or kind and reference")
        return self

    def evidence(self, authority: Authority) -> OutsideEvidence | MessageEvidence:
        """The same as the room takes it."""
        if self.message is not None:
            return MessageEvidence(self.message)
        own = AUTHORITIES[self.authority] if self.authority is not None else authority
        return OutsideEvidence(self.kind or "", self.reference or "", own)


class ObservationGiven(_Given):
    """`POST /sessions/{id}/claims`."""

    subject: SubjectGiven
    predicate: Text
    value: Any = None
    """May be left out where a policy has it fetched."""
    authority: AuthorityName
    evidence: tuple[EvidenceGiven, ...]
    valid_from: Moment | None = None
    valid_until: Moment | None = None
    said_at: Moment | None = None

    def observation(self) -> Observation:
        """The same as the room takes it."""
        authority = AUTHORITIES[self.authority]
        return Observation(
            subject=Subject(self.subject.kind, self.subject.identifier),
            predicate=self.predicate,
            value=self.value,
            authority=authority,
            evidence=tuple(item.evidence(authority) for item in self.evidence),
            valid_from=self.valid_from,
            valid_until=self.valid_until,
            said_at=self.said_at,
        )


class ClaimGiven(ObservationGiven):
    """`POST /claims`: an observation, and whose memory it is for."""

    entity: Text


class ClaimsAsked(ListAsked):
    """`GET /claims`."""

    subject_kind: Text = ""
    subject_id: Text = ""
    predicate: Pattern | None = None
    state: States = ("live",)

    def wanted(self) -> ClaimFilter:
        """The same as the room takes it."""
        return ClaimFilter(
            subject_kind=self.subject_kind,
            subject_id=self.subject_id,
            predicate=self.predicate or "",
            states=() if "all" in self.state else self.state,
        )


class HistoryAsked(BaseModel):
    """`GET /claims/{id}/history` and `GET /policies`, which take no parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True)
