"""L1: the claims of a batch and what to do with each."""

from __future__ import annotations

from dataclasses import replace

from memory.cascade.contract import (
    TITLE_LIMIT,
    AtomDecision,
    ExtractAnswer,
    ExtractPayload,
    OfferedAtom,
    OfferedMessage,
)
from memory.llm.offline import corrections
from memory.llm.offline.claims import Claim
from memory.llm.offline.decisions import Known, Match, best_match
from memory.llm.offline.statements import TURNS_LOOKED_BACK, read
from memory.llm.offline.topics import chosen_topic

NOTHING_DURABLE = "No message of the batch states something durable in words the offline model can read."
SUBJECT_LIMIT, SCOPE_LIMIT = 128, 200
NO_MESSAGES = "The batch holds no message of a person."


def extract(payload: ExtractPayload) -> ExtractAnswer:
    """Decisions for every claim of the batch, in the order in which they were said."""
    batch = _Batch(payload)
    turns = [*payload.context]
    for message in payload.messages:
        told, mends = corrections.apart(message, turns[-TURNS_LOOKED_BACK:])
        reading = read(told, turns)
        for claim in reading.claims:
            batch.decide(claim)
        for mend in mends:
            batch.mend(mend, message)
        if reading.left:
            batch.leave(message.handle, reading.left)
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
        new = _known_claim(claim, topic)
        match = best_match(new, self.known.values())
        messages = list(claim.messages)
        if match is None:
            self._store(new, messages)
        elif match.verdict == "same":
            self._skip(messages, match.known.handle)
        else:
            self._merge(new, messages, match)

    def mend(self, mend: corrections.Mend, message: OfferedMessage) -> None:
        """Put a known claim in its mended words in the place of the old; nothing when none is meant."""
        found = corrections.mended(mend, self.known.values(), message.said_at)
        if found is None:
            return
        old = self.known.pop(found.handle)
        messages = [*mend.evidence(old), message.handle]
        decision = AtomDecision(
            action="merge", messages=messages, targets=[old.handle], reason="value", **_stored(found)
        )
        self._hold(decision, found, (old.text, *old.supersedes))

    def leave(self, message: str, reason: str) -> None:
        """Say why something of a message was not read; a skip without a target changes nothing."""
        self.items.append(AtomDecision(action="skip", messages=[message], reason=reason))

    def _store(self, new: Known, messages: list[str]) -> None:
        self._hold(AtomDecision(action="store", messages=messages, **_stored(new)), new)

    def _skip(self, messages: list[str], handle: str) -> None:
        repeat = AtomDecision(action="skip", messages=messages, targets=[handle], reason=f"repeats {handle}")
        self.items.append(repeat)

    def _merge(self, new: Known, messages: list[str], match: Match) -> None:
        old = self.known.pop(match.known.handle)
        new = replace(new, topic=old.topic or new.topic)
        decision = AtomDecision(
            action="merge", messages=messages, targets=[old.handle], reason=match.verdict, **_stored(new)
        )
        self._hold(decision, new, (old.text, *old.supersedes))

    def _hold(self, decision: AtomDecision, new: Known, supersedes: tuple[str, ...] = ()) -> None:
        self.items.append(decision)
        self.topics.add(new.topic)
        handle = f"n{len(self.items)}"
        self.known[handle] = replace(new, handle=handle, supersedes=supersedes)


def _stored(new: Known) -> dict[str, object]:
    return {
        "text": new.text,
        "kind": new.kind,
        "priority": new.priority,
        "topic": new.topic[:TITLE_LIMIT].strip(),
        "subject": new.subject[:SUBJECT_LIMIT].strip(),
        "scope": new.scope[:SCOPE_LIMIT],
        "happened_from": new.happened_from,
        "happened_until": new.happened_until,
    }


def _known_claim(claim: Claim, topic: str) -> Known:
    return Known(
        handle="",
        text=claim.text,
        kind=claim.kind,
        subject=claim.subject,
        topic=topic,
        scope=claim.scope,
        happened_from=claim.happened_from,
        happened_until=claim.happened_until,
        said_on=claim.said_on,
        priority=claim.priority,
        speaker=claim.person,
    )


def _known_atom(atom: OfferedAtom) -> Known:
    return Known(
        handle=atom.handle,
        text=atom.text,
        kind=atom.kind,
        subject=atom.subject,
        topic=atom.topic,
        scope=atom.scope,
        happened_from=atom.happened_from,
        happened_until=atom.happened_until,
        said_on=atom.said_at.date() if atom.said_at else None,
        supersedes=atom.supersedes,
        priority=atom.priority,
    )
