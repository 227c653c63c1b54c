"""Writing what was extracted: atoms placed in chains by event, and a receipt for every claim and repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.cascade.chain_places import see_again, settle, write_places
from memory.cascade.l1_judging import Extracted
from memory.cascade.l1_respect import Respect
from memory.cascade.rulings import Ruling
from memory.cascade.stage import StaleInputsError, Written
from memory.cascade.work import Claim
from memory.models import Atom, Chain, Evidence, Message
from memory.models.base import new_id
from memory.recall.terms import terms_of


def write_extraction(claim: Claim, messages: Sequence[Message], taken: Sequence[Extracted]) -> Written:
    """Write the decisions and mark the messages consumed; StaleInputsError when either changed meanwhile."""
    _consume(claim, messages)
    ledger = _Ledger.open(claim, taken)
    respect = Respect.read(claim.entity, [message_id for item in taken for message_id in item.messages])
    for item in taken:
        if (ruling := respect.against(item, ledger.replaced_by(item))) is not None:
            ledger.leave_out(item, ruling)
        else:
            ledger.enter(item)
    return ledger.close()


def _consume(claim: Claim, messages: Sequence[Message]) -> None:
    ids = [message.pk for message in messages]
    consumed = (
        Message.objects.for_entity(claim.entity).pending().filter(pk__in=ids).update(consumed_by=claim.run)
    )
    if consumed != len(ids):
        raise StaleInputsError("messages were erased or read by another run")


@dataclass(slots=True)
class _Ledger:
    """The chains that a commit touches: what stood, what is new, and the receipts."""

    claim: Claim
    now: datetime
    atoms: dict[UUID, Atom]
    """Every atom of the touched chains, new ones too."""
    repeated: dict[str, Atom]
    """Live atoms by their text: the same words are never stored twice."""
    written: Written = field(default_factory=Written)
    new: dict[int, Atom] = field(default_factory=dict)
    """New atoms by their place in the answer; a later item may name them."""
    before: dict[UUID, tuple[str, UUID | None, UUID, datetime | None]] = field(default_factory=dict)
    receipts: dict[tuple[UUID, UUID], str] = field(default_factory=dict)
    chains: list[Chain] = field(default_factory=list)
    emptied: set[UUID] = field(default_factory=set)
    """Chains that went into another one."""

    @classmethod
    def open(cls, claim: Claim, taken: Sequence[Extracted]) -> _Ledger:
        """Lock what the decisions name, with the whole of its chains."""
        targets = {target for item in taken for target in item.targets}
        texts = [item.decision.text for item in taken if item.decision.action != "skip"]
        rows = Atom.objects.for_entity(claim.entity)
        named = list(rows.filter(pk__in=targets))
        if len(named) != len(targets) or any(atom.status != Atom.Status.LIVE for atom in named):
            raise StaleInputsError("an atom it decided about no longer holds or was erased")
        same_words = list(rows.live().filter(text__in=texts)) if texts else []
        chain_ids = {atom.chain_id for atom in (*named, *same_words)}
        chains = rows.filter(chain_id__in=chain_ids).with_rulings()
        members = {atom.pk: atom for atom in chains} if chain_ids else {}
        live = {atom.text: atom for atom in members.values() if atom.status == Atom.Status.LIVE}
        ledger = cls(claim=claim, now=timezone.now(), atoms=members, repeated=live)
        ledger.before = {atom.pk: _state(atom) for atom in members.values()}
        return ledger

    def replaced_by(self, item: Extracted) -> list[Atom]:
        """The stored claims that a decision would put another in the place of."""
        same = self.repeated.get(item.decision.text)
        restated = [same] if same is not None and not _says_no_more(item, same) else []
        return [*restated, *(self._targets(item) if item.decision.action == "merge" else ())]

    def leave_out(self, item: Extracted, ruling: Ruling) -> None:
        """A person decided otherwise and no newer words say it: no claim, no receipt, a reason in the run."""
        self._decide(item, "skip", ruling.reason, atoms=[ruling.atom])

    def enter(self, item: Extracted) -> None:
        """Write one decision into the ledger."""
        same = self.repeated.get(item.decision.text) if item.decision.action != "skip" else None
        if item.decision.action == "skip":
            self._skip(item, self._targets(item), item.decision.reason or "says nothing new")
        elif same is not None and _says_no_more(item, same):
            self._repeat(item, same)
        elif same is not None:
            self._restate(item, same)
        else:
            self._store(item)

    def _targets(self, item: Extracted) -> list[Atom]:
        own = [self.new[place] for place in item.own_targets if place in self.new]
        return [*(self.atoms[target] for target in item.targets), *own]

    def _skip(self, item: Extracted, targets: Sequence[Atom], reason: str) -> None:
        """A repeat is a receipt of the claim that stands, and moves when it was last seen."""
        for target in targets:
            self._see_again(target, item)
            self._settle(target.chain_id)
        self._decide(item, "skip", reason, atoms=targets)

    def _repeat(self, item: Extracted, same: Atom) -> None:
        """The same words stand already: they get a receipt, and take the place of what the item replaces."""
        others = [target for target in self._targets(item) if target.chain_id != same.chain_id]
        replaced = self._joinable(item, others, into=same.chain_id)
        self.new[item.index] = same
        self._see_again(same, item)
        self._replace(replaced if item.decision.action == "merge" else [], same.chain_id)
        self._decide(item, "skip", "the same words stand already", atoms=[same], replaced=replaced)

    def _restate(self, item: Extracted, same: Atom) -> None:
        """The same words, now as a rule or with more authority: they take the place of the weaker claim."""
        decision = item.decision.model_copy(update={"action": "merge", "reason": "value"})
        self._store(replace(item, decision=decision), also=[same])

    def _see_again(self, atom: Atom, item: Extracted) -> None:
        self._receive(atom, item.messages, Evidence.Role.REPEAT)
        see_again(atom, authority=item.authority, said_at=item.said_at)

    def _store(self, item: Extracted, *, also: Sequence[Atom] = ()) -> None:
        named = [*also, *self._targets(item)] if item.decision.action == "merge" else []
        targets = self._joinable(item, named)
        chain_id = self._chain(targets)
        atom = self._atom(item, chain_id, is_merge=bool(targets))
        self.atoms[atom.pk] = self.new[item.index] = atom
        self._receive(atom, item.messages, Evidence.Role.SOURCE)
        self._inherit(atom, item, targets)
        self._replace(targets, chain_id)
        self._decide(item, item.decision.action, item.decision.reason, atoms=[atom], replaced=targets)

    def _joinable(self, item: Extracted, targets: Sequence[Atom], *, into: UUID | None = None) -> list[Atom]:
        """Targets whose chains may become one: claims about two matters stay in two, whatever a model says.

        In one chain a claim of one matter would supersede that of the other.
        """
        of_claims = {row.chain_id for row in self.atoms.values() if row.predicate}
        joined = {into} & of_claims
        kept: list[Atom] = []
        for target in targets:
            if joined and target.chain_id in of_claims - joined:
                reason = "it names claims about several matters: only the first is merged with"
                self.written.decisions.append({"item": item.index, "outcome": "repaired", "reason": reason})
                continue
            joined |= {target.chain_id} & of_claims
            kept.append(target)
        return kept

    def _replace(self, targets: Sequence[Atom], chain_id: UUID) -> None:
        """Move what is replaced into one chain and place its members anew."""
        for target in targets:
            self._move(target.chain_id, chain_id)
        self._settle(chain_id)
        self.repeated = {row.text: row for row in self.atoms.values() if row.status == Atom.Status.LIVE}

    def _chain(self, targets: Sequence[Atom]) -> UUID:
        """The chain of what is replaced; a chain of its own for a new matter."""
        if targets:
            return min(target.chain_id for target in targets)
        chain = Chain(workspace_id=self.claim.entity.workspace_id, entity=self.claim.entity)
        self.chains.append(chain)
        return chain.pk

    def _atom(self, item: Extracted, chain_id: UUID, *, is_merge: bool) -> Atom:
        decision = item.decision
        return Atom(
            id=new_id(),
            workspace_id=self.claim.entity.workspace_id,
            entity=self.claim.entity,
            chain_id=chain_id,
            text=decision.text,
            kind=decision.kind,
            priority=decision.priority,
            topic=decision.topic,
            subject=decision.subject,
            scope=decision.scope,
            happened_from=decision.happened_from,
            happened_until=decision.happened_until,
            authority=item.authority,
            decision=Atom.Decision.MERGE if is_merge else Atom.Decision.STORE,
            merge_reason=decision.reason if is_merge else "",
            occurred_at=item.said_at,
            last_seen_at=item.said_at,
            created_at=self.now,
            terms=terms_of(f"{decision.text} {decision.topic}"),
            run=self.claim.run,
        )

    def _inherit(self, atom: Atom, item: Extracted, targets: Sequence[Atom]) -> None:
        """Words taken over from a replaced claim keep the messages that said them."""
        if not item.inherits_targets:
            return
        replaced = {target.pk for target in targets}
        rows = Evidence.objects.filter(of_atom__in=replaced, message__isnull=False).order_by("id")
        stored = list(rows.values_list("message_id", flat=True))
        written = [message_id for atom_id, message_id in self.receipts if atom_id in replaced]
        self._receive(atom, [*stored, *written], Evidence.Role.SOURCE)

    def _move(self, old: UUID, new: UUID) -> None:
        if old != new:
            self.emptied.add(old)
        for row in self.atoms.values():
            if row.chain_id == old:
                row.chain_id = new

    def _settle(self, chain_id: UUID) -> None:
        """Place the members of a chain anew; what a person retracted stays retracted."""
        members = [row for row in self.atoms.values() if row.chain_id == chain_id]
        settle(members, new=[row for row in self.atoms.values() if row.pk not in self.before])

    def _receive(self, atom: Atom, messages: Sequence[UUID], role: Evidence.Role) -> None:
        for message_id in messages:
            self.receipts.setdefault((atom.pk, message_id), role)

    def _decide(
        self,
        item: Extracted,
        outcome: str,
        reason: str,
        *,
        atoms: Sequence[Atom],
        replaced: Sequence[Atom] = (),
    ) -> None:
        decision: dict[str, Any] = {
            "item": item.index,
            "outcome": outcome,
            "reason": reason,
            "atoms": [str(atom.pk) for atom in atoms],
            "messages": [str(message_id) for message_id in item.messages],
        }
        if replaced:
            decision["replaced"] = [str(atom.pk) for atom in replaced]
        self.written.decisions.append(decision)

    def close(self) -> Written:
        """Write everything: first what makes room in the unique indexes, then what takes it."""
        Chain.objects.bulk_create(self.chains)
        fresh = [row for row in self.atoms.values() if row.pk not in self.before]
        changed = [row for row in self.atoms.values() if self.before.get(row.pk) not in (None, _state(row))]
        write_places(changed, fresh, fields=("status", "superseded_by", "chain", "last_seen_at"))
        Chain.objects.filter(pk__in=self.emptied).delete()
        created = Evidence.objects.bulk_create(
            [self._evidence(pair, role) for pair, role in self.receipts.items()], ignore_conflicts=True
        )
        for row in fresh:
            self.written.add("atoms", row.pk)
        for pair in {evidence.of_atom_id for evidence in created} - {row.pk for row in fresh}:
            if pair is not None:
                self.written.add("receipts", pair)
        return self.written

    def _evidence(self, pair: tuple[UUID, UUID], role: str) -> Evidence:
        return Evidence(
            workspace_id=self.claim.entity.workspace_id,
            entity=self.claim.entity,
            of_atom_id=pair[0],
            message_id=pair[1],
            role=role,
            run=self.claim.run,
        )


def _says_no_more(item: Extracted, same: Atom) -> bool:
    """Whether a claim in the same words adds nothing: the same kind and scope, and no higher authority."""
    return (
        item.decision.kind == same.kind
        and item.decision.scope == same.scope
        and item.authority <= same.authority
    )


def _state(atom: Atom) -> tuple[str, UUID | None, UUID, datetime | None]:
    return (atom.status, atom.superseded_by_id, atom.chain_id, atom.last_seen_at)
