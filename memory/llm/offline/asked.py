"""Answers that are whole only with the question of the turn before: both turns are evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.cascade.contract import OfferedMessage
from memory.llm.offline.dates import has_relative_word
from memory.llm.offline.lexicon import Cues, cues_of, english_verbs
from memory.llm.offline.sentences import has_verb, sentences
from memory.llm.offline.words import tokens

MOST_ANSWER_WORDS, MOST_QUESTION_CHARACTERS, MOST_SHORT_QUESTION_WORDS = 10, 140, 3
YES = re.compile(r"^(?:yes|yeah|yep|yup|i do|i am|i have|i did|sure do)\b[,.! ]*$", re.IGNORECASE)
NO = re.compile(
    r"^(?:no|nope|nah|i don't|i'm not|i haven't|i didn't|not at all)\b(?:[,.! ]+(?:never|not really|"
    r"not yet|not at all))?[,.! ]*$",
    re.IGNORECASE,
)
ASSENT = re.compile(r"^(?:yes|yeah|yep|yup|no|nope|nah|well|oh|um|hmm)\b[,.! ]+", re.IGNORECASE)
# Offers, requests and checks: assent to these tells nothing of a person.
OFFER = re.compile(
    r"\byou (?:\w+ )?(?:want|need|mind|mean|know|think|agree|understand|see|hear|wish|like me)\b|"
    r"\byou (?:sure|okay|ok|ready|there|done|interested|fine|free|able|trying|asking|looking)\b|\b(?:me|"
    r"us|this|that|it|these|those)\b",
    re.IGNORECASE,
)
WHETHER = re.compile(r"^(?P<aux>do|did|are|were|have|can) you (?:ever )?(?P<rest>\w.*)$", re.IGNORECASE)
POSSESSED = re.compile(
    r"^(?:what|who|when|where|which)(?:'s| is| are| was| were) your (?P<what>\w.*)$", re.IGNORECASE
)
AGE = re.compile(r"^how old are you$", re.IGNORECASE)
PLACE = re.compile(r"^where do you (?P<rest>\w.*)$", re.IGNORECASE)
OBJECT = re.compile(
    r"^(?:what|which \w+|who) do you (?P<rest>(?!do\b|think\b|mean\b|want\b|need\b|say\b)\w+)$", re.IGNORECASE
)
HOW_MANY = re.compile(
    r"^how many (?P<what>\w+(?: \w+)?) do you (?P<rest>have|own|keep|speak|play|work)$", re.IGNORECASE
)
BORN = re.compile(r"^(?:when|where|what year) were you born$", re.IGNORECASE)
WHICH = re.compile(
    r"^(?:which|what) \w+(?: \w+)? do you (?P<rest>\w+ (?:in|at|on|for|with|to|from)|use|speak|play|"
    r"drive|prefer|study)$",
    re.IGNORECASE,
)
PLACED = re.compile(
    r"^(?:in|at|on|near|by|behind|under|outside|between|above|close|next|from|around|just|mostly)\b",
    re.IGNORECASE,
)
LIVED = frozenset({"live", "work", "study"})
KIND = re.compile(
    r"\b(?:kinds?|sorts?|types?|colou?rs?|flavou?rs?|food|dish|drink|animal|instrument|hobby|sport)\b",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"\b(?:it|that|this|they|them|those|these|there|here|he|she|him|her|one)\b", re.IGNORECASE
)
VOCATIVE = re.compile(r",\s+[A-Z]\w+$")
OWN = (
    (re.compile(r"\byour\b", re.I), "my"),
    (re.compile(r"\byourself\b", re.I), "myself"),
    (re.compile(r"\byou\b", re.I), "me"),
)
DENIED = {
    "do": "do not",
    "did": "did not",
    "are": "am not",
    "were": "was not",
    "have": "have not",
    "can": "cannot",
}
AFFIRMED = {"do": "", "did": "did", "are": "am", "were": "was", "have": "have", "can": "can"}


@dataclass(frozen=True, slots=True)
class Question:
    """The question that the turn before ended with."""

    text: str
    asked_by: OfferedMessage
    earlier: OfferedMessage | None
    """The turn before the question, when the answering person said it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a short answer says with its question."""

    clause: str = ""
    """In the words of the person who answers («I live in Rome»); empty when it can only be reported."""
    report: str = ""
    """The question and the answer side by side, complete."""
    continues: str = ""
    """What the answer adds to the person's own turn before the question («what kind: roses»)."""


def question_before(message: OfferedMessage, window: Sequence[OfferedMessage]) -> Question | None:
    """The last sentence of the turn before when it asks and somebody else said it."""
    before = window[-1] if window else None
    if before is None or before.role not in {"user", "assistant"}:
        return None
    if (before.role, before.speaker) == (message.role, message.speaker):
        return None
    said = sentences(before.text)
    if not said or not said[-1].rstrip("\"' )").endswith("?"):
        return None
    earlier = window[-2] if len(window) > 1 else None
    is_own = earlier is not None and (earlier.role, earlier.speaker) == (message.role, message.speaker)
    return Question(said[-1].strip(), before, earlier if is_own else None)


def may_be_reported(question: str) -> bool:
    """Whether a question can stand in a claim: short, and without words that mean another day later."""
    return len(question) <= MOST_QUESTION_CHARACTERS and not has_relative_word(question)


def answer_of(first: str, question: Question, person: str, cues: Cues) -> Answer | None:
    """What the first sentence of a message answers; None when it is no answer or needs no question."""
    bare = _bare(question.text)
    whether = WHETHER.match(bare)
    if YES.match(first) or NO.match(first):
        return _assented(whether, bare, is_yes=YES.match(first) is not None) if whether else None
    words = first.rstrip(" .!")
    if not _is_fragment(words, cues):
        return None
    short = ASSENT.sub("", words) if whether is None else words
    clause = _completed(bare, short)
    if clause:
        return Answer(clause=clause)
    if len(tokens(bare)) <= MOST_SHORT_QUESTION_WORDS:
        label = f"{bare[:1].lower()}{bare[1:]}"
        return Answer(continues=f"{label}: {_lowered(short, bare)}") if question.earlier else None
    if POINTING.search(bare) or not may_be_reported(question.text):
        return None
    return Answer(report=f'Asked "{question.text}", {person} said: "{words}."')


def _assented(whether: re.Match[str], bare: str, *, is_yes: bool) -> Answer | None:
    """«Do you smoke?» and «No.» is «I do not smoke»."""
    if OFFER.search(bare) or (is_yes and re.search(r"\bany\w*\b", bare)) or " or " in bare:
        return None
    auxiliary, rest = whether.group("aux").lower(), _own(whether.group("rest"))
    return Answer(clause=" ".join(f"I {(AFFIRMED if is_yes else DENIED)[auxiliary]} {rest}".split()))


def _completed(bare: str, short: str) -> str:
    """A question for one thing, with the answer in its place."""
    if AGE.match(bare):
        years = "" if re.search(r"[^\W\d]", short) else " years old"
        return f"I am {short}{years}"
    number, born, thing_of = HOW_MANY.match(bare), BORN.match(bare), WHICH.match(bare)
    if number:
        return f"I {_own(number.group('rest'))} {_lowered(short, bare)} {number.group('what')}"
    if born:
        return f"I was born {'' if PLACED.match(short) else 'in '}{short}"
    if thing_of:
        return f"I {_own(thing_of.group('rest'))} {_lowered(short, bare)}"
    possessed, place, thing = POSSESSED.match(bare), PLACE.match(bare), OBJECT.match(bare)
    if possessed:
        return f"my {_own(possessed.group('what'))} is {_lowered(short, bare)}"
    if place:
        rest = place.group("rest")
        lead = "" if PLACED.match(short) else "in "
        return f"I {_own(rest)} {lead}{_lowered(short, bare)}" if not lead or rest.lower() in LIVED else ""
    return f"I {_own(thing.group('rest'))} {_lowered(short, bare)}" if thing else ""


def _is_fragment(words: str, cues: Cues) -> bool:
    """A few words that say something and are no sentence of their own."""
    if not 0 < len(tokens(words)) <= MOST_ANSWER_WORDS or words.endswith("?"):
        return False
    names = ("greeting", "thanks", "reaction", "praise", "question", "first_person", "second_person")
    dull = (
        cues.function_words
        | cues.empty_words
        | {"yes", "no", "yeah", "nope", "please", "ok", "okay", "maybe", "sorry"}
    )
    content = [word for word in tokens(words) if word not in dull]
    is_clause = (
        re.match(r"^(?:\w+, )?(?:it|that|this|these|those|they|he|she|there|we)\b", words, re.I) is not None
    )
    return (
        bool(content)
        and not is_clause
        and not any(cues.has(name, words) for name in names)
        and not _is_sentence(words)
    )


def _is_sentence(words: str) -> bool:
    return (
        has_verb(words)
        and re.match(r"^(?:the|a|an|[A-Z]\w+)\s+(?:\w+\s+){0,2}(?:is|are|was|were|has|have)\b", words)
        is not None
    )


def _lowered(words: str, bare: str) -> str:
    """A first word in lower case where it can be no name: known words, and what answers «what kind»."""
    first = words.partition(" ")[0].lower()
    plain = cues_of("en").function_words | cues_of("en").number_words
    is_plain = first in plain or english_verbs().is_base(first)
    return f"{words[:1].lower()}{words[1:]}" if is_plain or KIND.search(bare) else words


def _own(words: str) -> str:
    """Second persons as the one who answers says them."""
    for pattern, own in OWN:
        words = pattern.sub(own, words)
    return words


def _bare(question: str) -> str:
    return VOCATIVE.sub(
        "",
        re.sub(r"^(?:so|and|but|well|ok|okay|by the way),?\s+", "", question.rstrip(" ?!.\"'"), flags=re.I),
    )
