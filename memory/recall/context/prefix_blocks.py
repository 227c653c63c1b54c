"""The blocks that rarely change: persona and standing rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from memory.recall.context.blocks import (
    Block,
    Count,
    Entry,
    Filled,
    LeftOut,
    Reference,
    Space,
    fill,
    fill_telling,
)
from memory.recall.context.escaping import one_line
from memory.recall.records import TraitRecord
from memory.recall.short_ids import short_id

PERSONA_HEADING = "## Persona\n"
RULES_HEADING = "## Standing rules\n"
RULES_LIST = "/api/v1/rules"
SITUATION_SHARE = 5
"""One part in so many of the rules' budget is kept for rules that are bound to a situation."""


@dataclass(frozen=True, slots=True)
class TraitWords:
    """One trait as a context tells it."""

    id: UUID
    slot: str
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A standing rule. An empty scope: it always holds."""

    id: UUID | None
    """None for a rule of the design: no row holds it."""
    text: str
    priority: int
    scope: str
    authority: str
    """Empty for the user's own."""
    part: str = ""
    """Names a rule of the design."""


@dataclass(frozen=True, slots=True)
class RulesBlock:
    """The rules with the part that depends on no request apart."""

    block: Block
    stable_text: str
    claim: int
    """The tokens that it may take in any situation."""


def persona_block(traits: Sequence[TraitRecord | TraitWords], *, budget: int, count: Count) -> Block:
    """Every trait that fits, one line each."""
    entries = [
        Entry(Reference("trait", trait.id), f"- {trait.slot.replace('_', ' ')}: {one_line(trait.text)}\n")
        for trait in traits
    ]
    space = Space(count, budget)
    filled = fill(entries, space) if space.take(PERSONA_HEADING) else Filled(missing=entries)
    text = f"{PERSONA_HEADING}{filled.text}" if filled.shown else ""
    return Block("persona", text, count(text), budget, filled.ids, filled.left_out)


def rules_block(
    rules: Sequence[Rule], matches: Callable[[str], bool], *, budget: int, count: Count
) -> RulesBlock:
    """All rules that hold here, most important first; what does not fit is counted in the text.

    `matches` says whether a scope is the situation at hand. The rules without a scope come first, and what
    they may take is settled by the stored rules alone, never by the situation.
    """
    always = [_entry(rule) for rule in rules if not rule.scope]
    bound = [_entry(rule) for rule in rules if rule.scope]
    here = [_entry(rule) for rule in rules if rule.scope and matches(rule.scope)]
    elsewhere = [entry for entry in bound if entry not in here]
    heading = RULES_HEADING if rules and count(RULES_HEADING) <= budget else ""
    space = Space(count, budget - count(heading) if heading else 0)
    kept = _kept_for_situations(bound, space)
    space.left -= kept
    standing, notice = fill_telling(always, space, _standing_notice)
    space.left += kept
    situation, bound_notice = fill_telling(here, space, partial(_situation_notice, elsewhere=len(elsewhere)))
    stable_text = f"{heading}{standing.text}{notice}"
    text = f"{stable_text}{situation.text}{bound_notice}"
    left_out = (
        *standing.left_out,
        *situation.left_out,
        *(LeftOut("atom", entry.row.id, "other situation") for entry in elsewhere),
    )
    block = Block("rules", text, count(text), budget, standing.ids + situation.ids, left_out)
    return RulesBlock(block, stable_text, budget if bound else block.tokens)


def _kept_for_situations(bound: Sequence[Entry], space: Space) -> int:
    """What rules without a scope must leave, whichever situation it is: at least the place of the notice."""
    if not bound:
        return 0
    wanted = min(space.left // SITUATION_SHARE, sum(space.count(entry.text) for entry in bound))
    notice = space.count(_situation_notice(len(bound), elsewhere=len(bound)))
    return min(space.left, max(wanted, notice))


def _entry(rule: Rule) -> Entry:
    row = Reference("atom", rule.id) if rule.id else Reference("rule", None, rule.part)
    marks = [str(rule.priority), *([short_id(rule.id)] if rule.id else [])]
    if rule.authority:
        marks.append(rule.authority)
    if rule.scope:
        marks.append(f"when: {one_line(rule.scope)}")
    return Entry(row, f"- [{', '.join(marks)}] {one_line(rule.text)}\n")


def _standing_notice(missing: int) -> str:
    if not missing:
        return ""
    return f"… and {missing} more standing {_rules_do(missing)} not fit; list: {RULES_LIST}\n"


def _situation_notice(missing: int, *, elsewhere: int) -> str:
    told = []
    if missing:
        told.append(f"{missing} more {_rules_do(missing)} not fit that bind this situation")
    if elsewhere:
        told.append(f"{elsewhere} more {'binds' if elsewhere == 1 else 'bind'} other situations")
    return f"… and {', '.join(told)}; list: {RULES_LIST}\n" if told else ""


def _rules_do(count: int) -> str:
    return "rule does" if count == 1 else "rules do"
