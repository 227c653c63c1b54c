"""Which clauses are worth a claim: statements of a person that still matter tomorrow."""

from __future__ import annotations

import re

from memory.llm.offline.lexicon import Cues, english_verbs, matters
from memory.llm.offline.referents import KIN
from memory.llm.offline.sentences import has_verb
from memory.llm.offline.words import is_value, tokens

VOCATIVE_FIRST = re.compile(r"^(?:[A-Z][a-zà-ÿ]{1,14})[,!]\s+(?=\w)")
VOCATIVE_ALONE = re.compile(r"^[A-Z][a-zà-ÿ]{1,14}\s*[!.]?$")
VOCATIVE_LAST = re.compile(r"(?<=[a-z]),\s+[A-Z][a-zà-ÿ]{1,14}\s*(?P<end>[.!]*)$")
VOCATIVE_INNER = re.compile(r"^(?:(?P<lead>\w+)\s+)?[A-Z][a-z]+,\s+(?=(?:I|my|we|our)\b)")
PROPER_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+|\b[A-Z]{2,}\w*")
FIRST_PERSON_SUBJECT = re.compile(rf"^(?:\w+,? )?(?:I|we|We|[Mm]y|[Oo]ur)\b|^I'|^[Mm]y (?:{KIN})")
SUBJECTLESS = re.compile(r"^(?:just |finally |also |still )?(?P<verb>\w+)\b", re.I)
NAMED_SUBJECT = re.compile(r"^(?!The|This|That|Those|These|All|Some|Many)[A-Z][a-z]+ \w+s\b")
HEADLESS = re.compile(
    r"^(?:(?:on|in) (?:the \w+ of )?(?:[A-Z]\w+ )?(?:\d{1,2}, )?\d{4},? )?"
    r"(?:is|are|was|were|has|have|had|will|would|could|can|can't|cannot|couldn't|won't|did|does|went|felt|turned)\b",
    re.I,
)
NOT_ELLIPTIC = frozenset(
    {"will", "used", "left", "hit", "cut", "read", "been", "split", "quit", "cost", "hurt"}
)
LEAST_TOKENS = 4
LEAST_CONTENT_WORDS = 2
LEAST_PEER_CONTENT_WORDS = 3


def is_question(sentence: str, cues: Cues) -> bool:
    """Whether a sentence asks; what it presupposes is not a statement."""
    return sentence.rstrip("\"' )").endswith(("?", "？")) or (
        cues.language == "zh" and cues.has("question", sentence)
    )


def without_openers(text: str, cues: Cues) -> str:
    """The text after greetings, thanks, names called, and words that only announce it."""
    while True:
        shorter = cues.announcement.sub("", cues.opener.sub("", text, count=1), count=1)
        shorter = VOCATIVE_FIRST.sub("", shorter, count=1)
        if shorter == text:
            break
        text = shorter
    text = VOCATIVE_LAST.sub(lambda match: match.group("end"), text)
    return "" if VOCATIVE_ALONE.match(text) else text.strip()


def without_tail(clause: str, cues: Cues) -> str:
    """The clause without a closing remark on how it felt («and it was awesome»), when enough is left."""
    shorter = cues.without("remark", clause).rstrip(" ,;-—–")
    return shorter if len(tokens(shorter)) >= LEAST_TOKENS and has_verb(shorter) else clause


def is_small_talk(text: str, cues: Cues) -> bool:
    """Whether a sentence greets, thanks, praises or reacts."""
    is_told = cues.has("praise", text) and not cues.has("standing", text)
    return not text or is_told or cues.has("greeting", text) or cues.has("thanks", text)


def with_subject(clause: str, cues: Cues) -> str:
    """Elliptic first persons completed: «Got a dog» is «I got a dog», «Planning to» is «I am planning to»."""
    if cues.language != "en":
        return clause
    match = SUBJECTLESS.match(clause)
    verb = match.group("verb").lower() if match else ""
    if cues.has("ongoing", clause):
        return f"I am {clause[0].lower()}{clause[1:]}"
    if re.match(r"^(?:just |also |still )?been (?:\w+ly |so |really |busy )?\w+ing\b", clause, re.I):
        return f"I have {clause[0].lower()}{clause[1:]}"
    is_past = (
        _is_past_form(verb)
        and not cues.has("reaction", clause)
        and not re.match(r"^\w+ (?:you|your)\b", clause)
    )
    return f"I {clause[0].lower()}{clause[1:]}" if is_past and verb not in NOT_ELLIPTIC else clause


def is_headless(clause: str) -> bool:
    """«Was signed in March» has lost its subject."""
    return HEADLESS.match(clause) is not None


def has_open_quotation(clause: str) -> bool:
    """Whether a quotation begins or ends outside the clause, so that nobody knows whose words it holds."""
    return clause.count('"') % 2 == 1 or clause.count("“") != clause.count("”")


def _is_past_form(verb: str) -> bool:
    verbs = english_verbs()
    is_regular = verb.endswith("ed") and (
        verb.removesuffix("ed") in verbs.base or verb.removesuffix("d") in verbs.base
    )
    return is_regular or verb == "had" or verb in verbs.past - verbs.copulas


def is_worth_keeping(clause: str, cues: Cues, *, is_peer_talk: bool) -> bool:
    """Whether a clause that is no rule states something durable about a person or their work."""
    if has_open_quotation(clause) or any(
        cues.has(name, clause) for name in ("question", "greeting", "thanks", "reaction", "praise", "one_off")
    ):
        return False
    if cues.language != "en":
        return (
            cues.has("first_person", clause)
            or cues.has("standing", clause)
            or any(is_value(word) for word in tokens(clause))
        )
    if (
        cues.has("second_person", clause)
        or len(tokens(clause)) < _least_tokens(clause, cues)
        or not has_verb(clause)
    ):
        return False
    if cues.has("feeling", clause) or (
        cues.has("imperative", clause) and not cues.has("first_person", clause)
    ):
        return False
    return _has_substance(clause, cues, is_peer_talk)


def _least_tokens(clause: str, cues: Cues) -> int:
    """«I love ramen» is short and says enough."""
    if cues.has("identity", clause) or cues.has("health", clause):
        return LEAST_TOKENS - 2
    says_enough = cues.has("preference", clause) or FIRST_PERSON_SUBJECT.match(clause) is not None
    return LEAST_TOKENS - 1 if says_enough else LEAST_TOKENS


def _has_substance(clause: str, cues: Cues, is_peer_talk: bool) -> bool:
    empty = cues.empty_words | cues.function_words
    content = {word for word in tokens(clause) if word not in empty}
    is_certain = (
        cues.has("identity", clause)
        or cues.has("health", clause)
        or (cues.has("preference", clause) and not is_peer_talk)
    )
    least = LEAST_PEER_CONTENT_WORDS if is_peer_talk and not is_certain else LEAST_CONTENT_WORDS
    if is_certain:
        least = 1 if not is_peer_talk else LEAST_CONTENT_WORDS
    return len(content) >= least and _is_anchored(clause, is_peer_talk)


def _is_anchored(clause: str, is_peer_talk: bool) -> bool:
    """Speaks of the speaker, a named one, a figure, or shared work; general truths are not memories."""
    if FIRST_PERSON_SUBJECT.match(clause) or re.search(r"\b(?:my|our|me|us|we|I)\b", clause):
        return True
    is_named = PROPER_NAME.search(clause) is not None or any(is_value(word) for word in tokens(clause))
    lexicon = matters()
    is_work = (
        lexicon.strong_head.search(clause)
        or lexicon.weak_head.search(clause)
        or re.match(r"^the\b", clause, re.I)
    )
    return (
        is_named
        or (not is_peer_talk and is_work is not None)
        or (not is_peer_talk and NAMED_SUBJECT.match(clause) is not None)
    )
