"""L1: the claims of a batch and what to do with each."""

from __future__ import annotations

from memory.cascade.contract import TITLE_LIMIT, AtomDecision, ExtractAnswer, ExtractPayload, OfferedAtom
from memory.llm.offline.claims import Claim
from memory.llm.offline.decisions import Known, Match, best_match
from memory.llm.offline.statements import claims_of
from memory.llm.offline.topics import chosen_topic

NOTHING_DURABLE = "No message of the batch states something durable in words the offline model can read."
SUBJECT_LIMIT, SCOPE_LIMIT = 128, 200
NO_MESSAGES = "The batch holds no message of a person."


def extract(payload: ExtractPayload) -> ExtractAnswer:
    """Decisions for every claim of the batch, in the order in which they were said."""
    batch = _Batch(payload)
    turns = [*payload.context]
    for message in payload.messages:
        for claim in claims_of(message, turns):
            batch.decide(claim)
        if message.role != "system":
            turns.append(message)
    if batch.items:
        return ExtractAnswer(items=batch.items)
    has_words = any(message.role == "user" for message in payload.messages)
    return ExtractAnswer(items=[], nothing_reason=NOTHING_DURABLE if has_words else NO_MESSAGES)


class _Batch:
    """The answer as it grows: each claim is compared with memory and with the items before it."""

    def __init__(self, payload: ExtractPayload) -> None:
        self.items: list[AtomDecision] = []
        self.known = {
            atom.handle: _known_atom(atom) for atom in payload.atoms if atom.state in {"live", "contested"}
        }
        self.topics = {*payload.topics, *(atom.topic for atom in payload.atoms if atom.topic)}

    def decide(self, claim: Claim) -> None:
        topic = chosen_topic(claim.hint, claim.kind, claim.clause, claim.person, self.topics)
        new = Known(
            "",
            claim.text,
            claim.kind,
            claim.subject,
            topic,
            claim.scope,
            claim.happened_from,
            claim.happened_until,
            claim.said_on,
        )
        match = best_match(new, self.known.values())
        if match is None:
            self._store(claim, topic)
        elif match.verdict == "same":
            self._skip(claim, match)
        else:
            self._merge(claim, match)

    def _store(self, claim: Claim, topic: str) -> None:
        self._add(claim, topic, AtomDecision(action="store", messages=[claim.message], **_told(claim, topic)))

    def _skip(self, claim: Claim, match: Match) -> None:
        handle = match.known.handle
        self.items.append(
            AtomDecision(
                action="skip", messages=[claim.message], targets=[handle], reason=f"repeats {handle}"
            )
        )

    def _merge(self, claim: Claim, match: Match) -> None:
        topic = match.known.topic or chosen_topic(
            claim.hint, claim.kind, claim.clause, claim.person, self.topics
        )
        decision = AtomDecision(
            action="merge",
            messages=[claim.message],
            targets=[match.known.handle],
            reason=match.verdict,
            **_told(claim, topic),
        )
        del self.known[match.known.handle]
        self._add(claim, topic, decision, (match.known.text, *match.known.supersedes))

    def _add(
        self, claim: Claim, topic: str, decision: AtomDecision, supersedes: tuple[str, ...] = ()
    ) -> None:
        self.items.append(decision)
        self.topics.add(topic)
        handle = f"n{len(self.items)}"
        self.known[handle] = Known(
            handle,
            claim.text,
            claim.kind,
            claim.subject,
            topic,
            claim.scope,
            claim.happened_from,
            claim.happened_until,
            claim.said_on,
            supersedes,
        )


def _told(claim: Claim, topic: str) -> dict[str, object]:
    return {
        "text": claim.text,
        "kind": claim.kind,
        "priority": claim.priority,
        "topic": topic[:TITLE_LIMIT].strip(),
        "subject": claim.subject[:SUBJECT_LIMIT].strip(),
        "scope": claim.scope[:SCOPE_LIMIT],
        "happened_from": claim.happened_from,
        "happened_until": claim.happened_until,
    }


def _known_atom(atom: OfferedAtom) -> Known:
    return Known(
        atom.handle,
        atom.text,
        atom.kind,
        atom.subject,
        atom.topic,
        atom.scope,
        atom.happened_from,
        atom.happened_until,
        atom.said_at.date() if atom.said_at else None,
        atom.supersedes,
    )
