"""How much of a question a text speaks of: by its words, the rare ones counting most.

Names alone never make a text an answer: what is said of somebody is not what was asked about them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.indexing.analyser import query_terms
from memory.indexing.analyser_words import PIECE_MARK
from memory.recall.answering.wanted import Wanted, gives, wanted_by
from memory.recall.context.material import words_of

_PARTICULAR = 2.0
"""What is written with a capital or a digit within a sentence weighs so many times more."""
_EDGES = re.compile(r"^\W+|(?:['’]s)?\W*$")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")

_ASKING = frozenset(
    re.findall(
        r"\w+",
        """
        about again anybody anyone anything describe did do does ever everything explain find give happen
        happened happens kind know list many mean much name please recall remember said say says show sort
        tell think thing things type
        allowed can could may might must shall should supposed would
        """,
    )
)
"""Words that ask, and say nothing of what is asked about."""
_IRREGULAR = {"goes": "go", "went": "go", "gone": "go"}
"""Forms that no stem folds: who says «we go live» is told of as one who «goes live»."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question, with all forms that find it."""

    text: str
    forms: frozenset[str]
    weight: float = 1.0
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """The words of a question that say what it is about."""

    words: tuple[Word, ...]
    languages: tuple[str, ...]
    text: str = ""
    names: frozenset[str] = frozenset()
    """Words of known names, in lower case."""

    @property
    def wanted(self) -> Wanted:
        """What kind of words would answer it."""
        return wanted_by(self.text)

    def is_repeated_by(self, text: str) -> bool:
        """Whether a text says nothing that the question does not hold itself."""
        return words_of(text, self.languages) <= words_of(self.text, self.languages)

    def is_met_by(self, text: str) -> bool:
        """Whether a text holds words of the wanted kind beside those of the question."""
        asked = re.findall(r"[^\W\d_]+", self.text.casefold())
        return gives(self.wanted, text, asked=asked, names=self.names)

    @property
    def telling(self) -> tuple[Word, ...]:
        """The words that count: all but names, or the names where there is nothing else."""
        return tuple(word for word in self.words if not word.is_name) or self.words

    def covered_by(self, text: str) -> frozenset[Word]:
        """The words that a text holds."""
        held = words_of(text, self.languages)
        held |= {_IRREGULAR[word] for word in held & _IRREGULAR.keys()}
        return frozenset(word for word in self.words if not held.isdisjoint(word.forms))

    def share(self, covered: Collection[Word]) -> float:
        """How much of the telling words' weight is covered, between 0 and 1; 0 when nobody named is."""
        names = [word for word in self.words if word.is_name]
        if names and not any(name in covered for name in names):
            return 0.0
        total = sum(word.weight for word in self.telling)
        return sum(word.weight for word in self.telling if word in covered) / total if total else 0.0


def read_question(
    text: str, *, languages: Sequence[str], names: Collection[str], rarity: Mapping[str, float]
) -> Question:
    """Cut a question into its words; `rarity` weighs terms, one that is missing weighs 1."""
    known = {term for term in query_terms(text, languages=languages) if not term.startswith(PIECE_MARK)}
    words: dict[frozenset[str], Word] = {}
    for place, chunk in enumerate(text.split()):
        written = _EDGES.sub("", chunk)
        if written.casefold() in _ASKING:
            continue
        emphasis = _PARTICULAR if place and _is_particular(written) else 1.0
        for shown, found in _forms(written, chunk, languages):
            if forms := found & known:
                weight = emphasis * min(rarity.get(form, 1.0) for form in forms)
                words.setdefault(forms, Word(shown, forms, weight, written.casefold() in names))
    return Question(tuple(words.values()), tuple(languages), text, frozenset(names))


def _is_particular(written: str) -> bool:
    return written[:1].isupper() or any(map(str.isdigit, written))


def _forms(written: str, chunk: str, languages: Sequence[str]) -> Iterable[tuple[str, frozenset[str]]]:
    """A chunk's words: one, or as many as a script without spaces gives pairs of characters.

    A chunk with digits, such as a number of an order, is meant as it is written.
    """
    forms = words_of(chunk, languages)
    if _UNSPACED.search(chunk):
        yield from ((form, frozenset({form})) for form in sorted(forms))
        return
    if any(character.isdigit() for character in written) and not written.isdigit():
        forms = frozenset(form for form in forms if any(map(str.isdigit, form)))
        longest = max(map(len, forms), default=0)
        forms = frozenset(form for form in forms if len(form) == longest)
    yield written, forms
