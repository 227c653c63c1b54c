"""«it», «he», «they»: the named thing where the words just before say it, else nothing."""

from __future__ import annotations

import re

from memory.llm.offline.lexicon import Verbs, cues_of, english_verbs, matters

LEADING = re.compile(
    r"^(?:it|it's|that|that's|this|these|those|they|they're|he|he's|she|she's|there|them|here|one|which|such|its|their|his|her)\b",
    re.I,
)
HUMAN = re.compile(r"^(?P<word>he|she)(?P<rest>'s|'ll|'d)?\b", re.I)
THING = re.compile(r"^(?P<word>it)(?P<rest>'s|'ll|'d)?\b", re.I)
OPENED = {"'s": " is", "'ll": " will", "'d": " would"}
ANY_THING = re.compile(r"\b(?P<word>it)\b", re.I)
LATER = re.compile(
    r"\b(?:it|them|they|he|she|him|that one|(?:this|that|these|those)"
    r"(?=\s*(?:[,.!;-]|$|\w+ing\b|(?:after|when|because|and|but|so|with|last|in|on|for)\b)))\b|\b(?:this|that|these|those)$",
    re.I,
)
NOUN_BEFORE = re.compile(
    r"\b(?:the|a|an|my|our|your|their|his|her|each|every|this|some|new)\s+(?!lot\b|bit\b)\w+|(?<!^)\b(?-i:[A-Z]\w+)|\b(?!this\b|does\b|was\b|has\b|is\b)\w{3,}s\b",
    re.I,
)
VERBS_AFTER_NOUN = frozenset(
    {"fail", "pass", "close", "open", "start", "end", "go", "run", "use", "need", "hold", "live"}
)
KIN = (
    "sister|brother|mother|father|mom|mum|dad|friend|wife|husband|partner|daughter|son|boss|colleague|cousin|aunt|uncle|"
    "manager|neighbou?r|teammate|roommate|girlfriend|boyfriend|fianc[eé]e?|grandmother|grandfather|grandma|grandpa|"
    "parents|kids|children|niece|nephew|mentor|landlord|coach|twin|spouse|"
    "doctor|dentist|therapist|teacher|trainer|tutor|lawyer|accountant"
)
PERSON = re.compile(rf"^(?P<who>(?:[Mm]y|[Oo]ur) (?:\w+ )?(?:{KIN})(?: [A-Z]\w+)?|[A-Z][a-z]+)\s+(?=\w)")
PHRASE_END = (
    r"(?=\s+(?:is|are|was|were|has|have|must|will|would|may|might|could|shall|should|can|on|until|by|before|at|in|to|for|from|goes|runs)\b"
    r"|[,.;:!]|$)"
)
THING_PHRASE = re.compile(rf"\b(?P<what>(?:the|our|this)\s+(?:[\w-]+\s+){{0,3}}?[\w-]+?){PHRASE_END}", re.I)
OWN_OBJECT = re.compile(
    r"^(?:(?:the|a|an|our|my|each)\s+)?(?:[\w-]+\s+){1,2}it\b|"
    r"^(?:(?:the|our|my|each)\s+)?(?:[\w-]+\s+){1,3}\w+\s+(?:\w+\s+)?it\W*$",
    re.I,
)
"""A clause whose only noun before «it» is its subject, which «it» cannot mean."""


def resolved(clause: str, before: str) -> str | None:
    """The clause with its reference named, itself when it needs none, None when nobody says what is meant.

    `before` is the earlier clause or sentence of the same speaker in the same message, in the words as said.
    """
    human = HUMAN.match(clause)
    if human:
        return _with_person(clause, human, before)
    thing = THING.match(clause)
    if thing:
        return _with_thing(clause, thing, before)
    if LEADING.match(clause) and not re.match(r"^(?:that|this|these|those)\s+\w+\s+\w+", clause, re.I):
        return None
    return _with_inner_thing(clause, before)


def thing_named(text: str) -> str:
    """The undertaking or thing a text speaks of, with its article; empty when there is none."""
    found = [_up_to_verb(match.group("what")) for match in THING_PHRASE.finditer(text)]
    headed = [
        what for what in found if matters().strong_head.search(what) or matters().weak_head.search(what)
    ]
    return (headed or [""])[0]


def leading_noun(text: str) -> str:
    """The first noun phrase of a text without its article; empty when there is none."""
    match = THING_PHRASE.search(text)
    return re.sub(r"^(?:the|our|this)\s+", "", _up_to_verb(match.group("what")), flags=re.I) if match else ""


def _up_to_verb(phrase: str) -> str:
    """A noun phrase without a verb that was taken for its last noun: «the kiln project starts»."""
    words = phrase.split()
    verbs = english_verbs()
    end = next(
        (place for place, word in enumerate(words) if place > 1 and _is_finite(word, verbs)), len(words)
    )
    return " ".join(words[:end])


def _is_finite(word: str, verbs: Verbs) -> bool:
    return (
        word in verbs.past
        or word in verbs.copulas
        or word.endswith("ed")
        or word.removesuffix("s") in VERBS_AFTER_NOUN
        or (word.endswith("s") and word.removesuffix("s") in verbs.base)
    )


def _with_person(clause: str, match: re.Match[str], before: str) -> str | None:
    person = PERSON.match(before)
    if person is None or person.group("who").lower() in cues_of("en").function_words:
        return None
    joined = OPENED.get(match.group("rest") or "", "")
    return f"{person.group('who')}{joined}{clause[match.end() :]}"


def _with_thing(clause: str, match: re.Match[str], before: str) -> str | None:
    if cues_of("en").has("idle_it", clause):
        return None
    what = thing_named(before)
    if not what:
        return None
    joined = OPENED.get(match.group("rest") or "", "")
    return f"{what}{joined}{clause[match.end() :]}"


def _with_inner_thing(clause: str, before: str) -> str | None:
    if cues_of("en").has("idle_it", clause):
        return clause
    later = LATER.search(clause)
    what = thing_named(before)
    if later is None or (
        _has_antecedent(clause[: later.start()], later.group()) and not OWN_OBJECT.search(clause)
    ):
        return clause
    if later.group().lower() != "it" or not what:
        return None if later.group().lower() not in {"they", "he", "she"} else clause
    return ANY_THING.sub(what[0].lower() + what[1:], clause, count=1)


def _has_antecedent(before: str, word: str) -> bool:
    """A noun stands before the word; an activity («kickboxing») can only be «it»."""
    is_activity = word.lower() == "it" and re.search(r"\b\w{3,}ing\b", before) is not None
    return is_activity or NOUN_BEFORE.search(before) is not None
