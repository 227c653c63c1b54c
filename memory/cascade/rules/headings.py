"""Which section a heading means, when it is not written exactly as it should be."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.cascade.rules.scene_text import Section, SectionName

# Below this share of common letters two headings are different words, not a slip of the pen.
SIMILAR_ENOUGH = 0.84

_OTHER_NAMES: Mapping[SectionName, Sequence[str]] = {
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

    section: SectionName
    is_exact: bool


def _key(heading: str) -> str:
    plain = _NUMBERING.sub("", heading.strip().strip("*_# ")).replace("&", " and ").replace("'", "")
    return " ".join(_WORDS.findall(plain.replace("_", " ").casefold()))


class Outline:
    """The sections of a kind of document, and how its headings are read."""

    def __init__(
        self,
        sections: type[SectionName],
        *,
        noun: str,
        fallback: SectionName,
        other_names: Mapping[SectionName, Sequence[str]],
        levels: Mapping[SectionName, int] | None = None,
        groups: Mapping[str, SectionName] | None = None,
    ) -> None:
        """`fallback` takes what stands in no known section; `levels` are those of headings other than 2.

        `groups` are headings of level 2 over several sections, each with the section that takes lines which
        stand directly below it.
        """
        self.noun = noun
        self.fallback = fallback
        self._levels = levels or {}
        self._groups = {_key(name): section for name, section in (groups or {}).items()}
        self._exact = {_key(section.heading): section for section in sections}
        others = {_key(name): section for section, names in other_names.items() for name in names}
        self._known = {**others, **self._exact}

    def level(self, section: SectionName) -> int:
        """How deep the section's heading stands."""
        return self._levels.get(section, 2)

    def match_group(self, heading: str) -> SectionName | None:
        """The section for lines directly below a heading that stands over several sections."""
        return self._groups.get(_key(heading))

    def match_heading(self, heading: str) -> HeadingMatch | None:
        """The section that a real heading means, allowing other names and slips; None if unknown."""
        key = _key(heading)
        if key in self._exact:
            return HeadingMatch(self._exact[key], is_exact=True)
        if key in self._known:
            return HeadingMatch(self._known[key], is_exact=False)
        close = difflib.get_close_matches(key, list(self._exact), n=1, cutoff=SIMILAR_ENOUGH)
        return HeadingMatch(self._exact[close[0]], is_exact=False) if close else None

    def match_label(self, text: str) -> SectionName | None:
        """The section whose full name a plain line is; nearly right names do not count there."""
        return self._exact.get(_key(text))


SCENE_OUTLINE = Outline(Section, noun="scene", fallback=Section.WORK_CONTEXT, other_names=_OTHER_NAMES)
