"""What a person comes back to: matters of their own that several lines of a scene hold, on several days.

Each scene speaks for itself and the strongest of all scenes are taken, so that the order in which scenes
come to the step does not matter: what is dropped has been beaten, and whatever beat it is still there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from memory.llm.offline.lexicon import cues_of
from memory.llm.offline.themes import WORD_POINTS, found_terms
from memory.llm.offline.titles import theme_name

LINES_NEEDED, DAYS_NEEDED = 3, 2
INTERESTS_A_PERSON = 5
PEOPLE_LIMIT = 4
NAMED_AS_A_WHOLE = frozenset({"family", "self"})
"""Areas whose single words («son», «husband») are nobody's interest."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of a scene as a remark on somebody's own life."""

    person: str
    text: str
    scene: str
    line: str
    day: date | None


@dataclass(frozen=True, slots=True)
class Concern:
    """What a person comes back to in one scene, with the lines that show it."""

    person: str
    theme: str
    name: str
    count: int
    lines: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, str, tuple[str, ...]]:
        """Strongest first; total, so that ties fall the same way always."""
        return -self.count, self.name, self.lines


def concerns_by_person(remarks: Iterable[Remark]) -> dict[str, list[Concern]]:
    """The strongest concerns of the people most spoken of, people in alphabetical order."""
    strongest: dict[str, dict[str, Concern]] = defaultdict(dict)
    for concern in sorted(_concerns(remarks), key=lambda found: found.rank):
        strongest[concern.person].setdefault(concern.theme, concern)
    kept = {person: list(found.values())[:INTERESTS_A_PERSON] for person, found in strongest.items()}
    foremost = sorted(kept, key=lambda person: (kept[person][0].rank, person))[:PEOPLE_LIMIT]
    return {person: kept[person] for person in sorted(foremost)}


def _concerns(remarks: Iterable[Remark]) -> Iterator[Concern]:
    """By person, scene and theme, where enough lines of enough days hold a word of the theme."""
    together: dict[tuple[str, str, str], list[tuple[Remark, str]]] = defaultdict(list)
    for remark in remarks:
        if cues_of("en").has("negation", remark.text):
            continue
        for found in found_terms(remark.text):
            if found.points == WORD_POINTS and found.theme.area:
                together[remark.person, remark.scene, found.theme.name].append((remark, found.term))
    for (person, _, theme), said in together.items():
        lines = {remark.line for remark, _ in said}
        days = {remark.day for remark, _ in said}
        if len(lines) >= LINES_NEEDED and (len(days) >= DAYS_NEEDED or days == {None}):
            yield _concern(person, theme, said)


def _concern(person: str, theme: str, said: Sequence[tuple[Remark, str]]) -> Concern:
    """Named by the word that most of its lines hold, where these are enough, else by its theme."""
    area = next(found.theme.area for found in found_terms(said[0][0].text) if found.theme.name == theme)
    plain = {(term, remark.line) for remark, term in said if _may_name(term, remark.text)}
    holding = Counter(term for term, _ in plain)
    term, count = min(holding.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    is_named = count >= LINES_NEEDED and area not in NAMED_AS_A_WHOLE
    ranked = sorted(said, key=lambda pair: (is_named and pair[1] != term, pair[0].text))
    lines = tuple(dict.fromkeys(remark.line for remark, _ in ranked))
    return Concern(person, theme, term if is_named else theme_name(theme), len(lines), lines[:LINES_NEEDED])


def _may_name(term: str, text: str) -> bool:
    """«go for a run» tells of a matter and is no name for it."""
    is_phrase = cues_of("en").function_words.isdisjoint(term.split())
    return is_phrase and not _is_code(term, text)


def _is_code(term: str, text: str) -> bool:
    """Whether a term is written in capitals: it tells a group or a thing, not what somebody does."""
    written = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, re.IGNORECASE)
    return written is not None and len(term) > 1 and written.group().isupper()
