"""«Actually it's hazelnuts, not peanuts»: fragments that mend an earlier claim and mean nothing alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.cascade.contract import OfferedMessage
from memory.llm.offline import dates
from memory.llm.offline.change_cues import ChangeCues, change_cues
from memory.llm.offline.date_rules import MONTHS, WEEKDAYS
from memory.llm.offline.durable import without_openers
from memory.llm.offline.gists import Known, gist_of, read
from memory.llm.offline.lexicon import cues_of, language_of
from memory.llm.offline.sentences import sentences
from memory.llm.offline.ways import is_way_of_working
from memory.llm.offline.wording import speaker_name
from memory.llm.offline.words import content_words, tokens, values

SAID_SHARE = 0.7
OWN_STATEMENT = re.compile(
    r"(?:I|we|you|they|he|she) \w+|(?-i:[A-Z])\w+ (?:uses|wants|likes|loves|needs|drinks|eats|runs|prefers) ",
    re.I,
)
LONGEST_FRAGMENT, LONGEST_VALUE, LONGEST_MENDED = 16, 4, 20
"""Words: a longer sentence says something of its own, and no longer claim is mended by a word."""
DAY = rf"(?:{'|'.join(MONTHS)}) \d{{1,2}}\b(?:, \d{{4}})?"
SORTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        DAY,
        rf"\b(?:{'|'.join(WEEKDAYS)})\b",
        r"\b\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?\b)|\b\d{1,2}:\d\d\b",
        r"(?<![\w-])[$€£]?\d[\d.,]*\b(?![-:])",
        rf"\b(?:{'|'.join(sorted(cues_of('en').number_words))})\b",
    )
)
"""A day, a weekday, an hour, a figure, a number word: what can be mended without telling what it was."""


@dataclass(frozen=True, slots=True)
class Mend:
    """What a fragment puts in the place of what, and what was said just before it."""

    new: str
    old: str
    before: str
    """What the turns and sentences just before say."""
    person: str
    window: tuple[OfferedMessage, ...] = ()
    """The turns just before."""

    def evidence(self, old: Known) -> list[str]:
        """Handles of the turns just before that said the old claim, which the fragment alone does not say."""
        return [turn.handle for turn in self.window if turn.role == "user" and _was_said(old, turn.text)]


def apart(message: OfferedMessage, window: Sequence[OfferedMessage]) -> tuple[OfferedMessage, list[Mend]]:
    """The message without fragments that mend and words that lead to them, and the mends in order.

    `window` are the turns just before: what a fragment without the old value means must stand there.
    """
    if message.role != "user":
        return message, []
    said = _joined(sentences(message.text))
    before, person = " ".join(turn.text for turn in window), speaker_name(message.speaker)
    kept: list[str] = []
    mends: list[Mend] = []
    for sentence in said:
        rest, mend = _read(sentence, f"{before} {' '.join(kept)}", person)
        kept += [rest] if rest and mend is None else []
        mends += [replace(mend, window=tuple(window))] if mend else []
    return (message, []) if kept == said else (replace(message, text="\n".join(kept)), mends)


def mended(mend: Mend, known: Iterable[Known], said_at: datetime | None) -> Known | None:
    """The one known claim that a fragment mends, in its new words; None when none or several may be meant."""
    told = (other for other in known if _may_mend(mend.person, other))
    found = [(other, text) for other in told if (text := _text(mend, other)) and text != other.text]
    recent = [pair for pair in found if _was_said(pair[0], mend.before)]
    chosen = recent or (found if mend.old else [])
    if len(chosen) != 1:
        return None
    other, text = chosen[0]
    said_on = said_at.date() if said_at else None
    return _dated(replace(other, text=text, said_on=said_on), other)


def _may_mend(person: str, other: Known) -> bool:
    """A person mends what that person said: claims name who speaks, rules and facts of things need not."""
    is_about_thing = other.kind == "instruction" or not other.subject[:1].isupper()
    return is_about_thing or person.casefold() in other.text.casefold()


def _dated(new: Known, old: Known) -> Known:
    """The claim with the period that its new text names, in the same sense as before."""
    if not (old.happened_from or old.happened_until):
        return new
    period = dates.resolve(new.text, new.said_on).period
    if period is None:
        return new
    return replace(
        new,
        happened_from=period.first if old.happened_from else None,
        happened_until=period.last if old.happened_until else None,
    )


def _joined(said: list[str]) -> list[str]:
    """«Forget what I said about blue. Use green.» is one fragment."""
    joined: list[str] = []
    for sentence in said:
        if joined and _waits_for_more(joined[-1]):
            joined[-1] = f"{joined[-1].rstrip('.!')}; {sentence}"
        else:
            joined.append(sentence)
    return joined


def _waits_for_more(sentence: str) -> bool:
    is_withdrawn = change_cues(language_of(sentence)).withdrawals.search(sentence) is not None
    return is_withdrawn and not re.search(r"[;,，]", sentence)


def _read(sentence: str, before: str, person: str) -> tuple[str, Mend | None]:
    language = language_of(sentence)
    if sentence.rstrip().endswith(("?", "？")):
        return sentence, None
    changes = change_cues(language)
    rest = _without_leads(sentence, changes)
    if len(tokens(rest)) > LONGEST_FRAGMENT:
        return rest, None
    patterns = changes.mends if rest == sentence else (*changes.mends, *changes.led_mends)
    bare = without_openers(rest, cues_of(language)).rstrip(".!。！")
    match = next((match for pattern in patterns if (match := pattern.match(bare))), None)
    if match is None or (match.re in changes.led_mends and not _sort(match.group("new"))):
        return rest, None
    new, old = match.group("new").strip(), _old(match)
    is_named = _is_thing(new, changes) and (not old or _is_thing(old, changes))
    if not is_named or _says_something(bare, new, language):
        return rest, None
    return rest, Mend(new, old, before, person)


def _is_thing(words: str, changes: ChangeCues) -> bool:
    """A few words that name something: «not only fast, but cheap» mends nothing."""
    is_named = bool(content_words(words) or values(words))
    return is_named and len(tokens(words)) <= LONGEST_VALUE and not changes.adding.search(words)


def _says_something(fragment: str, new: str, language: str) -> bool:
    """«Use uv, not pip» and «we use uv, not pip» say what they mean alone."""
    cues = cues_of(language)
    is_command = cues.has("imperative", new) or is_way_of_working(fragment, cues)
    return language == "en" and (is_command or OWN_STATEMENT.match(new) is not None)


def _without_leads(sentence: str, changes: ChangeCues) -> str:
    while True:
        shorter = changes.lead.sub("", sentence, count=1)
        if shorter == sentence:
            return sentence
        sentence = shorter[:1].upper() + shorter[1:]


def _old(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return (groups.get("old") or groups.get("old2") or "").strip()


def _text(mend: Mend, other: Known) -> str:
    """The known text with the new value in the place of the old one; empty when it does not fit."""
    place = _place_of(mend.old) if mend.old else _sort(mend.new)
    places = list(place.finditer(other.text)) if place else []
    if len(places) != 1 or len(tokens(other.text)) > LONGEST_MENDED:
        return ""
    start, end = places[0].span()
    return f"{other.text[:start]}{_dressed(mend.new, places[0].group())}{other.text[end:]}"


def _place_of(old: str) -> re.Pattern[str]:
    """The old value as memory writes it: a day may have got its year."""
    words = re.escape(old)
    if _is_spaced(old):
        words = rf"(?<!\w){words}(?:,? (?:de )?(?:19|20)\d\d\b)?(?!\w)"
    return re.compile(words, re.IGNORECASE)


def _is_spaced(words: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", words) is None


def _sort(words: str) -> re.Pattern[str] | None:
    return next((sort for sort in SORTS if sort.fullmatch(words.strip())), None)


def _dressed(new: str, old: str) -> str:
    """A day gets the year of the day it replaces."""
    year = re.search(r", \d{4}$", old)
    is_day = re.fullmatch(DAY, new, re.IGNORECASE) and not re.search(r"\d{4}$", new)
    return f"{new}{year.group()}" if year and is_day else new


def _was_said(other: Known, before: str) -> bool:
    """Whether the words just before say what the known claim says, but for «team» and the like."""
    said, known = read(before), gist_of(other)
    told = content_words(before) | said.content
    dates_told = said.values | values(dates.resolve(before, other.said_on).text)
    shared = len(known.content & told)
    return shared > 0 and shared >= SAID_SHARE * len(known.content) and known.values <= dates_told
