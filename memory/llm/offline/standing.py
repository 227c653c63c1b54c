"""Which claims hold beyond their moment, and the slot of the persona they speak for."""

from __future__ import annotations

import re

from memory.cascade.contract import OfferedAtom, OfferedLine, TraitSlot
from memory.llm.offline.date_rules import MONTHS
from memory.llm.offline.lexicon import cues_of, matters
from memory.llm.offline.portrait import WHO, portrait_cues
from memory.llm.offline.topics import is_undertaking

TRAIT_FLOOR = 50
TOOLING = frozenset({"software and tooling", "ui design guidelines"})
DATED = re.compile(rf"\d|\b(?:{'|'.join(MONTHS[:4] + MONTHS[5:])})\b|\bMay \d|\b[A-Z]{{2,}}-\d+", re.ASCII)
EVERYWHERE = re.compile(
    r"\b(?:every|everywhere|each|any|all|in general|generally|from now on|by default|as a rule|whenever)\b",
    re.IGNORECASE,
)
NAMED = re.compile(rf"{WHO} (?:now |also |still |currently )?")
OFFICE = re.compile(rf"{WHO}(?<='s|’s) (?:role|job|title|profession) is ")
PREFERS = re.compile(r"^(?P<who>[^,;:]{1,40}?) prefers? (?P<what>.+?)\.?$", re.IGNORECASE)
ONLY_WITH = re.compile(
    r"^never (?P<act>.+?) without (?P<what>.+?(?:approval|permission|consent|sign-?off|confirmation)).*$",
    re.IGNORECASE,
)


def is_current(line: OfferedLine, atom: OfferedAtom) -> bool:
    """Whether what a person said stands in the scene as it is now."""
    return (
        atom.state == "live"
        and atom.authority not in {"agent inference", "tool"}
        and not line.is_due
        and line.section != "evolution_record"
    )


def is_standing(line: OfferedLine, atom: OfferedAtom) -> bool:
    """Whether a claim is stated to hold always: a trait or a rule without dates, tickets or versions."""
    is_timeless = DATED.search(atom.text) is None and atom.happened_until is None
    return (
        is_current(line, atom)
        and atom.kind in {"persona", "instruction"}
        and not atom.scope
        and is_timeless
        and atom.priority >= TRAIT_FLOOR
    )


def slot_of(atom: OfferedAtom) -> TraitSlot | None:
    """The slot that a standing claim speaks for; None when it is a taste or a matter of its scene alone."""
    english = cues_of("en")
    if english.has("approval", atom.text) or english.has("answer_style", atom.text):
        return "interaction_protocol"
    if atom.kind == "persona" and (slot := _slot_of_statement(atom.text.rstrip("."))):
        return slot
    if english.has("decision", atom.text):
        return "decision_pattern"
    if english.has("technical", atom.text) or atom.topic.casefold() in TOOLING:
        return None if _belongs_to_an_undertaking(atom) else "technical_preferences"
    is_manner = atom.kind == "instruction" and atom.topic.startswith("working with ")
    return "interaction_protocol" if is_manner else None


def phrase_of(atom: OfferedAtom) -> str:
    """The claim as a direction to an agent; what somebody is stays a statement."""
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


def _slot_of_statement(text: str) -> TraitSlot | None:
    """Role or archetype, when the whole statement says what its person does or lives with."""
    if cues_of("en").has("hedge", text):
        return None
    named = NAMED.match(text)
    has_role = named is not None and cues_of("en").patterns["role"].match(text, named.end()) is not None
    if has_role or OFFICE.match(text) or portrait_cues().profession.fullmatch(text):
        return "role"
    return "archetype" if portrait_cues().condition.fullmatch(text) else None


def _belongs_to_an_undertaking(atom: OfferedAtom) -> bool:
    """A rule given within a project is that project's, unless it says that it holds everywhere."""
    shared_themes = {theme.name.casefold() for theme in matters().themes if theme.is_shared}
    topic = atom.topic.casefold()
    is_project = bool(topic) and is_undertaking(topic) and topic not in shared_themes
    return atom.kind == "instruction" and is_project and EVERYWHERE.search(atom.text) is None
