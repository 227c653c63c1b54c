"""Forgetting, as people ask for it: what they mean is listed, and erased once they have confirmed it.

`find_forgettable` and `propose_forgetting` erase nothing, `confirm_forgetting` what was listed, or less.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from memory.models import Atom, Entity, Erasure, Evidence, Message
from memory.stewardship.actors import Actor, RefusedChangeError
from memory.stewardship.erasing import Scope, erase, plan_erasure, planned, token_of
from memory.stewardship.erasing.scopes import scope_from
from memory.stewardship.forgetting_finding import find_meant
from memory.stewardship.forgetting_matches import Dependents
from memory.stewardship.forgetting_records import Match
from memory.stewardship.forgetting_words import read_wish, says_old

REASON = "asked to forget"
HOLDS_NOW = "it holds now, and only what is old was meant"
CONTESTED = "it is contested: nothing says that it is old"
UNSORTED = "nothing says yet that it is old"
SHARED = "it rests on the same words as what holds now"
WORDS_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Forgettable:
    """What a request to forget means in a memory."""

    matter: str
    wants_old: bool
    matches: tuple[Match, ...]
    """In the order of their making; what is not chosen is listed too, with the reason."""

    @property
    def chosen(self) -> tuple[Match, ...]:
        """What goes unless the person says otherwise."""
        return tuple(match for match in self.matches if match.is_chosen)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was found, and the plan to erase what is chosen of it."""

    found: Forgettable
    erasure: Erasure | None
    """None when nothing is chosen."""
    token: str
    """Confirms the plan once; empty without one."""


def find_forgettable(*, entity: Entity, words: str) -> Forgettable:
    """What somebody means who asks to forget something, in whatever script; changes nothing.

    With a word for «old», what still holds is listed and not chosen. Raises RefusedChangeError for words that
    name no matter.
    """
    wish = read_wish(words[:WORDS_LIMIT])
    if not wish.matter:
        raise RefusedChangeError("Say what is to be forgotten, for example: forget my old address.")
    meant = find_meant(entity, wish.matter)
    messages = [message for message in meant.messages if not _only_asks(message, wish.matter)]
    dependents = Dependents(entity, meant.atoms, messages)
    reasons = _reasons(meant.atoms, dependents) if wish.wants_old else {}
    matches = [
        *(_match(dependents, atom, reasons.get(atom.pk, "")) for atom in meant.atoms),
        *(_match(dependents, message, UNSORTED if wish.wants_old else "") for message in messages),
    ]
    return Forgettable(wish.matter, wish.wants_old, tuple(matches))


def _only_asks(message: Message, matter: str) -> bool:
    """The request itself, said in the conversation, is nothing that is remembered."""
    wish = read_wish(message.text[:WORDS_LIMIT])
    return wish.is_asked and wish.matter.casefold() == matter.casefold()


def _match(dependents: Dependents, subject: Atom | Message, reason: str) -> Match:
    return dependents.match(subject, is_chosen=not reason, reason=reason)


def _reasons(atoms: Sequence[Atom], dependents: Dependents) -> dict[UUID, str]:
    """Why some of the claims stay when only what is old was meant."""
    reasons = {atom.pk: reason for atom in atoms if (reason := _stays(atom))}
    kept = {message for pk in reasons for message in dependents.messages_of.get(pk, ())}
    for atom in atoms:
        if atom.pk not in reasons and not kept.isdisjoint(dependents.messages_of.get(atom.pk, ())):
            reasons[atom.pk] = SHARED
    return reasons


def _stays(atom: Atom) -> str:
    is_over = atom.valid_until is not None and atom.valid_until <= timezone.now()
    if is_over or says_old(atom.text):
        return ""
    return {Atom.Status.LIVE.value: HOLDS_NOW, Atom.Status.CONTESTED.value: CONTESTED}.get(atom.status, "")


def propose_forgetting(*, entity: Entity, words: str, actor: Actor, keep: Collection[UUID] = ()) -> Proposal:
    """Plan to erase what the words mean, but for the claims and messages to be kept; erases nothing.

    Raises RefusedChangeError as `find_forgettable` does.
    """
    found = find_forgettable(entity=entity, words=words)
    scope = _left_of(entity, _scope_of(found.chosen), keep)
    if scope is None:
        return Proposal(found, None, "")
    erasure = plan_erasure(entity=entity, scope=scope, actor=actor, reason=REASON)
    return Proposal(found, erasure, token_of(erasure))


def _scope_of(matches: Iterable[Match]) -> Scope:
    """The words under the matches, and claims that rest on none."""
    chosen = tuple(matches)
    messages = dict.fromkeys(words.id for match in chosen for words in match.messages)
    return Scope(
        "messages",
        messages=tuple(messages),
        atoms=tuple(match.id for match in chosen if not match.messages),
    )


def confirm_forgetting(*, entity: Entity, token: str, actor: Actor, keep: Collection[UUID] = ()) -> Erasure:
    """Erase what was listed, but for the claims and messages to be kept; the Erasure is the audit.

    Raises RefusedChangeError for a token that confirms nothing (any more), for something to be kept that was
    not listed, and when nothing is left; StaleChangeError when other rows would go than were listed.
    """
    plan = planned(entity=entity, token=token)
    if not keep:
        return erase(erasure=plan, actor=actor)
    scope = _left_of(entity, scope_from(plan.selection), keep)
    if scope is None:
        raise RefusedChangeError("Nothing is left to be forgotten.")
    # Less than was listed: a plan of its own, since a plan is what is erased, row by row.
    Erasure.objects.filter(pk=plan.pk).update(status=Erasure.Status.EXPIRED, selection={})
    narrower = plan_erasure(entity=entity, scope=scope, actor=actor, reason=plan.reason)
    return erase(erasure=narrower, actor=actor)


def _left_of(entity: Entity, scope: Scope, keep: Collection[UUID]) -> Scope | None:
    """A scope without what is to be kept and the words under it; None when nothing is left."""
    under = Evidence.objects.filter(
        workspace_id=entity.workspace_id, entity_id=entity.pk, of_atom__in=keep, message__isnull=False
    )
    resting = dict.fromkeys(under.values_list("of_atom_id", flat=True))
    known = {*scope.messages, *scope.atoms, *resting}
    if unknown := set(keep) - known:
        raise RefusedChangeError(f"{len(unknown)} of what is to be kept was not listed.")
    kept = {*keep, *under.values_list("message_id", flat=True)}
    messages = tuple(pk for pk in scope.messages if pk not in kept)
    atoms = tuple(pk for pk in scope.atoms if pk not in kept)
    return Scope("messages", messages=messages, atoms=atoms) if messages or atoms else None
