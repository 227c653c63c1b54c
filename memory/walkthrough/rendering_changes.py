"""What a message changed, layer by layer: `+` is new, `=` was known, `~` took another one's place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from memory.recall.records import (
    AtomRecord,
    Changes,
    LineDifference,
    Merge,
    ParkedInput,
    SceneChange,
    Skip,
    TraitRecord,
)
from memory.recall.short_ids import short_id
from memory.walkthrough.access import Said
from memory.walkthrough.counting import counted

MARKS = {"added": "+", "removed": "-", "reworded": "~"}
NOT_YET = "not reached yet"
NOTHING_NEW = "nothing above it changed"


def said_lines(said: Said) -> Iterator[str]:
    """Whether the cascade came to its end, then the changes."""
    yield f"Settled in {said.seconds:.1f} s." if said.is_settled else "Not settled."
    yield from (f"  {reason}" for reason in said.reasons)
    yield from change_lines(said.changes, is_settled=said.is_settled)


def change_lines(changes: Changes, *, is_settled: bool = True) -> Iterator[str]:
    """What each layer got, counted and named; where it got nothing, the reason."""
    yield f"L0  {counted(changes.messages, 'message')}"
    yield from _layer("L1", _atom_counts(changes), _atoms(changes), _why_no(changes, Step.L1, is_settled))
    yield from _layer("L2", _scene_counts(changes), _scenes(changes), _why_no(changes, Step.L2, is_settled))
    yield from _layer("L3", _trait_counts(changes), _traits(changes), _why_no(changes, Step.L3, is_settled))


class Step(StrEnum):
    """Which step writes which layer."""

    L1 = "l1_extract"
    L2 = "scene_synthesis"
    L3 = "persona"


NOUNS = {Step.L1: "memory", Step.L2: "scene", Step.L3: "trait"}


def _layer(layer: str, counts: str, lines: Iterable[str], nothing: str) -> Iterator[str]:
    yield f"{layer}  {counts or nothing}"
    yield from (f"    {line}" for line in lines)


def _why_no(changes: Changes, step: Step, is_settled: bool) -> str:
    reason = changes.reasons.get(step) or (NOTHING_NEW if is_settled else NOT_YET)
    return f"no {NOUNS[step]} changed: {reason}"


def _atom_counts(changes: Changes) -> str:
    counts = (
        (len(changes.stored), "new"),
        (len(changes.merged), "changed"),
        (len(changes.skipped), "known already"),
        (len(changes.dropped), "left out"),
        (len(changes.parked), "parked"),
    )
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def _scene_counts(changes: Changes) -> str:
    opened = sum(scene.number == 1 for scene in changes.scenes)
    counts = ((opened, "opened"), (len(changes.scenes) - opened, "rewritten"))
    return ", ".join(f"{counted(count, 'scene')} {word}" for count, word in counts if count)


def _trait_counts(changes: Changes) -> str:
    return f"{counted(len(changes.traits), 'trait')} written" if changes.traits else ""


def _atoms(changes: Changes) -> Iterator[str]:
    for atom in changes.stored:
        yield f"+ {_claim(atom)}"
    for skip in changes.skipped:
        yield from _skip(skip)
    for merge in changes.merged:
        yield from _merge(merge)
    for drop in changes.dropped:
        yield f"! left out: {drop}"
    for parked in changes.parked:
        yield from _parked(parked)


def _claim(atom: AtomRecord) -> str:
    state = "" if atom.status == "live" else f" ({atom.status} since)"
    receipts = counted(atom.receipts, "receipt")
    return f"{atom.kind} {atom.priority}: {atom.text}{state}  [{short_id(atom.id)}] {receipts}"


def _skip(skip: Skip) -> Iterator[str]:
    yield f"= known: {skip.text}  [{short_id(skip.atom)}] now {counted(skip.receipts, 'receipt')}"
    yield f"  {skip.reason}"


def _merge(merge: Merge) -> Iterator[str]:
    yield f"~ {_claim(merge.new)}"
    for old in merge.old:
        yield f"  takes the place of: {old.text}  [{short_id(old.id)}] ({merge.reason})"
    if not merge.old and merge.new.superseded_by:
        yield f"  older than what stands: [{short_id(merge.new.superseded_by)}]"


def _parked(parked: ParkedInput) -> Iterator[str]:
    yield f"! parked by {parked.step}: {parked.text}  [{short_id(parked.id)}]"
    yield f"  {parked.error}"


def _scenes(changes: Changes) -> Iterator[str]:
    for scene in changes.scenes:
        yield from _scene(scene)


def _scene(scene: SceneChange) -> Iterator[str]:
    word = "opened" if scene.number == 1 else f"version {scene.number}"
    yield f"▣ {scene.title}: {word if scene.status == 'live' else f'{word}, now {scene.status}'}"
    for line in scene.lines:
        yield from _line(line)


def _line(line: LineDifference) -> Iterator[str]:
    if line.change == "reworded":
        yield f"  - {line.section}: {line.before}"
        yield f"  + {line.section}: {line.after}"
    else:
        yield f"  {MARKS[line.change]} {line.section}: {line.after or line.before}"


def _traits(changes: Changes) -> Iterator[str]:
    for trait in changes.traits:
        yield from _trait(trait)


def _trait(trait: TraitRecord) -> Iterator[str]:
    slot = trait.slot.replace("_", " ").capitalize()
    yield f"{slot}: {trait.text}  [{short_id(trait.id)}] {counted(trait.receipts, 'receipt')}"
