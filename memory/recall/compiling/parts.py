"""The part of a context that depends on no query: persona, rules, scenes by name, briefs, summary. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memory.recall.compiling.frame import DigestWords, Frame
from memory.recall.compiling.request import Allotment
from memory.recall.context.blocks import Block, BlockName, Count, Entry, Filled, Reference, Space, fill
from memory.recall.context.escaping import one_line
from memory.recall.context.prefix_blocks import Rule, RulesBlock, persona_block, rules_block
from memory.recall.records import SceneRecord

SCENES_HEADING = "## Scenes\n"
BRIEFS_HEADING = "## Earlier sessions\n"
SUMMARY_HEADING = "## Earlier in this session\n"


@dataclass(frozen=True, slots=True)
class Prefix:
    """The blocks in their order, and the rules of the situation apart: these stand beside the turn."""

    blocks: tuple[Block, ...]
    text: str
    situation: str

    @property
    def rules(self) -> Block:
        """Standing rules and those of the situation."""
        return next(block for block in self.blocks if block.name == "rules")


def prefix_of(
    frame: Frame,
    rules: Sequence[Rule],
    matches: Callable[[str], bool],
    *,
    allotment: Allotment,
    count: Count,
) -> Prefix:
    """Fill each block within its tokens. `matches` says whether a rule's scope is the situation at hand.

    The text is the same for every query while the rows are: only `situation` depends on `matches`.
    """
    standing: RulesBlock = rules_block(rules, matches, budget=allotment.rules, count=count)
    blocks = (
        persona_block(frame.standing.traits, budget=allotment.persona, count=count),
        standing.block,
        _listed("scenes", SCENES_HEADING, map(_scene, frame.standing.scenes), allotment.scenes, count),
        _listed("briefs", BRIEFS_HEADING, map(_brief, frame.briefs), allotment.briefs, count),
        _listed("summary", SUMMARY_HEADING, _summary(frame.summary), allotment.summary, count),
    )
    texts = [standing.stable_text if block is standing.block else block.text for block in blocks]
    situation = standing.block.text.removeprefix(standing.stable_text)
    return Prefix(blocks, "\n".join(text for text in texts if text), situation)


def _listed(name: BlockName, heading: str, entries: Iterable[Entry], budget: int, count: Count) -> Block:
    found = list(entries)
    space = Space(count, budget)
    filled = fill(found, space) if found and space.take(heading) else Filled(missing=found)
    text = f"{heading}{filled.text}" if filled.shown else ""
    shown, missing = dict.fromkeys(filled.ids), dict.fromkeys(filled.left_out)
    return Block(name, text, count(text), budget, tuple(shown), tuple(missing))


def _scene(scene: SceneRecord) -> Entry:
    """By name; no summary where it may rest on what no longer holds."""
    summary = f": {one_line(scene.summary)}" if scene.summary and not scene.due else ""
    return Entry(Reference("scene", scene.id), f"- {one_line(scene.title)}{summary}\n")


def _brief(brief: DigestWords) -> Entry:
    ended = f"{brief.ended_at:%Y-%m-%d}" if brief.ended_at else "no date"
    return Entry(Reference("digest", brief.id), f"- {ended}: {_in_one_line(brief.text)}\n")


def _in_one_line(text: str) -> str:
    """A list with its marks taken away: each of its items is a sentence."""
    return one_line(" ".join(line.strip().removeprefix("- ") for line in text.splitlines()))


def _summary(summary: DigestWords | None) -> list[Entry]:
    """A summary is told line by line, as far as it fits."""
    if summary is None:
        return []
    lines = [one_line(line) for line in summary.text.splitlines() if line.strip()]
    return [Entry(Reference("digest", summary.id), f"{line}\n") for line in lines]
