"""A memory to be rebuilt, a model that rebuilds it, and what it says then."""

from __future__ import annotations

from typing import Any

from memory.cascade.designs import load_design
from memory.cascade.engine import settle_entity
from memory.cascade.rebuilding.lifecycle import (
    Proposal,
    propose,
)
from memory.claims.promotion import PromotionWorker
from memory.llm.protocol import Model, ModelRequest
from memory.models import (
    Atom,
    Correction,
    Entity,
    Evidence,
    Run,
    SceneVersion,
    TraitVersion,
)
from memory.recall.terms import terms_of
from memory.stewardship.verify import Problem, verify
from tests.cascade.story import an_entity, answer, create, say, store
from tests.scripted_model import ScriptedModel, by_task

TOLD = (
    "Our API gateway is written in Go.",
    "Never deploy the API gateway on Fridays.",
    "The API gateway freeze is on 2 May 2026.",
)
TITLE = "Gateway"


def a_model(
    *, priority: int = 66, words: str = "{}", title: str = TITLE, name: str = "real@1"
) -> ScriptedModel:
    """Makes one claim of every message, one scene of all claims and one trait of the rules."""

    def extract(request: ModelRequest) -> Any:
        known = {atom.text: atom.handle for atom in request.payload.atoms}  # type: ignore[attr-defined]
        items: list[dict[str, Any]] = []
        for message in request.payload.messages:  # type: ignore[attr-defined]
            text = words.format(message.text)
            kind = "instruction" if "Never" in text else "episodic"
            if text not in known:
                items.append(store(text, message.handle, kind=kind, priority=priority, topic="gateway"))
        return answer(*items, nothing_reason=None if items else "known")

    def synthesize(request: ModelRequest) -> Any:
        payload: Any = request.payload
        fresh = [atom for atom in payload.atoms if atom.is_new]
        lines = [
            (
                "prohibitions" if atom.kind == "instruction" else "work_context",
                atom.text,
                [atom.handle],
            )
            for atom in fresh
        ]
        if not payload.scenes:
            return answer(create(title, *lines))
        added = [
            {"op": "add", "section": section, "text": text, "atoms": atoms} for section, text, atoms in lines
        ]
        return answer({"action": "update", "scene": payload.scenes[0].handle, "lines": added})

    def portray(request: ModelRequest) -> Any:
        lines = [line for scene in request.payload.scenes for line in scene.lines]  # type: ignore[attr-defined]
        rules = [line.handle for line in lines if "Never" in line.text]
        text = f"Holds rules strictly, says {name.partition('@')[0]}."
        if not rules:
            return answer(nothing_reason="no rule")
        return answer({"action": "set", "slot": "decision_pattern", "text": text, "lines": rules})

    steps = {"l1_extract": extract, "scene_synthesis": synthesize, "persona": portray}
    return ScriptedModel(otherwise=by_task(steps), name=name)


def told(*texts: str, model: Model | None = None) -> Entity:
    entity = an_entity()
    say(entity, *(texts or TOLD))
    settle_entity(entity, model=model or a_model(priority=50, title="Old", name="old@1"))
    assert verify(entity, is_settled=True) == []
    return entity


def problems_at_rest() -> list[Problem]:
    """What is wrong once the graph has followed what was swapped in."""
    PromotionWorker().run_once()
    return verify(is_settled=True)


def proposed(entity: Entity, model: Model, layer: str = "L1") -> Proposal:
    found = propose(entity=entity, layer=layer, design=load_design(), model=model)
    assert list(Run.objects.filter(error_kind="internal").values_list("error_text", flat=True)) == []
    return found


def live(entity: Entity) -> dict[str, int]:
    return dict(Atom.objects.for_entity(entity).live().order_by("seq").values_list("text", "priority"))


def scenes(entity: Entity) -> dict[str, list[str]]:
    heads = SceneVersion.objects.for_entity(entity).live()
    return {
        head.title: list(head.lines.order_by("places__position").values_list("text", flat=True))
        for head in heads
    }


def traits(entity: Entity) -> list[str]:
    return list(TraitVersion.objects.for_entity(entity).live().values_list("text", flat=True))


def everything(entity: Entity) -> tuple[Any, ...]:
    rows = Atom.objects.for_entity(entity).order_by("seq").values_list("pk", "status", "chain", "consumed_by")
    return list(rows), live(entity), scenes(entity), traits(entity)


def corrected(entity: Entity, text: str, instead: str) -> Atom:
    """What correcting a claim leaves: a new atom in its chain that rests on the correction alone."""
    old = Atom.objects.for_entity(entity).get(text=text)
    owner = {"workspace_id": entity.workspace_id, "entity": entity}
    correction = Correction.objects.create(
        **owner, kind="atom", before={"text": text}, after={"text": instead}
    )
    Atom.objects.filter(pk=old.pk).update(status=Atom.Status.SUPERSEDED)
    atom = Atom.objects.create(
        **owner,
        chain=old.chain,
        text=instead,
        kind=old.kind,
        priority=old.priority,
        topic=old.topic,
        authority=old.authority,
        decision=Atom.Decision.MERGE,
        merge_reason=Atom.MergeReason.VALUE,
        terms=terms_of(instead),
    )
    Evidence.objects.create(**owner, of_atom=atom, correction=correction)
    Atom.objects.filter(pk=old.pk).update(superseded_by=atom)
    settle_entity(entity, model=a_model(priority=50, title="Old", name="old@1"))
    return atom
