"""L3: what an agent should do differently, from standing preferences and rules that scenes hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from memory.llm.offline.date_rules import MONTHS
from memory.llm.offline.lexicon import cues_of
from memory.llm.offline.words import containment, content_words

SLOTS: tuple[TraitSlot, ...] = (
    "archetype",
    "role",
    "technical_preferences",
    "interaction_protocol",
    "decision_pattern",
)
PARTS_LIMIT = 5
TRAIT_FLOOR = 50
DATED = re.compile(rf"\d|\b(?:{'|'.join(MONTHS[:4] + MONTHS[5:])})\b|\bMay \d|\b[A-Z]{{2,}}-\d+", re.ASCII)
NOTHING_CHANGED = "No standing preference, rule or role changed in the offered scenes."
PREFERS = re.compile(r"^(?P<who>[^,;:]{1,40}?) prefers? (?P<what>.+?)\.?$", re.IGNORECASE)
ONLY_WITH = re.compile(
    r"^never (?P<act>.+?) without (?P<what>.+?(?:approval|permission|consent|sign-?off|confirmation)).*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to say in a slot, and the line it rests on."""

    slot: TraitSlot
    text: str
    line: str
    priority: int


def characterize(payload: PersonaPayload) -> PersonaAnswer:
    """Edits of the slots whose text or evidence changes; what other scenes support stays."""
    parts = sorted(_parts(payload), key=lambda part: (-part.priority, part.text))
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
    texts = list(dict.fromkeys([*kept_texts, *(part.text for part in parts)]))[:PARTS_LIMIT]
    lines = list(dict.fromkeys([*kept_lines, *(part.line for part in parts if part.text in texts)]))
    if not texts or not lines:
        return (
            TraitEdit(action="retract", slot=slot, reason="the lines it rested on are gone")
            if trait
            else None
        )
    text = _joined(texts)
    if trait and trait.text == text and not trait.is_due and set(trait.lines) == set(lines):
        return None
    return TraitEdit(
        action="set", slot=slot, text=text, lines=lines, reason=f"rests on {len(lines)} standing lines"
    )


def _kept_texts(trait: OfferedTrait, offered_texts: set[str], kept_lines: int, others: str) -> list[str]:
    """Parts of the trait that lines of scenes not shown in full support, as many as there are such lines."""
    unmatched = [text for text in _split(trait.text) if text not in offered_texts]
    words = content_words(others)
    ranked = sorted(unmatched, key=lambda text: -containment(content_words(text), words))
    kept = set(ranked[:kept_lines])
    return [text for text in unmatched if text in kept]


def _parts(payload: PersonaPayload) -> Iterator[Part]:
    atoms = {atom.handle: atom for atom in payload.atoms}
    for scene in payload.scenes:
        for line in scene.lines:
            for atom in (atoms[handle] for handle in line.atoms if handle in atoms):
                if _counts(line, atom) and (slot := _slot(atom)) is not None:
                    yield Part(slot, _phrase(atom), line.handle, atom.priority)


def _counts(line: OfferedLine, atom: OfferedAtom) -> bool:
    """Standing, living, without dates, tickets or versions."""
    is_standing = atom.kind in {"persona", "instruction"} and atom.state == "live" and not atom.scope
    is_timeless = DATED.search(atom.text) is None and atom.happened_until is None
    return (
        is_standing
        and is_timeless
        and not line.is_due
        and line.section != "evolution_record"
        and atom.priority >= TRAIT_FLOOR
    )


def _slot(atom: OfferedAtom) -> TraitSlot | None:
    english = cues_of("en")
    text = atom.text
    if english.has("approval", text) or english.has("answer_style", text):
        return "interaction_protocol"
    if atom.kind == "persona" and english.has("role", text):
        return "role"
    if english.has("decision", text):
        return "decision_pattern"
    return "technical_preferences" if english.has("technical", text) else None


def _phrase(atom: OfferedAtom) -> str:
    """The part as a direction to an agent; a role stays a statement."""
    text = atom.text.rstrip(".")
    only_with = ONLY_WITH.match(text)
    if only_with:
        return f"get {only_with.group('what')} before you {only_with.group('act')}"
    prefers = PREFERS.match(text)
    if prefers:
        return f"prefer {prefers.group('what')}"
    if atom.kind == "instruction" and not text.split()[0].isupper():
        return text[:1].lower() + text[1:]
    return text


def _split(text: str) -> list[str]:
    pieces = [piece for piece in text.rstrip(".").split("; ") if piece]
    first = pieces[0][:1].lower() + pieces[0][1:] if pieces else ""
    return [first, *pieces[1:]] if pieces and not _is_statement(pieces[0]) else pieces


def _is_statement(text: str) -> bool:
    """A part that names somebody keeps its capital."""
    words = text.split()
    return (
        (len(words) > 1 and words[1] in {"leads", "is", "works", "manages", "owns", "user"})
        or words[0].isupper()
        or words[0].endswith("'s")
    )


def _joined(texts: list[str]) -> str:
    joined = ""
    for text in texts:
        longer = f"{joined}; {text}" if joined else text
        if len(longer) >= TRAIT_TEXT_LIMIT:
            break
        joined = longer
    return f"{joined[:1].upper()}{joined[1:]}."
