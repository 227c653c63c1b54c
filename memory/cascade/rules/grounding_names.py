"""Names in texts: words whose capital says that they name something.

A capital inside a sentence is a name in English and most languages. At the start of a sentence it says
nothing, so a word counts there only when something else speaks for a name: a possessive, a code in
capitals, or a verb of people behind it. German writes every noun with a capital, so in German text a
word counts only behind a title or a verb that asks for a name, before a verb of people, or as one of two
in a row, and only if no word of the evidence is a part of it. Scripts without capitals have no names
here: what cannot be told is not claimed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.cascade.rules.grounding_text import WORD, fold, forms
from memory.cascade.rules.grounding_words import (
    COMMON_ENDINGS,
    DEMONYMS,
    ENGLISH_TOO,
    GERMAN_DETERMINERS,
    GERMAN_ENDINGS,
    GERMAN_WORDS,
    NEVER_NAMES,
    PEOPLE,
    PERSON_VERBS,
    TITLES,
)

# A number that was understood before is masked by null characters.
_IS_SOMEBODY = re.compile(
    r"\s+(?:is|was|ist)\s+(?:[\d\0]|years\b|from\b|married\b|born\b|named\b|called\b"
    r"|(?:an?|eine?)\s+(?:\w+\s+)?(?:\w+(?:ist|ian|eer|man|woman)|" + "|".join(PEOPLE) + r")\b)"
)
_ASKS_FOR_NAME = re.compile(
    r"(?:\b(?:herrn?|frau|familie|firma|dr|prof|namens|heisst|heißt|nennt sich)\.?"
    r"|\b(?:wohnt|geboren|zieht|fliegt|reist)\s+(?:in|aus|nach))\s+$"
)
_CURRENCY_SIGNS = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥"}
_SENTENCE_MARKS = ".!?:;。！？：；\n\r•▪…|"
_OPENING_MARKS = "\"'([{*_`<>"
# The share of words in capitals from which a text is shouting, and capitals say nothing.
SHOUTING_SHARE = 0.6
FEWEST_SHOUTED = 4
# German nouns share at least so many letters with a word of the evidence to be a part or form of it.
COMPOUND_LETTERS = 5


@dataclass(frozen=True, slots=True)
class Evidence:
    """The folded words of the evidence, its unified text, and the initials of its names."""

    words: frozenset[str]
    text: str
    initials: frozenset[str]


def initials_of(text: str) -> frozenset[str]:
    """Return the initials of every two to six capitalised words in a row, as New York City gives nyc."""
    first = [word[0].lower() for word in re.findall(r"[^\W\d_]+", text) if word[0].isupper()]
    spans = ((at, at + length) for length in range(2, 7) for at in range(len(first) + 1 - length))
    return frozenset("".join(first[start:end]) for start, end in spans)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int

    @property
    def base(self) -> str:
        return re.sub(r"'s$|'$", "", self.text)

    @property
    def key(self) -> str:
        return fold(self.base)

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper() or self.text[0].istitle()

    @property
    def is_code(self) -> bool:
        return len(self.base) > 1 and self.base.isupper()


def find_names(text: str, evidence: Evidence) -> Iterator[tuple[int, int]]:
    """Yield the places of names in a unified, masked text that the evidence does not hold."""
    words = [_word(match) for match in WORD.finditer(text)]
    is_german = _is_german(words)
    if _is_shouting(words):
        return
    for at, word in enumerate(words):
        if not word.is_capital or _is_known(word, evidence):
            continue
        if word.is_code or _is_name(text, words, at, evidence, is_german):
            yield word.start, word.start + len(word.base)


def _word(match: re.Match[str]) -> _Word:
    """Make a word, without a small article in front as in l'Europe and d'Artagnan."""
    before, mark, after = match[0].partition("'")
    if mark and after[:1].isupper() and len(before) <= 2 and before.islower():
        return _Word(after, match.end() - len(after), match.end())
    return _Word(match[0], match.start(), match.end())


def _is_german(words: Sequence[_Word]) -> bool:
    """Say whether a text is German: by two small words, or one that is no English word in a short text."""
    small = [word.key for word in words if word.key in GERMAN_WORDS]
    return len(small) >= 2 or (len(words) <= 6 and any(key not in ENGLISH_TOO for key in small))


def _is_shouting(words: Sequence[_Word]) -> bool:
    codes = sum(word.is_code for word in words)
    return codes >= FEWEST_SHOUTED and codes >= SHOUTING_SHARE * len(words)


def _is_known(word: _Word, evidence: Evidence) -> bool:
    if word.key in NEVER_NAMES or word.key.split("'")[0] in NEVER_NAMES:
        return True
    if forms(word.key) & evidence.words or word.key.replace("'", "") in evidence.words:
        return True
    if word.is_code and (word.key in evidence.initials or _has_sign(word.key, evidence)):
        return True
    return _is_demonym(word.key, evidence)


def _has_sign(key: str, evidence: Evidence) -> bool:
    return key in _CURRENCY_SIGNS and _CURRENCY_SIGNS[key] in evidence.text


def _is_demonym(key: str, evidence: Evidence) -> bool:
    other = {DEMONYMS[form] for form in forms(key) if form in DEMONYMS}
    other |= {people for people, country in DEMONYMS.items() if country == key}
    return bool(other & evidence.words)


def _is_name(text: str, words: Sequence[_Word], at: int, evidence: Evidence, is_german: bool) -> bool:
    if _starts_sentence(text, words, at):
        return _looks_like_name(text, words[at], words[at + 1 : at + 2], is_german)
    return _is_german_name(text, words, at, evidence) if is_german else True


def _starts_sentence(text: str, words: Sequence[_Word], at: int) -> bool:
    before = text[: words[at].start].rstrip(" \t")
    opened = before.rstrip(_OPENING_MARKS)
    if not opened or len(opened) < len(before):
        return True
    if opened[-1] == "-":
        # A dash before a clause or a list item, not the hyphen of a compound.
        return text[words[at].start - 1] == " " or opened[-2:-1] in ("", " ", "\n")
    if opened[-1] == ".":
        return not (at and _is_abbreviation(words[at - 1], opened))
    return opened[-1] in _SENTENCE_MARKS


def _is_abbreviation(before: _Word, opened: str) -> bool:
    """Say whether the dot behind the last word belongs to it, as in "Dr. Ng" and "J. Smith"."""
    is_initial = len(before.text) == 1 and before.is_capital
    return before.end == len(opened) - 1 and (before.key in TITLES or is_initial)


def _looks_like_name(text: str, word: _Word, following: Sequence[_Word], is_german: bool) -> bool:
    endings = COMMON_ENDINGS + GERMAN_ENDINGS if is_german else COMMON_ENDINGS
    if len(word.base) < 2 or word.key.endswith(endings):
        return False
    if word.text.endswith("'s") and not is_german:
        return True
    is_adjacent = bool(following) and not text[word.end : following[0].start].strip()
    if is_adjacent and following[0].key in PERSON_VERBS:
        # "Developers prefers" is a slip for a plural; names in s mostly end like James, Marcus, Iris.
        return not word.key.endswith("s") or word.key.endswith(("es", "us", "is", "as", "ss"))
    return bool(_IS_SOMEBODY.match(fold(text), word.end))


def _is_german_name(text: str, words: Sequence[_Word], at: int, evidence: Evidence) -> bool:
    word = words[at]
    if _ASKS_FOR_NAME.search(fold(text[max(0, word.start - 40) : word.start])):
        return True
    if word.key.endswith(GERMAN_ENDINGS) or _has_determiner(words, at) or _is_compound(word.key, evidence):
        return False
    following = words[at + 1 : at + 2]
    if following and following[0].key in PERSON_VERBS:
        return True
    beside = [other for other in (at - 1, at + 1) if 0 <= other < len(words)]
    return any(_makes_full_name(text, words, at, other, evidence) for other in beside)


def _has_determiner(words: Sequence[_Word], at: int) -> bool:
    """Say whether an article stands before a noun, with one adjective between them at most."""
    if at and words[at - 1].key in GERMAN_DETERMINERS:
        return True
    return at > 1 and words[at - 2].key in GERMAN_DETERMINERS and not words[at - 1].is_capital


def _makes_full_name(text: str, words: Sequence[_Word], at: int, other: int, evidence: Evidence) -> bool:
    """Say whether two neighbours may be a first and a last name that are both unknown."""
    first, neighbour = min(at, other), words[other]
    return (
        text[words[first].end : words[first + 1].start] == " "
        and neighbour.is_capital
        and not _starts_sentence(text, words, other)
        and not _is_known(neighbour, evidence)
        and not _is_compound(neighbour.key, evidence)
        and not neighbour.key.endswith(GERMAN_ENDINGS)
        and not _has_determiner(words, first)
    )


def _is_compound(key: str, evidence: Evidence) -> bool:
    """Say whether a German noun has a part of some length in common with a word of the evidence."""
    known = [word for word in evidence.words if len(word) >= COMPOUND_LETTERS]
    return any(
        word in key or key in word or word[:COMPOUND_LETTERS] == key[:COMPOUND_LETTERS] for word in known
    )
