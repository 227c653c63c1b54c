"""Numbers and times of day in texts: 1,200 · 1.200 · 1 200 · 1.2k · twelve · 3rd · 15:00 · 3 pm."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory.cascade.rules.grounding_text import fold

_FROM_ZERO = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty"
)
_TENS = "ten twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS_FROM_THIRD = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_GERMAN_FROM_TWO = "zwei drei vier funf sechs sieben acht neun zehn elf zwolf"
_FRENCH_FROM_TWO = "deux trois quatre cinq six sept huit neuf dix onze douze"
_SPANISH_FROM_TWO = "dos tres cuatro cinco seis siete ocho nueve diez"
_ONE = "one a an first once single another sole ein eine einen einem un une una uno"
_SCALES: dict[str, float] = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
}


def _counted(words: str, start: int, step: int = 1) -> dict[str, float]:
    return {word: start + step * at for at, word in enumerate(words.split())}


# Words that are a number whoever says them. "One" and "second" mostly are not, nor are "elf" and "acht".
_WORDS: dict[str, float] = {
    **_counted(_FROM_ZERO, 0),
    **_counted(_TENS, 10, 10),
    **_counted(_ORDINALS_FROM_THIRD, 3),
    **_counted(_GERMAN_FROM_TWO, 2),
    **_SCALES,
}
for _unsure in ("one", "elf", "acht"):
    del _WORDS[_unsure]
# What evidence may say for a number that the text writes in digits.
_LOOSE_WORDS: dict[str, float] = {
    **_counted(_FRENCH_FROM_TWO, 2),
    **_counted(_SPANISH_FROM_TWO, 2),
    **_counted(_GERMAN_FROM_TWO, 2),
    **_WORDS,
    **dict.fromkeys(_ONE.split(), 1),
    **dict.fromkeys(("both", "couple", "pair", "twice", "double", "second", "twins"), 2),
    **dict.fromkeys(("triple", "thrice", "triplets"), 3),
    "dozen": 12,
    "fortnight": 14,
}
_CJK_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九十")} | {
    "两": 2,
    "兩": 2,
    "〇": 0,
}
_CJK_NUMBER = re.compile("[零〇一二三四五六七八九十两兩]+")

_DIGITS = re.compile(r"(?<![\d])\d+(?:[.,']\d+)*(?:(?<=\d)(?<!\d{4})(?: \d{3}(?!\d))+)?")
_SCALE = re.compile(r"\s?(k|m|mn|bn|mio|mrd|tsd|hundred|thousand|million|billion|千|万|萬|亿|億)(?![^\W\d_])")
_SCALE_VALUES = _SCALES | {"k": 1e3, "tsd": 1e3, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8}
_SCALE_VALUES |= {"m": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "mrd": 1e9}


def _runs_of(words: Iterable[str]) -> re.Pattern[str]:
    one = "|".join(sorted(words, key=len, reverse=True))
    return re.compile(rf"\b(?:{one})(?:(?:-|\s+and\s+|\s+)(?:{one}))*\b(?!-part)")


_STRICT_RUN, _LOOSE_RUN = _runs_of(_WORDS), _runs_of(_LOOSE_WORDS)
_LIST_NUMBER = re.compile(r"(?:^|\n)\s*\d{1,2}[.)]\s")

_CLOCK = re.compile(
    r"(?<![\d:.,])(?P<hour>\d{1,2})(?:(?::|h)(?P<minute>[0-5]\d)(?::[0-5]\d)?)?\s?(?P<half>[ap](?:\.m\.|m\b))?"
    r"(?P<oclock>\s?(?:uhr|o'clock|h)\b)?(?![\d:])"
)


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number with every value it may have; `parts` are those of a run, each known by itself."""

    start: int
    end: int
    values: frozenset[float]
    parts: frozenset[float] = frozenset()


def _digit_values(digits: str) -> set[float]:
    """Return what digits with separators may mean: 1.200 is 1200 or 1.2, 1,234.5 is 1234.5 alone."""
    marks = [sign for sign in digits if not sign.isdigit()]
    groups = re.split(r"\D", digits)
    values: set[float] = set()
    if not marks:
        return {float(digits)}
    if len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]) and len(set(marks)) == 1:
        values.add(float("".join(groups)))
    is_grouped = all(len(group) == 3 for group in groups[1:-1]) and marks[-1] in ".,"
    if is_grouped and marks[-1] not in marks[:-1]:
        values.add(float("".join(groups[:-1]) + "." + groups[-1]))
    return values


def find_digits(text: str) -> Iterator[NumberMention]:
    """Yield the numbers that a unified text writes in digits, with the scale behind them, if any."""
    folded = fold(text)
    for match in _DIGITS.finditer(folded):
        values = _digit_values(match[0])
        scale = _SCALE.match(folded, match.end())
        if scale:
            values |= {value * _SCALE_VALUES[scale[1]] for value in values}
        is_spaced = " " in match[0]
        parts = frozenset(float(part) for part in match[0].split(" ") if is_spaced and part.isdigit())
        yield NumberMention(match.start(), match.end(), frozenset(values), parts)


def find_words(text: str, *, loose: bool) -> Iterator[NumberMention]:
    """Yield the numbers that a unified text writes in words; `loose` takes "a", "both" and the like too."""
    known, runs = (_LOOSE_WORDS, _LOOSE_RUN) if loose else (_WORDS, _STRICT_RUN)
    for run in runs.finditer(fold(text)):
        values = [known[word] for word in re.findall(r"[^\W\d_]+", run[0]) if word in known]
        # "Hundreds of", "a thousand thanks": a scale alone counts nothing.
        if loose or values[0] not in _SCALES.values():
            yield NumberMention(run.start(), run.end(), frozenset({_total(values)}), frozenset(values))


def _total(values: list[float]) -> float:
    total = current = 0.0
    for value in values:
        if value >= 1_000:
            total, current = total + max(current, 1) * value, 0
        else:
            current = max(current, 1) * value if value == 100 else current + value
    return total + current


def _cjk_values(text: str) -> Iterator[float]:
    for match in _CJK_NUMBER.finditer(text):
        yield from (float(_CJK_DIGITS[sign]) for sign in match[0])
        before, ten, after = match[0].partition("十")
        if ten and len(before) <= 1 and len(after) <= 1:
            yield float((_CJK_DIGITS[before] if before else 1) * 10 + (_CJK_DIGITS[after] if after else 0))


def known_numbers(text: str) -> set[float]:
    """Return every value that a unified evidence text may be said to hold."""
    known: set[float] = set(_cjk_values(text))
    for mention in (*find_digits(text), *find_words(text, loose=True)):
        known |= mention.values | mention.parts
    known |= {float(part) for part in re.findall(r"\d+", text)}
    return known


@dataclass(frozen=True, slots=True)
class ClockMention:
    """A time of day in minutes from midnight; two readings when morning or afternoon was not said."""

    start: int
    end: int
    minutes: frozenset[int]


def find_clock_times(text: str) -> Iterator[ClockMention]:
    """Yield the times of day of a unified text. A bare hour counts only with am, pm, Uhr or o'clock."""
    folded = fold(text)
    for match in _CLOCK.finditer(folded):
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        if hour <= 24 and (match["minute"] or match["half"] or match["oclock"]):
            yield ClockMention(match.start(), match.end(), frozenset(_minutes(hour, minute, match["half"])))
    for word, midday in (("noon", 720), ("midday", 720), ("midnight", 0)):
        for match in re.finditer(rf"\b{word}\b", folded):
            yield ClockMention(match.start(), match.end(), frozenset({midday}))


def _minutes(hour: int, minute: int, half: str | None) -> set[int]:
    if half:
        return {(hour % 12 + (12 if half[0] == "p" else 0)) * 60 + minute}
    readings = {hour % 24 * 60 + minute}
    return readings | {(hour % 12 + 12) * 60 + minute, hour % 12 * 60 + minute} if hour <= 12 else readings


def holds_clock_time(mention: ClockMention, times: set[int], numbers: set[float]) -> bool:
    """Say whether a time was said: as a time, or its hour and minutes as numbers, as in "at 3"."""
    if mention.minutes & times:
        return True
    return any(
        (minute // 60 in numbers or (minute // 60 - 12) in numbers or (minute < 60 and 12 in numbers))
        and (minute % 60 == 0 or minute % 60 in numbers)
        for minute in mention.minutes
    )


def is_list_number(text: str, start: int) -> bool:
    """Say whether a number at `start` only counts the lines of a list."""
    return any(match.start() <= start < match.end() for match in _LIST_NUMBER.finditer(text))
