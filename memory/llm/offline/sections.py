"""Which section of a scene a claim belongs to, by what its sentence does."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache

from memory.cascade.contract import OfferedAtom, SectionSlug
from memory.llm.offline.kinds import CONDITION_THEN_COMMAND
from memory.llm.offline.lexicon import CUES_FOLDER, Cues, cues_of, english_verbs, language_of
from memory.llm.offline.words import WORD, is_value, tokens

QUOTED = re.compile(r"[\"“«][^\"”»]*[\"”»]|(?<!\w)'[^']+'(?!\w)")
COMMAND = re.compile(r"(?:please )?(?:never|do not|don't|avoid) \w+", re.IGNORECASE)
ASKED_HOW = re.compile(
    r"^Asked \"[^\"]*\b(?:tips?|advice|how (?:can|should|do) (?:I|we)|what should (?:I|we))\b",
    re.IGNORECASE,
)
ANSWERED = re.compile(
    r"^(?:Asked \"[^\"]*\", (?:[^:\"]* answered: |[^:\"]* said: \"?)|\w+(?: \w+)? (?:said|says)(?: that |: ))"
)
NO_PAST = re.compile(
    r"(?:could|should|would|might|must|may|will|can|shall|ought)(?:n't)?|cannot|won't|can't"
    r"|shed|bed|red|seed|weed|feed|need|speed|breed|deed|greed|sled|hundred|sacred|naked"
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
# «is swamped», «has been built», «got excited»: a participle after one of these tells how things are.
STATE = re.compile(
    r"\b(?:is|are|am|be|been|being|feels?|seems?|looks?|stays?|remains?|(?:it|he|she|that|there|who|what)'s|'re)"
    r"(?: (?:so|very|really|just|still|also|now|always|totally|not|\w+ly))*"
    r" (?:\w+(?:ed|en|t)|made|done|gone|known|shown|born|worn|torn|sold|told|held|run)\b",
    re.IGNORECASE,
)
PERFECT = re.compile(
    r"\b(?:has|have|'ve)(?: (?:\w+ly|also|always|never|just|not|even))* \w+"
    r"|(?<=\w)'s (?:allowed|helped|made|given|been|got|become|taught|changed)\b"
)
GERUND_FIRST = re.compile(r"\w+ing\b", re.IGNORECASE)
HABIT = re.compile(
    r"\b(?:always|usually|often|never|every (?:day|week|morning|evening|year)|whenever)\b", re.IGNORECASE
)

PRESENT = re.compile(
    r"\b(?:is|are|has|have|does|do|will|can|must|wants?|loves?|likes?|enjoys?|hates?|thinks?|believes?|needs?|"
    r"keeps?|makes?|helps?|brings?|gives?|lets?|means?|feels?|knows?|lives?|works?|hopes?|plans?|prefers?|"
    r"reminds?|says?|shows?|looks?|tries|goes|comes|takes|uses|runs|reads|plays|owns|leads|manages)\b",
    re.IGNORECASE,
)


def section_of(atom: OfferedAtom) -> SectionSlug:
    """The section for a claim's line; the claim alone decides, not when it is placed."""
    cues = cues_of(language_of(atom.text))
    if atom.authority == "tool":
        return "key_evidence"
    if atom.kind == "instruction":
        return _rule_section(atom, cues)
    return _statement_section(atom) if cues.language == "en" else _foreign_section(atom, cues)


def _rule_section(atom: OfferedAtom, cues: Cues) -> SectionSlug:
    if cues.has("never", atom.text):
        return "prohibitions"
    is_only_condition = cues.has("condition", atom.text) and not CONDITION_THEN_COMMAND.match(atom.text)
    if (
        atom.scope
        or cues.has("scoped", atom.text)
        or (is_only_condition and not cues.has("procedure", atom.text))
    ):
        return "applies_when" if not cues.has("imperative", atom.text) else "core_sop"
    return "core_sop"


def _statement_section(atom: OfferedAtom) -> SectionSlug:
    """What the first sentence of a statement does, the question that it answers left aside."""
    answer = ANSWERED.sub("", atom.text)
    text = QUOTED.sub("…", next(iter(SENTENCE_END.split(answer, maxsplit=1))))
    if (command := COMMAND.match(text)) or cues_of("en").has("imperative", text):
        return "prohibitions" if command else "core_sop"
    if ASKED_HOW.match(atom.text):
        return "core_sop"
    is_past = _tells_what_happened(text)
    order: tuple[tuple[SectionSlug, bool], ...] = (
        ("prohibitions", _does("failure", text)),
        ("evolution_record", atom.kind == "episodic" and _does("change", text)),
        ("open_questions", not is_past and _does("open", text)),
        ("applies_when", _does("condition", text)),
        ("related_tasks", _does("asset", answer) or (not is_past and _is_ahead(atom, text))),
        ("decision_logic", _does("reason", text)),
        ("key_evidence", _does("measure", text) or (is_past and not HABIT.search(text))),
    )
    return next((section for section, holds in order if holds), "work_context")


def _is_ahead(atom: OfferedAtom, text: str) -> bool:
    """Whether it is to be done: said so, or dated later than it was said."""
    starts = atom.happened_from or atom.happened_until
    is_later = starts is not None and atom.said_at is not None and starts > atom.said_at.date()
    return is_later or _does("task", text)


def _tells_what_happened(text: str) -> bool:
    """Whether the main verb is past: no participle of a present state, and after no verb of the present."""
    bare = PERFECT.sub(" has", STATE.sub("is so", text))
    place = _first_past(bare)
    # A verb of the present before the past one leads the sentence: «loves the bowl she made».
    if place is None or text.startswith("Since "):
        return False
    is_led = PRESENT.search(bare[:place]) is not None
    return not is_led or GERUND_FIRST.match(bare) is not None


def _first_past(text: str) -> int | None:
    """Where the first word stands that may be a verb of the past."""
    marked = {found.start(): found.group() for found in cues_of("en").patterns["past"].finditer(text)}
    irregular = {
        found.start(): found.group()
        for found in WORD.finditer(text)
        if found.group().lower() in english_verbs().past
    }
    places = (place for place, word in {**irregular, **marked}.items() if not NO_PAST.fullmatch(word.lower()))
    return min(places, default=None)


def _foreign_section(atom: OfferedAtom, cues: Cues) -> SectionSlug:
    """By the cues that a language has; what it has no cues for is told as it stands."""
    text = atom.text
    if cues.has("open_state", text):
        return "open_questions"
    if cues.has("change", text) and atom.kind == "episodic":
        return "evolution_record"
    if cues.has("decision", text) or cues.has("reason", text):
        return "decision_logic"
    if atom.kind == "persona":
        return "work_context"
    is_past = cues.has("past", text)
    if cues.has("task", text) or (cues.has("future", text) and not is_past):
        return "related_tasks"
    has_figures = any(is_value(word) for word in tokens(text))
    return "key_evidence" if is_past or (has_figures and atom.happened_from is not None) else "work_context"


def _does(name: str, text: str) -> bool:
    return _patterns()[name].search(text) is not None


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    raw = tomllib.loads((CUES_FOLDER / "sections.toml").read_text(encoding="utf-8"))
    return {
        name: re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE) for name, parts in raw.items()
    }
