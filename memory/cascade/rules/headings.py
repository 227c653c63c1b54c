"""Which section a heading means, when it is not written exactly as it should be."""

import difflib
import re
from dataclasses import dataclass

from memory.cascade.rules.scene_text import SECTION_ORDER, Section

# Below this share of common letters two headings are different words, not a slip of the pen.
SIMILAR_ENOUGH = 0.84

_OTHER_NAMES: dict[Section, tuple[str, ...]] = {
    Section.WORK_CONTEXT: ("context", "background", "overview", "about", "summary", "work contexts"),
    Section.APPLIES_WHEN: ("when it applies", "when to use", "when to apply", "applicability", "scope"),
    Section.CORE_SOP: (
        "sop",
        "core sops",
        "standard operating procedure",
        "core standard operating procedure",
        "core procedure",
        "procedure",
        "steps",
        "core steps",
    ),
    Section.DECISION_LOGIC: ("decisions", "decision rules", "rationale", "logic", "trade offs"),
    Section.PROHIBITIONS: (
        "prohibitions",
        "prohibition",
        "failure modes",
        "prohibitions failure modes",
        "prohibitions or failure modes",
        "do not",
        "donts",
    ),
    Section.KEY_EVIDENCE: ("evidence", "facts", "key facts", "supporting evidence"),
    Section.RELATED_TASKS: (
        "related",
        "related tasks",
        "related assets",
        "related tasks assets",
        "tasks and assets",
        "references",
    ),
    Section.EVOLUTION_RECORD: ("evolution", "evolution log", "history", "changelog", "change log", "changes"),
    Section.OPEN_QUESTIONS: ("questions", "open question", "unknowns", "open issues", "uncertainties"),
}

_NUMBERING = re.compile(r"^\s*(?:\(?\d{1,2}[.):]|[ivx]{1,4}[.)])\s+", re.IGNORECASE)
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class HeadingMatch:
    """A section recognised in a heading; `is_exact` when only case or decoration differ."""

    section: Section
    is_exact: bool


def _key(heading: str) -> str:
    plain = _NUMBERING.sub("", heading.strip().strip("*_# ")).replace("&", " and ").replace("'", "")
    return " ".join(_WORDS.findall(plain.replace("_", " ").casefold()))


_EXACT = {_key(section.heading): section for section in SECTION_ORDER}
_KNOWN = {**{_key(name): section for section, names in _OTHER_NAMES.items() for name in names}, **_EXACT}


def match_heading(heading: str) -> HeadingMatch | None:
    """Return the section that a real heading means, allowing other names and slips; None if unknown."""
    key = _key(heading)
    if key in _EXACT:
        return HeadingMatch(_EXACT[key], is_exact=True)
    if key in _KNOWN:
        return HeadingMatch(_KNOWN[key], is_exact=False)
    close = difflib.get_close_matches(key, list(_EXACT), n=1, cutoff=SIMILAR_ENOUGH)
    return HeadingMatch(_EXACT[close[0]], is_exact=False) if close else None


def match_label(text: str) -> Section | None:
    """Return the section whose full name a plain line is; nearly right names do not count there."""
    return _EXACT.get(_key(text))
