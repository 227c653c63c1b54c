"""Rows of a context as the page shows them: words, weight, handle, and what brought them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from memory.recall.context import Context, LeftOut, Reference
from memory.recall.context.prefix_blocks import Rule
from memory.recall.hits import Hit
from memory.recall.records import SceneRecord
from showcase.access import Scope
from showcase.cards import SLOTS
from showcase.links import record_url
from showcase.parts import LAYER_OF_KIND, Fact, Layer

HIT_LAYERS = {"atom": "atom", "message": "message", "section": "section"}
PAGES = {
    "trait": "trait",
    "atom": "atom",
    "message": "message",
    "scene": "scene",
    "section": "scene",
    "procedure": "procedure version",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `terms` are those of its score, the greatest first; `why` says what else brought it in.

    Figures are text already: the filters of templates would take a third of the page's time for them.
    """

    kind: str
    id: UUID | None
    text: str
    url: str = ""
    title: str = ""
    why: str = ""
    facts: tuple[Fact, ...] = ()
    score: str = ""
    score_value: float = 0.0
    terms: tuple[tuple[str, str], ...] = ()

    @property
    def layer(self) -> Layer:
        """The layer whose hue it wears."""
        return LAYER_OF_KIND.get(PAGES.get(self.kind, self.kind), "")


class Rows:
    """Finds what a context's references stand for among the rows it was chosen from; asks no database."""

    def __init__(self, scope: Scope, context: Context, design_rules: Mapping[str, Rule]) -> None:
        standing = context.material.standing
        self._scope = scope
        self._floor = context.manifest["rules_floor"]
        self._design_rules = design_rules
        self._traits = {trait.id: trait for trait in standing.traits}
        self._rules = {rule.id: rule for rule in standing.rules if rule.id}
        self._scenes = {scene.id: scene for scene in standing.scenes}
        self._hits = {(hit.layer, hit.id, hit.section): hit for hit in context.material.found.hits}
        self._procedures = {found.version: found for found in standing.procedures.found}
        self._scores = {found["version"]: found["score"] for found in context.manifest["procedures"]["found"]}

    def row(self, block: str, named: Reference | LeftOut) -> Row:
        """What a reference stands for, in the block that shows it or leaves it out."""
        id = named.id
        if id is None:
            return self._nameless(named)
        if named.kind == "trait":
            trait = self._traits[id]
            return self._of(
                named, trait.text, title=SLOTS[trait.slot], why="the trait that holds in its slot"
            )
        if named.kind in ("scene", "section"):
            return self._scene(named, self._scenes[id])
        if named.kind == "procedure":
            return self._procedure(named, id)
        if block == "rules":
            return self._rule(named, self._rules[id])
        return self._hit(named, self._hits[HIT_LAYERS[named.kind], id, ""])  # type: ignore[index]

    def _of(self, named: Reference | LeftOut, text: str, **more: object) -> Row:
        page = PAGES.get(named.kind)
        url = record_url(self._scope, page, named.id) if page and named.id else ""
        return Row(named.kind, named.id, text, url, **more)  # type: ignore[arg-type]

    def _nameless(self, named: Reference | LeftOut) -> Row:
        rule = self._design_rules.get(named.part)
        if rule is None:
            return Row(named.kind, None, "")
        return self._rule(named, rule)

    def _rule(self, named: Reference | LeftOut, rule: Rule) -> Row:
        """An instruction by the exact filter."""
        facts = [Fact("priority", str(rule.priority)), Fact("when", rule.scope)]
        return self._of(
            named,
            rule.text,
            title="Rule of the design" if rule.id is None else "Instruction",
            why=f"instruction, priority {rule.priority} ≥ floor {self._floor}, "
            + ("its situation is named" if rule.scope else "always holds"),
            facts=_said((*facts, Fact("from", rule.authority or "user"))),
        )

    def _scene(self, named: Reference | LeftOut, scene: SceneRecord) -> Row:
        """A section by its score where search found it, a scene by its summary."""
        if named.kind == "scene":
            why = "" if isinstance(named, LeftOut) else "named: the task does not speak of it"
            return self._of(named, scene.summary, title=scene.title, why=why)
        section = next(found for found in scene.sections if found.section == named.part)
        hit = self._hits.get(("section", scene.id, named.part))
        return self._of(
            named,
            "\n".join(line.text for line in section.lines),
            title=f"{scene.title}, {section.heading}",
            why="" if hit else "stands in a scene that was found",
            **_scored(hit),
        )

    def _procedure(self, named: Reference | LeftOut, id: UUID) -> Row:
        found = self._procedures[id]
        share = self._scores.get(str(id))
        part = f", {named.part.replace('_', ' ')}" if named.part else ""
        return self._of(
            named,
            "\n".join(found.texts(named.part)) if named.part else found.boundary,
            title=f"{found.title}, version {found.number}{part}",
            why="" if share is None else f"shares {share:.0%} of its triggers' words with the request",
            facts=_said((Fact("approved by", found.reviewer),)),
        )

    def _hit(self, named: Reference | LeftOut, hit: Hit) -> Row:
        message = hit.messages[0] if hit.messages else None
        raw = message.speaker or message.role if message else "raw"
        facts = (
            Fact("priority", str(hit.priority) if hit.layer == "atom" else ""),
            Fact("topic", hit.topic),
            Fact("session", message.session if message else ""),
        )
        title = hit.kind.capitalize() if hit.layer == "atom" else raw
        return self._of(named, hit.text, title=title, facts=_said(facts), **_scored(hit))


def _said(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(fact for fact in facts if fact.value)


def _scored(hit: Hit | None) -> dict[str, object]:
    if hit is None:
        return {}
    terms = sorted(hit.terms.items(), key=lambda term: -abs(term[1]))
    shown = tuple((name.replace("_", " "), f"{value:.2f}") for name, value in terms if round(value, 2))
    return {"score": f"{hit.score:.2f}", "score_value": hit.score, "terms": shown}
