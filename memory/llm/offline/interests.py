"""What recurs with a person: interests that at least three lines of a scene hold.

Each scene speaks for itself and the strongest of all scenes are taken, so that the order in which scenes
come to the step does not matter: what is dropped has been beaten, and whatever beat it is still there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory.llm.offline.lexicon import cues_of
from memory.llm.offline.portrait import Interest, portrait_cues

LINES_NEEDED = 3
INTERESTS_A_PERSON = 5
PEOPLE_LIMIT = 4


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of a scene as a remark on somebody's life."""

    person: str
    text: str
    scene: str
    line: str


@dataclass(frozen=True, slots=True)
class Concern:
    """An interest of a person in one scene, with the lines that show it."""

    person: str
    interest: Interest
    shown: str
    count: int
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """As it is named in a sentence."""
        return f"the {self.shown}" if self.shown in portrait_cues().single else self.shown

    @property
    def rank(self) -> tuple[int, str]:
        """Strongest first; total, so that ties fall the same way always."""
        return -self.count, self.shown


def concerns_by_person(remarks: Iterable[Remark]) -> dict[str, list[Concern]]:
    """The strongest concerns of the people most spoken of, people in alphabetical order."""
    strongest: dict[str, dict[Interest, Concern]] = defaultdict(dict)
    for concern in sorted(_concerns(remarks), key=lambda found: (found.rank, found.lines)):
        strongest[concern.person].setdefault(concern.interest, concern)
    kept = {person: list(found.values())[:INTERESTS_A_PERSON] for person, found in strongest.items()}
    foremost = sorted(kept, key=lambda person: (kept[person][0].rank, person))[:PEOPLE_LIMIT]
    return {person: kept[person] for person in sorted(foremost)}


def _concerns(remarks: Iterable[Remark]) -> Iterator[Concern]:
    together: dict[tuple[str, str], list[Remark]] = defaultdict(list)
    for remark in remarks:
        if not cues_of("en").has("negation", remark.text):
            together[remark.scene, remark.person].append(remark)
    for (_, person), of_scene in together.items():
        spoken = " ".join(remark.text for remark in of_scene).casefold()
        for interest in portrait_cues().interests:
            if not any(form.casefold() in spoken for form in interest.forms):
                continue
            said = [remark for remark in of_scene if interest.words.search(remark.text)]
            if len({remark.line for remark in said}) >= LINES_NEEDED:
                yield _concern(person, interest, said)


def _concern(person: str, interest: Interest, said: list[Remark]) -> Concern:
    """Shown by the first of its forms that is said; of its lines as many as are needed, with that form."""
    spoken = " ".join(remark.text for remark in said).casefold()
    heard = {match.casefold() for match in interest.words.findall(spoken)}
    shown = next(form for form in interest.forms if form.casefold() in heard)
    ranked = sorted(said, key=lambda remark: (shown.casefold() not in remark.text.casefold(), remark.text))
    lines = tuple(dict.fromkeys(remark.line for remark in ranked))
    return Concern(person, interest, shown, len(lines), lines[:LINES_NEEDED])
