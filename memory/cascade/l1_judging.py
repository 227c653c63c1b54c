"""What of an extraction may become memory: handles, receipts, authority, grounding, one item at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from uuid import UUID

from memory.cascade.contract import AtomDecision, Refusal
from memory.cascade.designs import Design
from memory.cascade.l1_rules import (
    Replaced,
    bound_to_situation,
    refuse_foreign_rule,
    refuse_joined_rules,
    refuse_unspoken_rule,
    vouches,
    without_raise,
)
from memory.cascade.offering import said_words
from memory.cascade.rules.grounding import ungrounded
from memory.cascade.rules.grounding_relative import dates_said
from memory.cascade.rules.handles import Handles, Kind, NotOfferedError
from memory.cascade.stage import Judged, RefusedError
from memory.models import Atom, Authority, Entity, Message
from memory.recall.terms import terms_of

AUTHORITY_OF_ROLE = {
    Message.Role.USER: Authority.USER,
    Message.Role.TOOL: Authority.TOOL,
    Message.Role.ASSISTANT: Authority.INFERENCE,
}
EMPTY = {"happened_from": None, "happened_until": None, "subject": ""}
OWN_ITEM = re.compile(r"n(\d+)")
RELATIVE_WORDS = re.compile(
    r"\b(today|tonight|yesterday|tomorrow"
    r"|(?:last|next|this) (?:night|morning|afternoon|evening|week|weekend|month|year"
    r"|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day(?! of\b))"
    r"|(?:days?|weeks?|months?|years?) ago)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extracted:
    """A decision that may be written: ids for handles, authority from its evidence."""

    index: int
    decision: AtomDecision
    messages: tuple[UUID, ...]
    targets: tuple[UUID, ...]
    own_targets: tuple[int, ...]
    """Places in the same answer of items that this one repeats or replaces."""
    authority: Authority
    said_at: datetime | None
    inherits_targets: bool = False
    """It uses words of the claims it replaces, so their messages are its evidence too."""
    notes: tuple[str, ...] = ()
    """What code changed about it."""


@dataclass(frozen=True, slots=True)
class ExtractionJudge:
    """Judges the items of one answer against what was offered."""

    entity: Entity
    handles: Handles
    messages: Mapping[UUID, Message]
    batch_ids: frozenset[UUID]
    atoms: Mapping[UUID, Atom]
    design: Design

    def judge(self, items: Sequence[tuple[int, AtomDecision]], is_last: bool) -> Judged[Extracted]:
        """Take what stands, refuse the rest with a reason each."""
        taken: dict[int, Extracted] = {}
        refused: list[Refusal] = []
        for index, item in items:
            try:
                taken[index] = self._take(index, item, taken)
            except (RefusedError, NotOfferedError) as error:
                refused.append(Refusal(index, str(error), item.model_dump(mode="json")))
        notes = tuple(
            {"item": extracted.index, "outcome": "repaired", "reason": note}
            for extracted in taken.values()
            for note in extracted.notes
        )
        return Judged(tuple(taken.values()), tuple(refused), notes)

    def _take(self, index: int, item: AtomDecision, taken: Mapping[int, Extracted]) -> Extracted:
        cited = self._cited(item)
        targets, own = self._targets(item, taken)
        extracted = Extracted(
            index=index,
            decision=item,
            messages=tuple(message.pk for message in cited),
            targets=targets,
            own_targets=own,
            authority=_authority(item, cited),
            said_at=max((message.occurred_at for message in cited if message.occurred_at), default=None),
        )
        if item.action == "skip":
            return extracted
        return self._take_claim(extracted, cited, taken)

    def _cited(self, item: AtomDecision) -> list[Message]:
        ids = dict.fromkeys(self.handles.resolve(said, kinds=(Kind.MESSAGE,)) for said in item.messages)
        if not self.batch_ids.intersection(ids):
            raise RefusedError("It cites none of the messages to read, only earlier turns.")
        return [self.messages[message_id] for message_id in ids]

    def _targets(
        self, item: AtomDecision, taken: Mapping[int, Extracted]
    ) -> tuple[tuple[UUID, ...], tuple[int, ...]]:
        own = [int(found[1]) - 1 for said in item.targets if (found := OWN_ITEM.fullmatch(said.strip()))]
        for place in own:
            if place not in taken or taken[place].decision.action == "skip":
                raise RefusedError(f"n{place + 1} is not an earlier claim of this answer.")
        offered = [
            self.handles.resolve(said, kinds=(Kind.ATOM,))
            for said in item.targets
            if not OWN_ITEM.fullmatch(said.strip())
        ]
        standing = self._standing(item, offered)
        if item.action == "merge" and not (own or standing):
            raise RefusedError("A merge names in targets what it replaces.")
        return tuple(dict.fromkeys(standing)), tuple(dict.fromkeys(own))

    def _standing(self, item: AtomDecision, targets: Sequence[UUID]) -> list[UUID]:
        """Targets that hold; of what a person took back there is nothing to repeat or to replace."""
        gone = [target for target in targets if self.atoms[target].status == Atom.Status.RETRACTED]
        if gone and item.action == "merge":
            raise RefusedError(f"«{self.atoms[gone[0]].text[:60]}» was taken back by a person.")
        return [target for target in targets if target not in gone]

    def _take_claim(
        self, extracted: Extracted, cited: Sequence[Message], taken: Mapping[int, Extracted]
    ) -> Extracted:
        item = extracted.decision
        if not item.text:
            raise RefusedError("The text is empty.")
        _refuse_echo(item, self.design.example_markers)
        if item.action == "merge" and item.reason not in ("value", "contradiction"):
            raise RefusedError("A merge's reason is value or contradiction.")
        if item.kind == "instruction":
            refuse_foreign_rule({message.role for message in cited})
        self._refuse_lost_rule(item, extracted, taken)
        refuse_joined_rules(item, self._replaced(extracted, taken), cited)
        if item.scope and item.kind != "instruction":
            raise RefusedError("Only an instruction has a scope.")
        self._check_dates(item, cited)
        widened = self._ground(extracted, cited, taken)
        if item.kind == "instruction":
            refuse_unspoken_rule(item, cited)
        unsaid = self._unsaid(item, cited)
        kept = item.model_copy(update={name: EMPTY[name] for name in unsaid})
        said, bindings = bound_to_situation(kept, cited)
        notes = (*(f"{name} was left out: nobody said it" for name in unsaid), *bindings)
        decision, bounds = self._within_bounds(without_raise(said, self._replaced(widened, taken)))
        return replace(widened, decision=decision, notes=(*notes, *bounds))

    def _within_bounds(self, item: AtomDecision) -> tuple[AtomDecision, tuple[str, ...]]:
        """The claim with the priority that the design gives it, and what was changed."""
        if not self.design.priorities:
            return item, ()
        priority, names = self.design.priority_of(
            item.priority, kind=item.kind, topic=terms_of(item.topic), words=terms_of(item.text), cut=terms_of
        )
        told = ", ".join(names)
        notes = (f"priority {item.priority} became {priority} by the design: {told}",) if names else ()
        return item.model_copy(update={"priority": priority}), notes

    def _refuse_lost_rule(
        self, item: AtomDecision, extracted: Extracted, taken: Mapping[int, Extracted]
    ) -> None:
        """A rule is replaced by a rule, or by words that contradict it; never by a mere report."""
        replaces_rule = any(claim.kind == "instruction" for claim in self._replaced(extracted, taken))
        if item.action == "merge" and replaces_rule and item.kind != "instruction" and item.reason == "value":
            raise RefusedError("An instruction is replaced by an instruction, or contradicted.")

    def _unsaid(self, item: AtomDecision, cited: Sequence[Message]) -> list[str]:
        """Fields beside the text that hold more than was said: a guessed year, a subject nobody named."""
        words = [item.text, *(said_words(message) for message in cited)]
        dates = self._dates(cited)
        found = [
            name
            for name in ("happened_from", "happened_until")
            if (day := getattr(item, name)) and ungrounded(str(day.year), words, allowed_dates=dates)
        ]
        if missing := ungrounded(item.scope, words, allowed_dates=dates):
            raise RefusedError(f"Its scope names what was not said: {', '.join(missing)}.")
        known = {atom.subject for atom in self.atoms.values()} | {self.entity.name}
        speakers = [message.speaker for message in cited if message.speaker]
        if item.subject not in known and ungrounded(f"It is about {item.subject}.", words, extra=speakers):
            found.append("subject")
        return found

    def _replaced(self, extracted: Extracted, taken: Mapping[int, Extracted]) -> list[Replaced]:
        """What it takes the place of."""
        offered = [Replaced.of(self.atoms[atom_id]) for atom_id in extracted.targets]
        return offered + [Replaced.of(taken[place].decision) for place in extracted.own_targets]

    def _check_dates(self, item: AtomDecision, cited: Sequence[Message]) -> None:
        dates = [day for day in (item.happened_from, item.happened_until) if day]
        if item.happened_from and item.happened_until and item.happened_until < item.happened_from:
            raise RefusedError("happened_until lies before happened_from.")
        said = [message.occurred_at for message in cited if message.occurred_at]
        words = " ".join(said_words(message) for message in cited)
        if dates and not said and not re.search(r"\d", words):
            raise RefusedError("Nobody knows when this was said: leave the dates out.")
        if said and (found := RELATIVE_WORDS.search(item.text)) and item.kind != "instruction":
            raise RefusedError(f"«{found[0]}» means nothing later: write the date.")

    def _ground(
        self, extracted: Extracted, cited: Sequence[Message], taken: Mapping[int, Extracted]
    ) -> Extracted:
        """Refuse names, numbers and dates that the evidence does not hold.

        A merge may use words of the claim it replaces; then that claim's messages become its evidence too.
        """
        item = extracted.decision
        missing = self._missing(item, cited, ())
        if not missing:
            return extracted
        older = [taken[place] for place in extracted.own_targets]
        texts = [self.atoms[atom_id].text for atom_id in extracted.targets]
        texts += [target.decision.text for target in older]
        if item.action != "merge" or self._missing(item, cited, texts):
            raise RefusedError(f"The cited messages do not hold: {', '.join(missing)}.")
        return replace(extracted, inherits_targets=True)

    def _missing(
        self, item: AtomDecision, cited: Sequence[Message], replaced: Sequence[str]
    ) -> tuple[str, ...]:
        evidence = [*(said_words(message) for message in cited), *replaced]
        speakers = [message.speaker for message in cited if message.speaker]
        return ungrounded(item.text, evidence, extra=speakers, allowed_dates=self._dates(cited))

    def _dates(self, cited: Sequence[Message]) -> frozenset[date]:
        """Days a text may name: the messages' own, in the entity's zone, and those of relative words."""
        return frozenset(
            day
            for message in cited
            if message.occurred_at
            for day in dates_said(
                said_words(message), message.occurred_at.astimezone(self.entity.zone).date()
            )
        )


def _authority(item: AtomDecision, cited: Sequence[Message]) -> Authority:
    """The highest authority among the cited messages that speak of the claim: a mere «thanks» lends none."""
    vouching = [message for message in cited if vouches(item, said_words(message))]
    return max(
        (AUTHORITY_OF_ROLE[Message.Role(message.role)] for message in vouching), default=Authority.INFERENCE
    )


def _refuse_echo(item: AtomDecision, markers: Sequence[str]) -> None:
    folded = f"{item.text} {item.topic} {item.subject} {item.scope}".casefold()
    for marker in markers:
        if marker.casefold() in folded:
            raise RefusedError("It repeats an example of the prompt.")
