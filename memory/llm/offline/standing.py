"""Which claims hold beyond their moment, and the slot of the persona they speak for."""

from __future__ import annotations

import re
from collections.abc import Collection

from memory.cascade.contract import OfferedAtom, OfferedLine, TraitSlot
from memory.llm.offline.date_rules import MONTHS
from memory.llm.offline.lexicon import cues_of, matters
from memory.llm.offline.portrait import WHO, portrait_cues
from memory.llm.offline.referents import KIN
from memory.llm.offline.titles import owner_of
from memory.llm.offline.topics import is_undertaking

TRAIT_FLOOR = 50
TOOLING = frozenset(
    {
        "software and tooling",
        "ui design guidelines",
        "build and tests",
        "code style",
        "version control",
        "databases",
    }
)
DATED = re.compile(rf"\d|\b(?:{'|'.join(MONTHS[:4] + MONTHS[5:])})\b|\bMay \d|\b[A-Z]{{2,}}-\d+", re.ASCII)
EVERYWHERE = re.compile(
    r"\b(?:every|everywhere|each|any|all|in general|generally|from now on|by default|as a rule|whenever)\b",
    re.IGNORECASE,
)
NAMED = re.compile(rf"{WHO} (?:now |also |still |currently )?")
WHOSE = re.compile(rf"{WHO}(?<!'s)(?<!’s)(?= )")
KIN_FIRST = re.compile(rf"(?:[\w-]+ ){{0,2}}(?:{KIN}|friends?|colleagues?)\b", re.IGNORECASE)
WITH_REST = re.compile(rf"{WHO}(?P<rest> .*)")
OFFICE = re.compile(rf"{WHO}(?<='s|’s) (?:role|job|title|profession) is ")
LEANINGS = (
    (re.compile(r"^[^,;:]{1,40}? prefers? (?P<what>.+)$"), "prefer"),
    (
        re.compile(
            r"^[^,;:]{1,40}? (?:really |strongly )?(?:dislikes?|hates?|(?:cannot|can't) stand"
            r"|(?:does not|doesn't) (?:like|want)) (?P<what>[^,;]+)$"
        ),
        "avoid",
    ),
    (
        re.compile(r"^[^,;:]{1,40}? (?:really )?(?:likes?|loves?|values?|appreciates?) (?P<what>[^,;]+)$"),
        "favour",
    ),
)
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


def slot_of(atom: OfferedAtom, people: Collection[str]) -> TraitSlot | None:
    """The slot that a standing claim speaks for; None when it is a taste or a matter of its scene alone.

    `people` are those whose memory this is, in lower case: what is said of others is no trait.
    """
    if atom.kind == "persona" and not is_of_one_of(people, atom):
        return None
    english = cues_of("en")
    if english.has("approval", atom.text) or english.has("answer_style", atom.text):
        return "interaction_protocol"
    if atom.kind == "persona" and (slot := _slot_of_statement(atom.text.rstrip("."))):
        return slot
    if english.has("decision", atom.text):
        # «prefers raised beds to open soil» is a taste; how somebody works or decides has no theme of life.
        return None if owner_of(atom.topic) else "decision_pattern"
    if english.has("technical", atom.text) or atom.topic.casefold() in TOOLING:
        return None if _belongs_to_an_undertaking(atom) else "technical_preferences"
    is_manner = atom.kind == "instruction" and atom.topic.startswith("working with ")
    return "interaction_protocol" if is_manner else None


def is_of_one_of(people: Collection[str], atom: OfferedAtom) -> bool:
    """Whether a claim says something of one of these people themselves, not of whom they know."""
    named = OFFICE.match(atom.text) or WHOSE.match(atom.text)
    return named is not None and named.group("who").removesuffix("'s").casefold() in people


def tells_of(person: str, atom: OfferedAtom) -> bool:
    """Whether a claim tells of a person's own doings or things, not of their kin and friends."""
    text = atom.text.casefold()
    whose = f"{person.casefold()}'s "
    return is_of_one_of({person.casefold()}, atom) or (
        text.startswith(whose) and KIN_FIRST.match(text.removeprefix(whose)) is None
    )


def phrase_of(atom: OfferedAtom, slot: TraitSlot) -> str:
    """The claim as a direction to an agent, in small letters and without a full stop."""
    text = atom.text.rstrip(".")
    if only_with := ONLY_WITH.match(text):
        return f"get {only_with.group('what')} before you {only_with.group('act')}"
    if atom.kind == "instruction":
        return text if text.split()[0].isupper() else text[:1].lower() + text[1:]
    if slot == "role" and (named := WITH_REST.match(text)):
        return _addressed(named.group("who"), named.group("rest"))
    for pattern, verb in LEANINGS:
        if leaning := pattern.match(text):
            return f"{verb} {leaning.group('what')}"
    return f"keep in mind that {_inside(text)}"


def _addressed(who: str, rest: str) -> str:
    name = _inside(who.removesuffix("'s"))
    relative = "whose" if who.endswith("'s") else "who"
    return f"speak to {name} as somebody {relative}{rest}"


def _inside(text: str) -> str:
    """Words as they stand within a sentence."""
    return text[:1].lower() + text[1:] if text.startswith("The user") else text


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
