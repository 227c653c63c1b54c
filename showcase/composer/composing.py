"""A context taken apart: blocks with their rows, what was left out, and the text in its two parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.cascade.designs import design_of
from memory.recall.context import Block, Context, ContextRequest, LeftOut, render_context
from memory.recall.context.escaping import own_words
from memory.recall.context.prefix_blocks import Rule
from memory.recall.context.rendering import design_rules
from memory.recall.tokens import count_tokens
from showcase.access import Scope
from showcase.composer.reasons import ABOUT, ARM_STATES, LEFT_OUT, NOTHING
from showcase.composer.rows import Row, Rows
from showcase.parts import Code, Fact, Layer, Segment, TokenBar, token_bar

LAYERS: dict[str, Layer] = {"persona": "L3", "rules": "L1", "scenes": "L2", "memory": "L0"}
MOST_LEFT_OUT = 8
"""Rows named of each reason; the others are counted."""

MOST_UNHEARD = 3
MOST_OPEN, OPEN_SHARE = 12, 0.5
"""So many rows that search found stand openly, and none below this share of the best one's score."""


@dataclass(frozen=True, slots=True)
class Unshown:
    """Rows that were left out for one reason, the first of them and how many more."""

    reason: str
    count: int
    rows: tuple[Row, ...]

    @property
    def more(self) -> int:
        """How many are not named."""
        return self.count - len(self.rows)


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """One block: how much of its budget it took, its rows and what it left out."""

    name: str
    title: str
    about: str
    nothing: str
    bar: TokenBar
    layer: Layer
    rows: tuple[Row, ...]
    folded: tuple[Row, ...]
    """Of what search found the rows far below the best one: told as well, each in a line of its own."""
    left_out: tuple[Unshown, ...]


@dataclass(frozen=True, slots=True)
class Composed:
    """What the page shows of a context."""

    whole: TokenBar
    blocks: tuple[ShownBlock, ...]
    stable: str
    """The beginning of the text that depends on neither request nor clock."""
    rest: str
    facts: tuple[Fact, ...]
    without: Code
    """The request alone: what an agent has that remembers nothing."""
    without_tokens: int
    rule_count: int
    unheard: tuple[Row, ...]
    """The weightiest rules, which such an agent does not know."""


def compose(scope: Scope, request: ContextRequest) -> Composed:
    """Render a context and take it apart. Reads only, and calls no model."""
    context = render_context(scope.entity, request)
    rows = Rows(scope, context, _design_rules(scope, context))
    blocks = tuple(_block(block, rows) for block in context.blocks)
    rules = [row for block in blocks if block.name == "rules" for row in block.rows]
    alone = own_words(request.task)
    prefix = len(context.text.encode()[: context.stable_prefix_bytes].decode())
    return Composed(
        whole=_whole(context, request.total),
        blocks=blocks,
        stable=context.text[:prefix],
        rest=context.text[prefix:],
        facts=_facts(context),
        without=Code(alone, "All that the agent sees", wraps=True),
        without_tokens=count_tokens(alone),
        rule_count=len(rules),
        unheard=tuple(rules[:MOST_UNHEARD]),
    )


def _design_rules(scope: Scope, context: Context) -> dict[str, Rule]:
    """The design's own, where the context shows or leaves out any."""
    shown = {row.kind for block in context.blocks for row in block.ids}
    left_out = {row.kind for block in context.blocks for row in block.left_out}
    if "rule" not in shown | left_out:
        return {}
    return {rule.part: rule for rule in design_rules(design_of(scope.entity), 0)}


def _block(block: Block, rows: Rows) -> ShownBlock:
    title, about = ABOUT[block.name]
    layer = LAYERS.get(block.name, "")
    bar = token_bar(title, [Segment(title, block.tokens, layer)], budget=block.budget)
    told = [rows.row(block.name, named) for named in block.ids]
    folded = far_down(told) if block.name == "memory" else ()
    # By what they are: to compare hundreds of rows with each other takes as long as to draw them.
    below = set(map(id, folded))
    shown = tuple(row for row in told if id(row) not in below)
    left_out = _left_out(block, rows)
    return ShownBlock(block.name, title, about, NOTHING[block.name], bar, layer, shown, folded, left_out)


def far_down(told: Sequence[Row]) -> tuple[Row, ...]:
    """Rows beyond the best few, and those whose score is far below the best, in the order they are told."""
    best = sorted((row.score_value for row in told), reverse=True)[:MOST_OPEN]
    # A best score below zero has no share: then only the number counts.
    least = max(best[-1], best[0] * OPEN_SHARE if best[0] > 0 else best[-1]) if best else 0.0
    return tuple(row for row in told if row.score_value < least)


def _left_out(block: Block, rows: Rows) -> tuple[Unshown, ...]:
    by_reason: dict[str, list[LeftOut]] = defaultdict(list)
    for named in block.left_out:
        by_reason[LEFT_OUT[named.reason]].append(named)
    return tuple(
        Unshown(reason, len(found), tuple(rows.row(block.name, one) for one in found[:MOST_LEFT_OUT]))
        for reason, found in by_reason.items()
    )


def _whole(context: Context, total: int | None) -> TokenBar:
    """All blocks in one bar; the frame is what stands between and around them."""
    segments = [Segment(block.name, block.tokens, LAYERS.get(block.name, "")) for block in context.blocks]
    frame = context.tokens - sum(segment.tokens for segment in segments)
    shown = [segment for segment in (*segments, Segment("frame", max(0, frame))) if segment.tokens]
    return token_bar("The whole context", shown, budget=total)


def _facts(context: Context) -> tuple[Fact, ...]:
    manifest = context.manifest
    whole = len(context.text.encode())
    arms = ", ".join(f"{arm} {ARM_STATES[state]}" for arm, state in manifest["arms"].items())
    return (
        Fact("SHA-256", context.sha256),
        Fact("stable prefix", f"{context.stable_prefix_bytes} of {whole} bytes"),
        Fact("design", manifest["design"]),
        Fact("clock", manifest["as_of"]),
        Fact("rules floor", str(manifest["rules_floor"])),
        Fact("search", arms),
        *_unindexed(manifest["unindexed"]),
    )


def _unindexed(count: int) -> Iterable[Fact]:
    if count:
        yield Fact("not yet indexed", f"{count} rows, scanned")
