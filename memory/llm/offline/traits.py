"""L3: what an agent should do differently, from standing claims and from what recurs in scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.cascade.contract import (
    TRAIT_TEXT_LIMIT,
    OfferedAtom,
    OfferedLine,
    OfferedTrait,
    PersonaAnswer,
    PersonaPayload,
    TraitEdit,
    TraitSlot,
)
from memory.llm.offline.desks import person_of
from memory.llm.offline.interests import Concern, Remark, concerns_by_person
from memory.llm.offline.standing import is_current, is_standing, phrase_of, slot_of, tells_of
from memory.llm.offline.wording import GENERIC_NAME
from memory.llm.offline.words import containment, content_words

SLOTS: tuple[TraitSlot, ...] = (
    "archetype",
    "role",
    "technical_preferences",
    "interaction_protocol",
    "decision_pattern",
)
PARTS_LIMIT = 5
RECURRING_PRIORITY = 50
NOTHING_CHANGED = "No standing preference, rule or role changed in the offered scenes."


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to say in a slot, and the lines it rests on."""

    slot: TraitSlot
    text: str
    lines: tuple[str, ...]
    priority: int


def characterize(payload: PersonaPayload) -> PersonaAnswer:
    """Edits of the slots whose text or evidence changes; what other scenes support stays."""
    parts = sorted(_parts(payload), key=lambda part: (-part.priority, part.text, part.lines))
    offered = {line.handle for scene in payload.scenes if scene.is_full for line in scene.lines}
    current = {trait.slot: trait for trait in payload.traits}
    others = " ".join(f"{scene.title} {scene.summary}" for scene in payload.scenes if not scene.is_full)
    edits = [
        _slot_edit(slot, [part for part in parts if part.slot == slot], current.get(slot), offered, others)
        for slot in SLOTS
    ]
    items = [edit for edit in edits if edit is not None]
    return PersonaAnswer(items=items, nothing_reason=None if items else NOTHING_CHANGED)


def _slot_edit(
    slot: TraitSlot, parts: list[Part], trait: OfferedTrait | None, offered: set[str], others: str
) -> TraitEdit | None:
    kept_lines = [line for line in trait.lines if line not in offered] if trait else []
    kept_texts = _kept_texts(trait, {part.text for part in parts}, len(kept_lines), others) if trait else []
    texts = _fitting(list(dict.fromkeys([*kept_texts, *(part.text for part in parts)]))[:PARTS_LIMIT])
    cited = [line for part in parts if part.text in texts for line in part.lines]
    lines = list(dict.fromkeys([*kept_lines, *cited]))
    if not texts or not lines:
        return (
            TraitEdit(action="retract", slot=slot, reason="the lines it rested on are gone")
            if trait
            else None
        )
    text = _joined(texts)
    if trait and trait.text == text and not trait.is_due and set(trait.lines) == set(lines):
        return None
    counted = f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
    return TraitEdit(action="set", slot=slot, text=text, lines=lines, reason=f"rests on {counted} of scenes")


def _kept_texts(trait: OfferedTrait, offered_texts: set[str], kept_lines: int, others: str) -> list[str]:
    """Parts of the trait that lines of scenes not shown in full support, as many as there are such lines."""
    unmatched = [text for text in _split(trait.text) if text not in offered_texts]
    words = content_words(others)
    ranked = sorted(unmatched, key=lambda text: -containment(content_words(text), words))
    kept = set(ranked[:kept_lines])
    return [text for text in unmatched if text in kept]


def _parts(payload: PersonaPayload) -> Iterator[Part]:
    remarks: list[Remark] = []
    people = _people(payload)
    for scene, line, atom in _claims(payload):
        person = person_of(atom.topic)
        if person and atom.kind != "instruction" and tells_of(person, atom):
            day = atom.said_at.date() if atom.said_at else None
            remarks.append(Remark(person, atom.text, scene, line.handle, day))
        if is_standing(line, atom) and (slot := slot_of(atom, people)) is not None:
            yield Part(slot, phrase_of(atom, slot), (line.handle,), atom.priority)
    for person, concerns in concerns_by_person(remarks).items():
        yield _recurring(person, concerns)


def _people(payload: PersonaPayload) -> frozenset[str]:
    """Those who speak in this memory, in small letters: topics are named after nobody else."""
    topics = (
        *(topic for scene in payload.scenes for topic in scene.topics),
        *(atom.topic for atom in payload.atoms),
    )
    return frozenset([GENERIC_NAME.casefold(), *(person_of(topic).casefold() for topic in topics)]) - {""}


def _claims(payload: PersonaPayload) -> Iterator[tuple[str, OfferedLine, OfferedAtom]]:
    """The claims that stand in the offered scenes: scene, line, atom."""
    atoms = {atom.handle: atom for atom in payload.atoms}
    for scene in payload.scenes:
        for line in scene.lines:
            for atom in (atoms[handle] for handle in line.atoms if handle in atoms):
                if is_current(line, atom):
                    yield scene.handle, line, atom


def _recurring(person: str, concerns: Sequence[Concern]) -> Part:
    names = [concern.name for concern in concerns]
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    lines = tuple(line for concern in concerns for line in concern.lines)
    return Part("archetype", f"tie suggestions for {person} to {listed}", lines, RECURRING_PRIORITY)


def _split(text: str) -> list[str]:
    """The parts of a trait as they were before the first got its capital."""
    pieces = [piece for piece in text.rstrip(".").split("; ") if piece]
    return [piece if piece.split()[0].isupper() else piece[:1].lower() + piece[1:] for piece in pieces]


def _fitting(texts: list[str]) -> list[str]:
    """As many of the texts, from the first, as one trait can hold."""
    fitting: list[str] = []
    for text in texts:
        if len(_joined([*fitting, text])) > TRAIT_TEXT_LIMIT:
            break
        fitting.append(text)
    return fitting


def _joined(texts: list[str]) -> str:
    joined = "; ".join(texts)
    return f"{joined[:1].upper()}{joined[1:]}."
