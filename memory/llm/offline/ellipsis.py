"""Clauses whose subject nobody said: «Got a dog», «Hoping for rain», «Here's a pic of my horse»."""

from __future__ import annotations

import re

from memory.llm.offline.lexicon import Cues, english_verbs

SUBJECTLESS = re.compile(
    r"^(?:just |finally |also |still |always |never |recently |once )?(?P<verb>\w+)\b", re.I
)
ELLIPTIC_PERFECT = re.compile(
    r"^(?:always|never) (?:\w+ly )?(?:been|done|had|seen|known|gone|wanted|taken)\b", re.I
)
ELLIPTIC_STATE = re.compile(
    r"^was (?:so |super |really |pretty |very |a bit |kinda )?\w+(?= .*\b(?:I|my)\b)", re.I
)
PROGRESSIVE = re.compile(
    r"^(?:also |still |just |really )?(?P<verb>\w{2,}ing)\s+"
    r"(?:for|to|on|at|about|with|in|some|the|a|an|my|up|out|hard)\b",
    re.I,
)
# «Going to be a great night» is said of the night, not of the speaker.
OCCASION = re.compile(
    r"^(?:\w+ )?going to be (?:an?|the|so|such|really|super|great|fun|awesome|amazing|good|cool)\b", re.I
)
FINITE = re.compile(
    r"\b(?:is|are|was|were|'s|can|could|will|would|has|have|had|"
    r"helps?|makes?|made|gives?|gave|brings?|keeps?|feels?|felt|means?|"
    r"reminds?|seems?|takes?|took|shows?|sounds?|looks?|you|you're)\b|'s\b",
    re.I,
)
SHOWN = re.compile(
    r"^(?:here(?:'s| is| are)|check out|take a look at|look at|this(?:'s| is)|these are)\s+"
    r"(?P<article>an? |some |my |the |one of my )?"
    r"(?P<what>(?:\w+ )?(?:pics?|photos?|pictures?|snaps?|videos?|paintings?|drawings?|sketch(?:es)?))"
    r"(?=\s+(?:of|from|that|i|my|with|we)\b)",
    re.I,
)
NOT_ELLIPTIC = frozenset(
    {"will", "used", "left", "hit", "cut", "read", "been", "split", "quit", "cost", "hurt"}
)
FEELINGS = frozenset(
    [
        "excited",
        "inspired",
        "interested",
        "married",
        "motivated",
        "obsessed",
        "pumped",
        "stoked",
        "thrilled",
        "tired",
    ]
)
"""Past forms that tell a state when they stand alone."""


def with_subject(clause: str, cues: Cues) -> str:
    """Elliptic first persons completed: «Got a dog» is «I got a dog», «Planning to» is «I am planning to»."""
    if cues.language != "en":
        return clause
    match = SUBJECTLESS.match(clause)
    verb = match.group("verb").lower() if match else ""
    if cues.has("ongoing", clause):
        return f"I am {clause[0].lower()}{clause[1:]}"
    is_perfect = re.match(r"^(?:just |also |still )?been (?:\w+ly |so |really |busy )?\w+ing\b", clause, re.I)
    if is_perfect or ELLIPTIC_PERFECT.match(clause):
        return f"I have {clause[0].lower()}{clause[1:]}"
    if ELLIPTIC_STATE.match(clause) or _is_bare_progressive(clause):
        opened = "I" if ELLIPTIC_STATE.match(clause) else "I am"
        return f"{opened} {clause[0].lower()}{clause[1:]}"
    is_past = (
        _is_past_form(verb)
        and not cues.has("reaction", clause)
        and not re.match(r"^\w+ (?:you|your)\b", clause)
    )
    if not is_past or verb in NOT_ELLIPTIC:
        return clause
    return f"I {'am ' if verb in FEELINGS else ''}{clause[0].lower()}{clause[1:]}"


def _is_bare_progressive(clause: str) -> bool:
    """«Hoping for good news»: a progressive that nothing else is the verb of."""
    match = PROGRESSIVE.match(clause)
    if match is None or OCCASION.match(clause):
        return False
    verb = match.group("verb").lower()
    stems = {verb.removesuffix("ing"), f"{verb.removesuffix('ing')}e", verb.removesuffix("ing")[:-1]}
    return any(map(english_verbs().is_base, stems)) and not FINITE.search(clause[match.end() :])


def as_shown(clause: str) -> str:
    """«Here's a pic of my horse» tells that a picture was shown: «I shared a pic of my horse»."""
    match = SHOWN.match(clause)
    return (
        f"I shared {match.group('article') or 'a '}{match.group('what')}{clause[match.end() :]}"
        if match
        else clause
    )


def _is_past_form(verb: str) -> bool:
    verbs = english_verbs()
    is_regular = verb.endswith("ed") and (
        verbs.is_base(verb.removesuffix("ed")) or verbs.is_base(verb.removesuffix("d"))
    )
    return is_regular or verb == "had" or verb in verbs.past - verbs.copulas
