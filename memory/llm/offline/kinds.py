"""What a claim is (rule, trait, event), how much it matters, and whether it holds only for a moment."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.cascade.contract import AtomKind
from memory.llm.offline.commands import TASK_VERBS
from memory.llm.offline.lexicon import Cues, english_verbs
from memory.llm.offline.pasted import is_reported, unquoted
from memory.llm.offline.referents import KIN
from memory.llm.offline.ways import is_way_of_working, points_at_hand

CRITICAL, RULE, STRONG_RULE, DATED_RULE = 92, 75, 85, 80
IMPORTANT_DEADLINE, FAILURE, PLAN, FACT, EVENT, MINOR = 72, 60, 55, 50, 45, 35
TRAIT, IDENTITY, MOMENT_RULE = 58, 65, 40
HEDGE_DISCOUNT = 8
LEAST_RULE_WORDS = 2
PERSON_SUBJECT = re.compile(rf"^(?:I|We|i|we|[Mm]y (?:\w+ )?(?:{KIN})|[Hh]e|[Ss]he|They|they)\b|^I'")
CONDITION_THEN_COMMAND = re.compile(
    r"^(?:when|whenever|if|once|before|after|as soon as)\b[^,]+,\s*"
    r"(?:please\s+|first\s+|then\s+)?(?P<command>.+)$",
    re.IGNORECASE,
)
LEAD_IN = re.compile(
    r"^(?:(?:from now on|in (?:the )?future|by default|as a rule|generally|going forward)\b"
    r"|(?:in|for|on|across) (?:this|our|the|my) "
    r"(?:repo|repository|monorepo|project|codebase|code base|workspace)\b)"
    r"[ ,:]*",
    re.IGNORECASE,
)
CONDITION_LAST = re.compile(
    r"\b(?:when|whenever|every time|each time|if) (?:you|i|we|the|a|an|someone)\b", re.IGNORECASE
)
RECURRENT = re.compile(
    r"(?<!of )(?<!for )(?<!in )\b(?:every|each) (?:day|night|week|month|year|quarter|morning|evening|"
    r"sprint|release|\w+day)\W*$",
    re.I,
)
"""«Rotate the keys every month»."""
MORE_VERBS = TASK_VERBS | {"indent", "pin", "ping", "prefix", "quote", "reproduce", "squash"}
"""Verbs of work that the general list of verbs does not hold."""
ONE_OBJECT = re.compile(r"^(?:please )?\w+ (?:me )?(?:a|an|the|this|that|my|his|her|it|to)\b", re.IGNORECASE)
"""«Write a reply to …» is about one reply."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Kind, priority and scope of a clause."""

    kind: AtomKind
    priority: int
    scope: str = ""


def is_rule(clause: str, cues: Cues) -> bool:
    """Whether a clause tells the agent what to do beyond this turn (or, with a scope, for this one)."""
    # What stands in quotation marks was told by or to somebody else.
    clause = unquoted(clause)
    bare = LEAD_IN.sub("", _without_moment(clause, cues))
    if len(bare.split()) < LEAST_RULE_WORDS and cues.language == "en":
        return False
    if is_reported(bare) or cues.has("motto", bare) or PERSON_SUBJECT.match(bare) or _is_deadline(bare, cues):
        return False
    if cues.has("self_subject", bare) or cues.has("told", bare):
        return False
    if cues.has("moment", clause) and cues.language == "en":
        return _is_command(bare, cues) or (_opens_with_verb(bare) and not cues.has("one_off", bare))
    clause = bare
    conditional = CONDITION_THEN_COMMAND.match(clause)
    if conditional:
        return _is_command(conditional.group("command"), cues) or _opens_with_verb(
            conditional.group("command")
        )
    if RECURRENT.search(clause) and _opens_with_verb(clause):
        return True
    if is_way_of_working(clause, cues) and _opens_with_verb(clause) and not points_at_hand(clause, cues):
        return True
    if _is_command(clause, cues):
        return _is_standing_command(clause, cues)
    return cues.has("standing", clause) and (
        cues.has("always", clause)
        or cues.has("never", clause)
        or cues.language != "en"
        or _has_default(clause)
    )


def is_one_off(clause: str, cues: Cues) -> bool:
    """Whether a clause asks for something to be done once."""
    lasting = any(cues.has(name, clause) for name in ("standing", "answer_style", "deadline"))
    return cues.has("one_off", clause) and not (lasting or is_way_of_working(clause, cues))


def judge(clause: str, cues: Cues, *, is_rule_talk: bool, is_dated: bool) -> Judged:
    """Kind, priority and scope from the words of a clause that is known to be worth a claim."""
    if is_rule_talk and is_rule(clause, cues):
        return _rule(clause, cues, is_dated)
    discount = HEDGE_DISCOUNT if cues.has("hedge", clause) else 0
    if is_trait(clause, cues):
        return Judged("persona", _trait_priority(clause, cues) - discount)
    return Judged("episodic", _event_priority(clause, cues, is_dated) - discount)


def is_trait(clause: str, cues: Cues) -> bool:
    """Whether a clause tells who somebody is or what somebody prefers."""
    is_wish = cues.has("wish", clause)
    if cues.has("identity", clause) or cues.has("health", clause):
        return True
    is_thing = (
        cues.language == "en"
        and not PERSON_SUBJECT.match(clause)
        and not cues.has("first_person", clause)
        and not re.match(r"^[A-Z]\w+ \w+s\b", clause)
    )
    return cues.has("preference", clause) and not is_wish and not is_thing


def _without_moment(clause: str, cues: Cues) -> str:
    """«For this check answer only OK» without the words that bind it to the moment, when they come first."""
    moment = cues.patterns["moment"].match(clause)
    return clause[moment.end() :].lstrip(" ,:") if moment else clause


def _is_command(clause: str, cues: Cues) -> bool:
    """A command; a request is one only when it tells how all answers should be."""
    style = "lasting_style" if cues.language == "en" else "answer_style"
    return cues.has("imperative", clause) or (cues.has("one_off", clause) and cues.has(style, clause))


def _opens_with_verb(command: str) -> bool:
    """After a condition a bare verb is a command: «After each release, tag the commit»."""
    first = (command.removeprefix("please ").removeprefix("Please ").split() or [""])[0].lower().strip(",.!")
    return english_verbs().is_base(first) or first in MORE_VERBS


def _is_standing_command(clause: str, cues: Cues) -> bool:
    is_lasting = cues.has("standing", clause) or cues.has("deadline", clause)
    if is_lasting or CONDITION_LAST.search(clause) is not None:
        return True
    has_style = cues.has("answer_style", clause) and ONE_OBJECT.match(clause) is None
    is_open = any(cues.has(name, clause) for name in ("never", "moment", "condition", "steady"))
    return has_style or (is_open and not points_at_hand(clause, cues))


def _has_default(clause: str) -> bool:
    return (
        re.search(
            r"\bby default\b|\bfrom now on\b|\bonly (?:after|with|when|if)\b|\bwithout exception\b",
            clause,
            re.I,
        )
        is not None
    )


def _is_deadline(clause: str, cues: Cues) -> bool:
    """«It must happen by September 20» is a date to keep, not a rule for the agent."""
    has_end = (
        re.search(
            r"\b(?:by|before|until|no later than) (?:the )?(?:end of|\d|[A-Z]|next|this|tomorrow)", clause
        )
        is not None
    )
    return has_end and not _is_command(clause, cues) and not cues.has("never", clause)


def _rule(clause: str, cues: Cues, is_dated: bool) -> Judged:
    moment = cues.patterns["moment"].search(clause)
    if moment:
        return Judged("instruction", MOMENT_RULE, moment.group().strip().rstrip(".,"))
    is_strict = (cues.has("never", clause) or cues.has("always", clause)) and not cues.has(
        "answer_style", clause
    )
    if is_strict and cues.has("critical_matter", clause):
        return Judged("instruction", CRITICAL)
    if is_strict:
        return Judged("instruction", STRONG_RULE)
    return Judged("instruction", DATED_RULE if is_dated else RULE)


def _trait_priority(clause: str, cues: Cues) -> int:
    if cues.has("health", clause):
        return CRITICAL
    return IDENTITY if cues.has("identity", clause) else TRAIT


def _event_priority(clause: str, cues: Cues, is_dated: bool) -> int:
    if _is_deadline(clause, cues) and is_dated:
        return IMPORTANT_DEADLINE
    if cues.has("open_state", clause) or cues.has("failure", clause):
        return FAILURE
    if cues.has("minor", clause):
        return MINOR
    if cues.has("future", clause):
        return PLAN
    return EVENT if cues.has("past", clause) else FACT
