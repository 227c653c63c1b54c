"""What of an extraction may become a rule: a user's own words, within their situation, of one matter."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.cascade.contract import AtomDecision
from memory.cascade.offering import said_text, said_words
from memory.cascade.rules.situations import binding_of, joins_other_matter, keeps, says_again
from memory.cascade.stage import RefusedError
from memory.models import Atom, Message
from memory.recall.terms import terms_of


@dataclass(frozen=True, slots=True)
class Replaced:
    """A claim that another one takes the place of."""

    kind: str
    text: str
    priority: int
    scope: str

    @classmethod
    def of(cls, claim: Atom | AtomDecision) -> Replaced:
        """One that is stored, or an earlier one of the same answer."""
        return cls(claim.kind, claim.text, claim.priority, claim.scope)


def refuse_foreign_rule(roles: Collection[str]) -> None:
    """Only a user makes rules; what a tool returned must not become one beside a user's small talk."""
    if Message.Role.USER not in roles:
        raise RefusedError("An instruction needs a user's own words.")
    if Message.Role.TOOL in roles:
        raise RefusedError("An instruction rests on no output of a tool: cite the user's own words alone.")


def refuse_unspoken_rule(item: AtomDecision, cited: Sequence[Message]) -> None:
    """A caption, or small talk beside somebody else's words, makes no rule."""
    own = [said_text(message) for message in cited if message.role == Message.Role.USER]
    if not any(vouches(item, words) for words in own):
        raise RefusedError("An instruction needs a user's own words.")


def refuse_joined_rules(item: AtomDecision, replaced: Sequence[Replaced], cited: Sequence[Message]) -> None:
    """Rules of different matters stay apart; one of a situation always holds only where somebody says so."""
    words = [said_words(message) for message in cited]
    for rule in replaced:
        if rule.kind != item.kind or item.kind != "instruction":
            continue
        is_freed = bool(rule.scope) and not item.scope and not says_again(rule.text, words)
        if joins_other_matter(rule.text, item.text, words) or (is_freed and keeps(rule.text, item.text)):
            raise RefusedError(f"«{rule.text[:60]}» is kept as it was: store what is new by itself.")


def bound_to_situation(item: AtomDecision, cited: Sequence[Message]) -> tuple[AtomDecision, tuple[str, ...]]:
    """A rule with the situation that its words were said for, and what was changed."""
    if item.kind != "instruction" or item.scope:
        return item, ()
    own = [said_text(message) for message in cited if message.role == Message.Role.USER]
    binding = binding_of(item.text, own)
    if binding.is_mixed:
        words = f"Part of it was said «{binding.situation}»"
        raise RefusedError(f"{words}: make an item of each part, and that the scope of its own.")
    if not binding.situation:
        return item, ()
    bound = item.model_copy(update={"scope": binding.situation})
    return bound, ("scope was added: it was said for a moment",)


def without_raise(item: AtomDecision, replaced: Sequence[Replaced]) -> AtomDecision:
    """Merging does not raise the priority of a rule by itself."""
    ceilings = [rule.priority for rule in replaced if rule.kind == item.kind == "instruction"]
    if item.action != "merge" or not ceilings or item.priority <= max(ceilings):
        return item
    return item.model_copy(update={"priority": max(ceilings)})


def vouches(item: AtomDecision, words: str) -> bool:
    """Whether some words share at least one term with the claim; a skip has no words of its own."""
    return not item.text or not set(terms_of(item.text)).isdisjoint(terms_of(words))
