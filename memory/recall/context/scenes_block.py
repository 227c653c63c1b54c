"""The scenes for a task: whole sections of those that search found, the other scenes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.recall.context.blocks import Block, Count, LeftOut, Reference, Space
from memory.recall.context.escaping import one_line
from memory.recall.hits import Hit
from memory.recall.records import SceneRecord, SectionRecord

SCENES_HEADING = "## Scenes for this task\n"
OTHERS_HEADING = "### Other scenes\n"
OTHERS_SHARE = 5
"""One part in so many of the budget is kept to name the other scenes."""
EVOLUTION_RECORD = "evolution_record"
SPEAKS_OF_IT = ("words", "meaning")
"""The terms of a section's score that say whether it is about the task."""

SectionKey = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class ScenesBlock:
    """The block, and the lines that it shows."""

    block: Block
    lines: frozenset[UUID]


@dataclass(slots=True)
class _Plan:
    """What of each scene is shown."""

    shown: dict[UUID, list[SectionRecord]] = field(default_factory=dict)
    named: list[SceneRecord] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def scenes_block(
    scenes: Sequence[SceneRecord],
    hits: Sequence[Hit],
    *,
    budget: int,
    count: Count,
    includes_evolution: bool = False,
) -> ScenesBlock:
    """The scenes that speak of the task, best first, as many whole sections as fit.

    A scene of which nothing is shown is named with its summary as far as that fits. The Evolution Record
    tells of what was and is shown only when it is asked for.
    """
    scores = {(hit.id, hit.section): hit for hit in hits if hit.layer == "section"}
    space = Space(count, budget)
    if not scenes or not space.take(SCENES_HEADING):
        return ScenesBlock(Block("scenes", "", 0, budget, left_out=_whole(scenes)), frozenset())
    plan = _Plan()
    kept = min(
        space.left // OTHERS_SHARE, count(OTHERS_HEADING) + sum(count(_name(scene)) for scene in scenes)
    )
    space.left -= kept
    for scene in _best_first(scenes, scores):
        _show(scene, scores, space, plan, includes_evolution)
    space.left += kept
    _name_others([scene for scene in scenes if scene.id not in plan.shown], space, plan)
    return _rendered(scenes, plan, budget, count)


def _best_first(scenes: Sequence[SceneRecord], scores: Mapping[SectionKey, Hit]) -> list[SceneRecord]:
    """Scenes with a section that speaks of the task more than sections do on average."""
    best: dict[UUID, float] = {}
    for (scene_id, _), hit in scores.items():
        if sum(hit.terms.get(term, 0.0) for term in SPEAKS_OF_IT) > 0:
            best[scene_id] = max(hit.score, best.get(scene_id, hit.score))
    found = [scene for scene in scenes if scene.id in best]
    return sorted(found, key=lambda scene: (-best[scene.id], scene.slot))


def _show(
    scene: SceneRecord,
    scores: Mapping[SectionKey, Hit],
    space: Space,
    plan: _Plan,
    includes_evolution: bool,
) -> None:
    """Show the scene's best sections that fit; its title is paid with the first one."""
    for section in _sections_best_first(scene, scores):
        title = [] if scene.id in plan.shown else [_title(scene)]
        if section.section == EVOLUTION_RECORD and not includes_evolution:
            plan.left_out.append(LeftOut("section", scene.id, "evolution record", section.section))
        elif space.take(*title, *_section_lines(section)):
            plan.shown.setdefault(scene.id, []).append(section)
        else:
            plan.left_out.append(LeftOut("section", scene.id, "budget", section.section))


def _sections_best_first(scene: SceneRecord, scores: Mapping[SectionKey, Hit]) -> list[SectionRecord]:
    """By what search says of them; those it did not find keep the order of the page."""

    def rank(section: SectionRecord) -> float:
        hit = scores.get((scene.id, section.section))
        return -hit.score if hit else float("inf")

    return sorted(scene.sections, key=rank)


def _name_others(others: Sequence[SceneRecord], space: Space, plan: _Plan) -> None:
    is_headed = bool(others) and space.take(OTHERS_HEADING)
    for scene in others:
        if is_headed and space.take(_name(scene)):
            plan.named.append(scene)
        else:
            plan.left_out.append(LeftOut("scene", scene.id, "budget"))


def _rendered(scenes: Sequence[SceneRecord], plan: _Plan, budget: int, count: Count) -> ScenesBlock:
    by_id = {scene.id: scene for scene in scenes}
    parts = [SCENES_HEADING]
    ids: list[Reference] = []
    lines: set[UUID] = set()
    for scene_id, chosen in plan.shown.items():
        parts.append(_title(by_id[scene_id]))
        for section in by_id[scene_id].sections:
            if section in chosen:
                parts += _section_lines(section)
                ids.append(Reference("section", scene_id, section.section))
                lines |= {line.id for line in section.lines}
    if plan.named:
        parts += [OTHERS_HEADING, *map(_name, plan.named)]
    text = "".join(parts) if len(parts) > 1 else ""
    named = [Reference("scene", scene.id) for scene in plan.named]
    block = Block("scenes", text, count(text), budget, (*ids, *named), tuple(plan.left_out))
    return ScenesBlock(block, frozenset(lines))


def _whole(scenes: Sequence[SceneRecord]) -> tuple[LeftOut, ...]:
    return tuple(LeftOut("scene", scene.id, "budget") for scene in scenes)


def _title(scene: SceneRecord) -> str:
    return f"### {one_line(scene.title)}\n"


def _section_lines(section: SectionRecord) -> list[str]:
    return [f"{section.heading}:\n", *(f"- {one_line(line.text)}\n" for line in section.lines)]


def _name(scene: SceneRecord) -> str:
    """Title and summary; without the summary where lines wait to be rewritten, for it may rest on them."""
    summary = "" if scene.due else one_line(scene.summary)
    return f"- {one_line(scene.title)}: {summary}\n" if summary else f"- {one_line(scene.title)}\n"
