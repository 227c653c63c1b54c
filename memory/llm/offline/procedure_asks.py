"""What feedback asks for, as a line: «you forgot to attach a rollback plan» as «Attach a rollback plan.»"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.llm.offline.commands import command, is_command, sentence
from memory.llm.offline.procedure_rules import section_of_rule
from memory.llm.offline.sentences import sentences
from memory.llm.offline.words import content_words, likeness
from memory.skills.contract import OfferedFeedback, OfferedProcedureLine, ProcedureSectionSlug

LEAD = re.compile(
    r"^(?:please|kindly|next time|in (?:the )?future|from now on|also|and|but|expected|missing|"
    r"i (?:would )?(?:expect(?:ed)?|want(?:ed)?|need(?:ed)?|wish)(?: that)?(?: you)?(?: to)?|"
    r"(?:you|it|the agent|the assistant|this|we)(?:'d)? (?:should(?: have)?|must|ought to|need(?:s|ed)? to|"
    r"ha(?:s|ve|d) to|could have|forgot to|failed to|did not|didn't|never|omitted to)|"
    r"(?:it )?(?:would be|is) better to|it (?:is|was) missing|there (?:should be|must be|should have been))"
    r"\b[,:]?\s*",
    re.IGNORECASE,
)
LACKS = re.compile(
    r"^(?:there (?:is|was|were|are) no|no|without|missing|lacks?|lacked|it (?:had|has) no|"
    r"(?:you|it|the agent) (?:left out|skipped|omitted))\s+(?P<what>\w.*)$",
    re.IGNORECASE,
)
IS_MISSING = re.compile(
    r"^(?P<what>(?:the|a|an)\s.+?)\s+(?:is|was|were|are)\s+(?:missing|not (?:there|attached|included)|"
    r"left out|forgotten)\b",
    re.IGNORECASE,
)
THING = re.compile(r"^(?:the|a|an|some|every|all)\s+\w", re.IGNORECASE)
DETERMINED = re.compile(
    r"^(?:the|a|an|any|some|every|all|each|its|our|your|their|my|this|that|one)\b", re.IGNORECASE
)
TROUBLES = frozenset({"exception", "task_failure"})
PRAISE = frozenset({"thumbs_up", "task_success"})
SAID_ALREADY = 0.75
SAME_MATTER = 0.5
BEFORE = re.compile(r"\bbefore\s+(?P<what>\w.*)$", re.IGNORECASE)
MARKED_SECTION = 0.34
MOST_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """A line that feedback asks for."""

    section: ProcedureSectionSlug
    text: str
    replaces: str = ""
    """Handle of the line of the active version that it takes the place of."""
    before: str = ""
    """Words of the step that it has to come before."""


def asked_by(feedback: OfferedFeedback, lines: Sequence[OfferedProcedureLine]) -> Asked | str:
    """The line that feedback asks for, or why it asks for none."""
    wanted = feedback.expected or feedback.comment
    if feedback.kind in TROUBLES:
        wanted = wanted or feedback.actual
    text = _wanted(feedback, wanted)
    if not text:
        return "it asks for nothing that can be written as a step"
    said = [line for line in lines if _likeness(text, line.text) >= SAID_ALREADY]
    if said and feedback.kind != "correction":
        return f"{said[0].handle} says it already"
    if any(line.text == text for line in lines):
        return "the procedure says it in these words already"
    replaced = _replaced(feedback, lines)
    before = BEFORE.search(text)
    section = replaced.section if replaced else (section_of_rule(text) or "procedure")
    return Asked(section, text, replaced.handle if replaced else "", before["what"] if before else "")


def _wanted(feedback: OfferedFeedback, words: str) -> str:
    """The sentences that ask for something, as commands."""
    is_praise = feedback.kind in PRAISE and not feedback.expected
    told = [_command(said, is_asked=bool(feedback.expected)) for said in sentences(words)]
    commands = [text for text, is_asked in told if text and (is_asked or not is_praise)]
    if feedback.kind in TROUBLES and not any(is_asked for _, is_asked in told):
        commands = [_trouble(text) for text in commands[:1]]
    kept = ""
    for text in commands:
        if len(kept) + len(text) < MOST_CHARACTERS:
            kept = f"{kept} {text}".strip()
    return kept


def _trouble(text: str) -> str:
    """What went wrong, where nobody says what to do about it."""
    return f"Stop and ask a person when this happens: {text[:1].lower()}{text[1:]}"


def _command(said: str, *, is_asked: bool) -> tuple[str, bool]:
    """A sentence as a command, and whether it plainly asks for something; `is_asked` says that it does."""
    bare = said.strip().rstrip(" .!")
    if bare.endswith("?"):
        return "", False
    if section_of_rule(bare) in ("when", "when_not"):
        return sentence(bare), True
    if missing := _missing(bare):
        return missing, True
    while (shorter := LEAD.sub("", bare)) != bare:
        bare, is_asked = shorter, True
    if missing := _missing(bare):
        return missing, True
    if bare.lower().startswith("not "):
        return sentence(f"Do {bare[:1].lower()}{bare[1:]}"), True
    if is_command(bare) or section_of_rule(bare):
        return sentence(bare), True
    if THING.match(bare) and is_asked:
        return sentence(f"Include {bare[:1].lower()}{bare[1:]}"), True
    return (command(bare) if is_asked else sentence(bare)), is_asked


def _missing(words: str) -> str:
    """«Include …» for what is said to have been missing; empty when nothing is."""
    found = IS_MISSING.match(words) or LACKS.match(words)
    if found is None:
        return ""
    what = found["what"]
    known = f"{what[:1].lower()}{what[1:]}" if DETERMINED.match(what) else f"the {what}"
    return sentence(f"Include {known}")


def _replaced(
    feedback: OfferedFeedback, lines: Sequence[OfferedProcedureLine]
) -> OfferedProcedureLine | None:
    """The line that feedback corrects: what it says was done, or what it says nearly the same of."""
    told = feedback.actual or (feedback.comment if feedback.expected else "")
    scored = [(_likeness(told, line.text), line) for line in lines] if told else []
    near = [(score, line) for score, line in scored if score >= SAME_MATTER]
    return max(near, key=lambda pair: pair[0])[1] if near else None


def _likeness(one: str, other: str) -> float:
    return likeness(content_words(one), content_words(other))
