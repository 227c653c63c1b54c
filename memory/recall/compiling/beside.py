"""What stands beside a turn: rules of its situation, live values, scenes, memory and facts about it. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory.claims.graph import Fact, Node
from memory.claims.projection import NAMED
from memory.recall.compiling.compiled import RecalledClaim
from memory.recall.compiling.recollection import Recollection, hits_of
from memory.recall.context.blocks import Block, Count, Entry, Filled, LeftOut, Reference, Space, fill
from memory.recall.context.escaping import one_line
from memory.recall.context.material import messages_told, told_in_lines
from memory.recall.context.memory_block import Known, memory_block
from memory.recall.context.scenes_block import EVOLUTION_RECORD, SPEAKS_OF_IT
from memory.recall.hits import Hit
from memory.recall.times import time_text

LIVE_HEADING = "## Live state\n"
SECTIONS_HEADING = "## Scenes for this turn\n"
FACTS_HEADING = "## Related facts\n"
SECTIONS_SHARE, FACTS_SHARE = 2, 5
"""Sections may take half of what is left of the tokens, facts one part in five."""
VALUE_CHARACTERS = 300
NOT_TOLD = ("budget", "other situation", "superseded", "system text")
"""Reasons to leave a row out that do not mean that it is told elsewhere."""


@dataclass(frozen=True, slots=True)
class Beside:
    """The blocks in their order, and the rows behind them that callers get as data."""

    blocks: tuple[Block, ...]
    claims: tuple[RecalledClaim, ...]
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        """The blocks that have something to say, an empty line between them."""
        return "\n".join(block.text for block in self.blocks if block.text)


@dataclass(frozen=True, slots=True)
class Told:
    """What stands elsewhere in the context already."""

    turns: Collection[UUID]
    """Messages that the chat shows as they are."""
    rules: Collection[UUID]
    """Rules that are shown."""
    other_rules: Collection[UUID]
    """Rules of other situations."""


def beside_turn(
    recollection: Recollection,
    *,
    live: Sequence[RecalledClaim],
    facts: Sequence[Fact],
    told: Told,
    budget: int,
    count: Count,
    weigh: Callable[[str], float],
    notice: str,
) -> Beside:
    """Choose what fits: live values first, then sections, memory in the order of its scores, and facts."""
    live_block = _listed("live", LIVE_HEADING, [_live_entry(claim) for claim in live], budget, count)
    left = budget - live_block.tokens
    sections, lines = _sections(hits_of(recollection.found, "section"), left // SECTIONS_SHARE, count)
    left -= sections.tokens
    kept_for_facts = left // FACTS_SHARE if facts else 0
    memory = _memory(recollection, lines, live, told, left - kept_for_facts, count, weigh, notice)
    left -= memory.tokens
    told_already = _told_atoms(memory)
    facts_block = _facts([fact for fact in facts if fact.atom not in told_already], left, count)
    claims = [claim for id, claim in recollection.claims.items() if id in told_already]
    return Beside((live_block, sections, memory, facts_block), (*live, *claims), tuple(facts))


def _told_atoms(memory: Block) -> set[UUID | None]:
    """Atoms that the memory block shows, and those that it leaves out because they are told elsewhere."""
    elsewhere = {row.id for row in memory.left_out if row.reason not in NOT_TOLD}
    return {row.id for row in memory.ids} | elsewhere


def _listed(name: Any, heading: str, entries: Sequence[Entry], budget: int, count: Count) -> Block:
    space = Space(count, budget)
    filled = fill(entries, space) if entries and space.take(heading) else Filled(missing=list(entries))
    text = f"{heading}{filled.text}" if filled.shown else ""
    return Block(name, text, count(text), budget, filled.ids, filled.left_out)


def _live_entry(claim: RecalledClaim) -> Entry:
    """The claim as its source tells it, and how old that is."""
    how = "" if claim.live_state == "unavailable" else f" ({claim.live_state}{_at(claim)})"
    return Entry(Reference("atom", claim.id), f"- {one_line(claim.text)}{how}\n")


def _at(claim: RecalledClaim) -> str:
    return f" {time_text(claim.fetched_at)}" if claim.fetched_at else ""


def shown_value(value: Any) -> str:
    """A JSON value in one line, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    shown = one_line(text)
    return shown if len(shown) <= VALUE_CHARACTERS else f"{shown[:VALUE_CHARACTERS]}…"


def _sections(hits: Sequence[Hit], budget: int, count: Count) -> tuple[Block, Mapping[UUID, str]]:
    """Whole sections that speak of the turn more than sections do on average, and the lines they show."""
    space = Space(count, budget)
    wanted = [hit for hit in hits if hit.section != EVOLUTION_RECORD and _speaks_of_it(hit)]
    if not wanted or not space.take(SECTIONS_HEADING):
        return Block("sections", "", 0, budget), {}
    parts, ids, left_out = [SECTIONS_HEADING], [], []
    lines: dict[UUID, str] = {}
    for hit in wanted:
        texts = hit.text.split("\n")
        told = [f"{one_line(hit.title)}, {hit.section.replace('_', ' ')}:\n"]
        told += [f"- {one_line(text)}\n" for text in texts]
        if space.take(*told):
            parts += told
            ids.append(Reference("section", hit.id, hit.section))
            lines |= dict(zip(hit.lines, texts, strict=False))
        else:
            left_out.append(LeftOut("section", hit.id, "budget", hit.section))
    text = "".join(parts) if ids else ""
    return Block("sections", text, count(text), budget, tuple(ids), tuple(left_out)), lines


def _speaks_of_it(hit: Hit) -> bool:
    return sum(hit.terms.get(term, 0.0) for term in SPEAKS_OF_IT) > 0


def _memory(
    recollection: Recollection,
    lines: Mapping[UUID, str],
    live: Sequence[RecalledClaim],
    told: Told,
    budget: int,
    count: Count,
    weigh: Callable[[str], float],
    notice: str,
) -> Block:
    told_in_scenes = told_in_lines(lines, recollection.atoms_of_lines, recollection.found.languages)
    known = Known(
        shown_rules=told.rules,
        other_rules=told.other_rules,
        told_in_scenes=told_in_scenes,
        told_messages=messages_told(recollection.messages_of_atoms, {*told.rules, *told_in_scenes}),
        shown_turns=told.turns,
    )
    fetched = {claim.id for claim in live}
    hits = [hit for hit in recollection.found.hits if hit.id not in fetched]
    return memory_block(hits, budget=budget, count=count, known=known, weigh=weigh, notice=notice)


def _facts(facts: Sequence[Fact], budget: int, count: Count) -> Block:
    block = _listed("facts", FACTS_HEADING, [_fact_entry(fact) for fact in facts], budget, count)
    # By their atoms, as callers know them.
    return replace(block, ids=tuple(dict.fromkeys(block.ids)))


def _fact_entry(fact: Fact) -> Entry:
    target = shown_value(fact.value) if fact.object is None else _thing(fact.object)
    about = one_line(f"{_thing(fact.subject)} {fact.predicate}")
    return Entry(Reference("edge", fact.atom), f"- {about}: {one_line(target)}\n")


def _thing(node: Node) -> str:
    """A thing that is known by its name alone needs no kind."""
    return node.identifier if node.kind == NAMED else f"{node.kind} {node.identifier}"
