"""How much of a question a text speaks of: by its words, the rare ones counting most.

Names alone never make a text an answer: what is said of somebody is not what was asked about them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.indexing.analyser import query_terms
from memory.indexing.analyser_words import PIECE_MARK
from memory.recall.answering.kin import Kin, is_light, is_measure, joined, kin_of
from memory.recall.answering.wanted import Wanted, gives, wanted_by
from memory.recall.context.material import words_of

_PARTICULAR = 2.0
"""What is written with a capital or a digit within a sentence weighs so many times more."""
_LIGHT = 0.25
"""A word that only carries a question weighs so much of what it would."""
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
_WHICH = frozenset({"which", "what"})
_IRREGULAR = {"goes": "go", "went": "go", "gone": "go"}
"""Forms that no stem folds: who says «we go live» is told of as one who «goes live»."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question, with all forms that find it."""

    text: str
    forms: frozenset[str]
    weight: float = 1.0
    is_name: bool = False
    is_light: bool = False
    """It carries the question and says little of what it is about («use»)."""
    kin: Kin | None = None
    is_demanded: bool = False
    """It names the kind that is asked for («which database»): what tells of none is no answer."""

    def is_told_by(self, text: str) -> bool:
        """Whether a text says in other words what this word asks for («moved to Lisbon»: «live»)."""
        return self.kin is not None and self.kin.told.search(text) is not None

    def is_said_by(self, text: str, held: Collection[str]) -> bool:
        """Whether a text, of which `held` are the words in all their forms, holds this word or phrase."""
        is_phrase = " " in self.text
        return self.text.casefold() in text.casefold() if is_phrase else not self.forms.isdisjoint(held)


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
        kinds = (word for word in self.words if word.kin is not None and word.kin.is_kind)
        names_one = all(word.is_told_by(text) for word in kinds)
        return names_one and gives(self.wanted, text, asked=asked, names=self.names)

    @property
    def in_other_words(self) -> str:
        """The question with what else tells what its words ask for, to search by; empty when nothing does."""
        found_by = [word.kin.found_by for word in self.words if word.kin is not None and word.kin.found_by]
        return " ".join([self.text, *found_by]) if found_by else ""

    @property
    def telling(self) -> tuple[Word, ...]:
        """The words that count: all but names, or the names where there is nothing else."""
        return tuple(word for word in self.words if not word.is_name) or self.words

    def covered_by(self, text: str) -> frozenset[Word]:
        """The words that a text holds, or says otherwise."""
        held = words_of(text, self.languages)
        held |= {_IRREGULAR[word] for word in held & _IRREGULAR.keys()}
        return frozenset(word for word in self.words if word.is_said_by(text, held) or word.is_told_by(text))

    def share(self, covered: Collection[Word]) -> float:
        """How much of the telling words' weight is covered, between 0 and 1.

        0 when nobody named is, and when the kind that is asked for is not.
        """
        names = [word for word in self.words if word.is_name]
        if names and not any(name in covered for name in names):
            return 0.0
        if any(word.is_demanded and word not in covered for word in self.words):
            return 0.0
        total = sum(word.weight for word in self.telling)
        return sum(word.weight for word in self.telling if word in covered) / total if total else 0.0


def read_question(
    text: str, *, languages: Sequence[str], names: Collection[str], rarity: Mapping[str, float]
) -> Question:
    """Cut a question into its words; `rarity` weighs terms, one that is missing weighs 1."""
    reader = _Reader(text, tuple(languages), frozenset(names), rarity)
    # «What is my name?» asks for nothing but the name.
    words = reader.words(_ASKING) or reader.words(_ASKING - {"name"})
    return Question(words, reader.languages, text, reader.names)


@dataclass(frozen=True, slots=True)
class _Reader:
    text: str
    languages: tuple[str, ...]
    names: frozenset[str]
    rarity: Mapping[str, float]

    def words(self, left_out: Collection[str]) -> tuple[Word, ...]:
        """The words of the question but for those, each once; a known phrase of two words is one."""
        known = {
            term
            for term in query_terms(self.text, languages=self.languages)
            if not term.startswith(PIECE_MARK)
        }
        found: dict[frozenset[str], Word] = {}
        chunks = self.text.split()
        written = [_EDGES.sub("", chunk) for chunk in chunks]
        lower = [word.casefold() for word in written]
        for start, end in joined(lower):
            asked, before = " ".join(lower[start:end]), lower[start - 1] if start else ""
            if asked in left_out or is_measure(asked, before):
                continue
            shown = " ".join(written[start:end])
            for form, forms in _forms(shown, " ".join(chunks[start:end]), self.languages):
                if told := forms & known:
                    is_emphatic = start > 0 and _is_particular(shown)
                    found.setdefault(told, self._word(form, told, asked, before, is_emphatic=is_emphatic))
        return tuple(found.values())

    def _word(self, shown: str, forms: frozenset[str], asked: str, before: str, *, is_emphatic: bool) -> Word:
        kin = kin_of(asked)
        weight = min(self.rarity.get(form, 1.0) for form in forms)
        return Word(
            shown,
            forms,
            weight * (_PARTICULAR if is_emphatic else 1.0) * (_LIGHT if is_light(asked) else 1.0),
            is_name=asked in self.names,
            is_light=is_light(asked),
            kin=kin,
            is_demanded=kin is not None and kin.is_kind and before in _WHICH,
        )


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
