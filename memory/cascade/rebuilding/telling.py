"""A proposal in words, for whoever decides about it, and as JSON data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from memory.cascade.rebuilding.comparing import AtomChange, SceneChange, TraitChange
from memory.cascade.rebuilding.lifecycle import Proposal
from memory.cascade.rebuilding.running import Cost
from memory.cascade.rebuilding.views import AtomView
from memory.cascade.rules.difference import Change, LineChange
from memory.models import Rebuild

MARKS = {Change.ADDED: "+", Change.REMOVED: "-", Change.REWORDED: "~"}


def told(proposal: Proposal) -> str:
    """The difference of the layers made anew, and what it cost."""
    changes = proposal.changes
    layer, parts = proposal.rebuild.layer, list[str]()
    if layer == Rebuild.Layer.L1:
        parts += _part("Atoms", changes.atoms_kept, map(_atom, changes.atoms))
    if layer != Rebuild.Layer.L3:
        parts += _part("Scenes", changes.scenes_kept, map(_scene, changes.scenes))
    parts += _part("Traits", changes.traits_kept, map(_trait, changes.traits))
    parts.append(f"Cost: {_cost(proposal.cost)}")
    if proposal.unread:
        parts.append(f"Not read, and set aside to be retried: {len(proposal.unread)} inputs")
    return "\n".join(parts) + "\n"


def _part(heading: str, kept: int, changes: Iterable[str]) -> Iterator[str]:
    changed = list(changes)
    yield f"{heading}: {len(changed)} changed, {kept} as before"
    yield from changed


def _atom(change: AtomChange) -> str:
    if change.before is None and change.after is not None:
        return f"  + {_claim(change.after)}"
    if change.after is None and change.before is not None:
        return f"  - {_claim(change.before)}"
    before, after = change.before, change.after
    if before is None or after is None:
        return ""
    facts = ", ".join(_facts(before, after))
    return f"  ~ {_claim(after)}" + (f"\n      {facts}" if facts else "")


def _claim(atom: AtomView) -> str:
    return f"[{atom.kind}, {atom.priority}] {atom.text}"


def _facts(before: AtomView, after: AtomView) -> Iterator[str]:
    """What of a claim is other than it was."""
    if before.text != after.text:
        yield f"was «{before.text}»"
    for name in ("priority", "kind", "topic", "scope", "happened_from", "happened_until"):
        was, is_now = getattr(before, name), getattr(after, name)
        if was != is_now:
            yield f"{name.replace('_', ' ')} {_shown(was)} → {_shown(is_now)}"


def _shown(value: object) -> str:
    return str(value) or "none"


def _scene(change: SceneChange) -> str:
    before, after = change.before, change.after
    if before is None and after is not None:
        heading = f"  + {after.title}"
    elif after is None and before is not None:
        return f"  - {before.title} ({len(before.lines)} lines): retired"
    else:
        titles = list(dict.fromkeys(scene.title for scene in (before, after) if scene))
        heading = f"  ~ {' → '.join(titles)}"
    return "\n".join([heading, *(_line(line) for line in change.lines.changes if line.change in MARKS)])


def _line(line: LineChange) -> str:
    shown = line.after or line.before
    words = f"      {MARKS[line.change]} {shown.section.replace('_', ' ')}: {shown.text}" if shown else ""
    if line.change is Change.REWORDED and line.before is not None:
        words += f" (was {line.before.section.replace('_', ' ')}: {line.before.text})"
    return words


def _trait(change: TraitChange) -> str:
    slot = change.slot.replace("_", " ")
    if not change.before:
        return f"  + {slot}: {change.after}"
    if not change.after:
        return f"  - {slot}: {change.before}"
    return f"  ~ {slot}: {change.after}\n      was «{change.before}»"


def _cost(cost: Cost) -> str:
    unpriced = "price unknown" if cost.tokens_in or cost.tokens_out else "free"
    price = f"price {cost.price.normalize():f}" if cost.price is not None else unpriced
    failed = f", {cost.failed} failed" if cost.failed else ""
    tokens = f"{cost.tokens_in} tokens in, {cost.tokens_out} out"
    return f"{cost.calls} calls in {cost.runs} runs{failed}, {tokens}, {price}"


def as_json(proposal: Proposal) -> dict[str, Any]:
    """The same as JSON values."""
    rebuild, changes = proposal.rebuild, proposal.changes
    return {
        "rebuild": str(rebuild.pk),
        "from": rebuild.layer,
        "design": rebuild.design,
        "design_hash": rebuild.design_hash,
        "model": rebuild.model,
        "token": proposal.token,
        "counts": changes.counts,
        "atoms": [
            {"before": _plain(change.before), "after": _plain(change.after)} for change in changes.atoms
        ],
        "scenes": [
            {
                "before": change.before.title if change.before else None,
                "after": change.after.title if change.after else None,
                "lines": [_line(line).strip() for line in change.lines.changes if line.change in MARKS],
            }
            for change in changes.scenes
        ],
        "traits": [asdict(change) for change in changes.traits],
        "cost": {**asdict(proposal.cost), "price": str(proposal.cost.price) if proposal.cost.price else None},
        "unread": [str(row) for row in proposal.unread],
    }


def _plain(atom: AtomView | None) -> dict[str, Any] | None:
    return {**asdict(atom), "id": str(atom.id)} if atom else None
