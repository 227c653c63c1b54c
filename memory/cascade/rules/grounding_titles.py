"""Names and numbers of a title that its evidence does not hold.

In a title every word may have a capital, so a capital tells a name only in a title that leaves other words
small. Possessives, codes, figures, months and weekdays are told in both. The number of a part («…, part 2»)
claims nothing.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from memory.cascade.rules.grounding import Ground

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_POSSESSIVE = re.compile(r".+['’]s?$")
_PART = re.compile(r", part \d+$")
# Names of days and months that are no other words.
_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august"
    r"|(?:sept|nov|dec)ember|october",
    re.IGNORECASE,
)
# Shorter words stay small in headings too.
_LETTERS_OF_A_WORD = 4


def ungrounded_in_title(
    title: str, evidence_texts: Sequence[str], *, allowed_dates: Iterable[date] = ()
) -> tuple[str, ...]:
    """Return the names, numbers and dates of a title that occur nowhere in the evidence."""
    title = _PART.sub("", title)
    sentence = _WORD.sub(lambda match: _small(match[0]), title) if is_heading(title) else title
    return Ground(evidence_texts, allowed_dates=allowed_dates).ungrounded(sentence)


def is_heading(title: str) -> bool:
    """Whether the words of a title have capitals for being in a title."""
    words = [word for word in _WORD.findall(title)[1:] if len(word) >= _LETTERS_OF_A_WORD]
    return all(word[0].isupper() for word in words)


def _small(word: str) -> str:
    """A plain word without its capital; what tells a name or a date by itself stays."""
    is_plain = word[1:].islower() and not (_POSSESSIVE.fullmatch(word) or _CALENDAR.fullmatch(word))
    return word.lower() if is_plain else word
