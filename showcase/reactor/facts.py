"""What a run cost and under what it ran, and what it read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.models import Run
from memory.recall.short_ids import short_id
from showcase.links import trace_url
from showcase.parts import Fact, Layer, Segment, TokenBar, token_bar
from showcase.reactor.columns import atom_item, message_item, trait_item, version_item
from showcase.reactor.gathering import Gathered, ids
from showcase.reactor.records import Item, Reading

DIGEST_SHOWN = 12
MOST_READ = 60
"""So many inputs of a kind are shown in words."""
_KINDS: tuple[tuple[str, Layer, str], ...] = (
    ("messages", "L0", "messages"),
    ("atoms", "L1", "atoms"),
    ("scene_versions", "L2", "scene versions"),
    ("trait_versions", "L3", "wordings of traits"),
)


def readings_of(given: Gathered, run: Run) -> tuple[Reading, ...]:
    """The inputs of a run, kind by kind, in its own order."""
    found: Mapping[str, tuple[Mapping[UUID, Any], Callable[[Gathered, Any], Item]]] = {
        "messages": (given.messages, message_item),
        "atoms": (given.atoms, atom_item),
        "scene_versions": (given.versions, version_item),
        "trait_versions": (given.wordings, trait_item),
    }
    return tuple(
        _reading(given, name, layer, ids(run.inputs, kind), *found[kind])
        for kind, layer, name in _KINDS
        if run.inputs.get(kind)
    )


def _reading(
    given: Gathered,
    name: str,
    layer: Layer,
    read: Iterable[UUID],
    rows: Mapping[UUID, Any],
    item: Callable[[Gathered, Any], Item],
) -> Reading:
    wanted = list(read)
    there = [rows[id] for id in wanted if id in rows]
    return Reading(
        name,
        layer,
        tuple(replace(item(given, row), is_new=False) for row in there[:MOST_READ]),
        len(wanted) - len(there),
    )


def facts_of(given: Gathered, run: Run) -> tuple[Fact, ...]:
    """Names and values; what was not recorded is left out."""
    zone = given.scope.entity.zone
    rows = (
        Fact("step", run.step),
        Fact("model", run.model),
        Fact("design", run.design),
        Fact("committed", at=run.finished_at and run.finished_at.astimezone(zone)),
        Fact("took", f"{run.milliseconds:,} ms".replace(",", "\u202f")),
        Fact("calls", str(run.calls)),
        Fact("tokens", _tokens(run)),
        Fact("cost", f"{run.cost.normalize():f}" if run.cost is not None else ""),
        Fact("attempt", str(run.attempt) if run.attempt > 1 else ""),
        Fact("prompt", run.prompt_hash[:DIGEST_SHOWN]),
        Fact("schema", run.schema_hash[:DIGEST_SHOWN]),
        Fact("run", short_id(run.pk), url=trace_url(given.scope, run.pk)),
    )
    return tuple(fact for fact in rows if fact.value or fact.at)


def _tokens(run: Run) -> str:
    if run.tokens_in or run.tokens_out:
        return f"{run.tokens_in} read, {run.tokens_out} written"
    return "none: the offline model counts no tokens" if run.model.startswith("offline") else "none reported"


def bar_of(run: Run) -> TokenBar | None:
    """Tokens in and out, where a model counted them."""
    if not run.tokens_in and not run.tokens_out:
        return None
    return token_bar(
        "Tokens", [Segment("read", run.tokens_in, "L0"), Segment("written", run.tokens_out, "L1")]
    )
