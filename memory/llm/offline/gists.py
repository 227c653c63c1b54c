"""A claim's text as decisions compare it: normal words, content, values, names, polarity, hedges."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from memory.cascade.contract import AtomKind
from memory.llm.offline.change_cues import ChangeCues, change_cues
from memory.llm.offline.lexicon import Cues, cues_of, language_of
from memory.llm.offline.words import is_value, stem, tokens

SPEAKER_PREFIX = re.compile(r"^[^\s:：][^:：]{0,60}[:：]\s+(?=\S)")
QUOTED_PREFIX = re.compile(r'^.{1,60} said: "(?P<words>.+)"$')
CONTRACTIONS = (
    (re.compile(r"\b(can)(?:not|'t)\b", re.I), r"\1 not"),
    (re.compile(r"\bwon't\b", re.I), "will not"),
    (re.compile(r"n't\b", re.I), " not"),
    (re.compile(r"'re\b", re.I), " are"),
    (re.compile(r"'ve\b", re.I), " have"),
    (re.compile(r"'m\b", re.I), " am"),
    (re.compile(r"'ll\b", re.I), " will"),
    (re.compile(r"\b(he|she|it|that|there|who)'s\b", re.I), r"\1 is"),
)
NAME = re.compile(r"(?<=\w )(?:[^\W\d_a-zà-ÿ][\w-]*)|\b[A-Z]{2,}\b")
LEADING_NAME = re.compile(r"^[A-Z][\w-]*(?:'s)?")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Known:
    """What memory holds of one matter, or an earlier item of the same answer."""

    handle: str
    text: str
    kind: AtomKind
    subject: str
    topic: str
    scope: str = ""
    happened_from: date | None = None
    happened_until: date | None = None
    said_on: date | None = None
    supersedes: tuple[str, ...] = ()
    priority: int = 50
    speaker: str = ""
    """Who says it; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class Gist:
    """The words of a claim, without what tells nothing of the matter."""

    text: str
    """Without the speaker's name in front, contractions opened, no stop at the end."""
    language: str
    cues: Cues = field(repr=False)
    changes: ChangeCues = field(repr=False)
    words: tuple[str, ...] = ()
    """All words in order, fillers left out."""
    ordered: tuple[str, ...] = ()
    """Stems of the content words in order."""
    content: frozenset[str] = frozenset()
    """Stems of the content words; the subject and words that only tell a change are left out."""
    values: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """Stems of what is written with a capital inside the text, the subject left out."""
    is_negated: bool = False
    is_hedged: bool = False
    is_changed: bool = False
    """The words themselves tell that something is no longer as it was."""
    is_ended: bool = False
    """«no longer», «any more»."""
    is_bounded: bool = False
    """«used to», «formerly»."""
    is_additional: bool = False
    """«also», «another»: it stands beside the rest."""
    condition: frozenset[str] = frozenset()

    def says(self, name: str) -> bool:
        """Whether a cue of the language's ordinary list occurs."""
        return self.cues.has(name, self.text)


def gist_of(known: Known) -> Gist:
    """The gist of a claim's text."""
    return read(known.text, known.subject)


@lru_cache(maxsize=8_192)
def read(text: str, subject: str = "") -> Gist:
    """A text as decisions compare it; `subject` tells nothing of the matter when it is a name."""
    plain = plain_text(text)
    language = language_of(plain)
    cues, changes = cues_of(language), change_cues(language)
    about = _stems(subject) if subject[:1].isupper() else frozenset()
    matter = _without_kin(plain, subject, changes)
    ordered = tuple(stem(word) for word in content_tokens(matter, language))
    dull = frozenset(stem(word) for word in changes.dull)
    return Gist(
        text=plain,
        language=language,
        cues=cues,
        changes=changes,
        words=tuple(word for word in tokens(_without_fillers(plain, changes)) if word not in changes.fillers),
        ordered=ordered,
        content=frozenset(ordered) - about - dull,
        values=frozenset(word for word in tokens(plain) if is_value(word)),
        names=frozenset(stem(word) for match in NAME.finditer(matter) for word in tokens(match.group()))
        - about,
        is_negated=cues.has("negation", plain),
        is_hedged=cues.has("hedge", plain),
        is_changed=changes.change.search(plain) is not None,
        is_ended=changes.ended.search(plain) is not None,
        is_bounded=changes.bounded.search(plain) is not None,
        is_additional=changes.additive.search(plain) is not None,
        condition=_condition(plain, cues),
    )


def plain_text(text: str) -> str:
    """A text without the name of who says it, contractions, and its stop."""
    quoted = QUOTED_PREFIX.match(text)
    bare = quoted.group("words") if quoted else SPEAKER_PREFIX.sub("", text, count=1)
    bare = bare.replace("’", "'").strip().strip(" ¡¿").rstrip(" .!…。！")
    for contracted, opened in CONTRACTIONS:
        bare = contracted.sub(opened, bare)
    return bare


def content_tokens(text: str, language: str) -> list[str]:
    """Words that carry meaning, in order; of Chinese the pairs of characters without particles."""
    cues, changes = cues_of(language), change_cues(language)
    if language == "zh":
        text = _without_particles(text, changes)
    return [word for word in tokens(text) if word not in cues.function_words and not is_value(word)]


def is_event(known: Known) -> bool:
    """Something that happened at its time: another time is another event, not a new value."""
    gist = gist_of(known)
    is_state = gist.says("standing") or gist.says("identity") or _is_perfect(gist)
    is_past = gist.says("past") and not gist.says("future")
    return known.kind == "episodic" and is_past and not is_state


def are_apart_in_time(first: Known, second: Known) -> bool:
    """Whether both have a first and a last day and share none."""
    if not (first.happened_from and first.happened_until and second.happened_from and second.happened_until):
        return False
    return first.happened_until < second.happened_from or second.happened_until < first.happened_from


def _is_perfect(gist: Gist) -> bool:
    words = set(gist.words)
    return bool(words & {"has", "have"}) and bool(words & {"for", "since"})


def _without_kin(text: str, subject: str, changes: ChangeCues) -> str:
    """«Alice's friend Anna lives …» about Anna is «Anna lives …»."""
    if not subject[:1].isupper():
        return text
    led = re.compile(rf"^\S+'s (?:\w+ )?{changes.kin.pattern} (?={re.escape(subject)}\b)", re.IGNORECASE)
    return led.sub("", text, count=1)


def _without_fillers(text: str, changes: ChangeCues) -> str:
    return _without_particles(text, changes, of_fillers=True) if CHINESE.search(text) else text


def _without_particles(text: str, changes: ChangeCues, *, of_fillers: bool = False) -> str:
    """Chinese without particles, the longest first: they would spoil the pairs of characters."""
    particles = changes.fillers if of_fillers else changes.fillers | changes.dull
    cut = "|".join(sorted(map(re.escape, particles), key=len, reverse=True))
    return re.sub(cut, "", text) if cut else text


def _condition(text: str, cues: Cues) -> frozenset[str]:
    """Content of a leading condition: «when you review code, …»."""
    if not cues.has("condition", text) or not re.search(r"[,，]", text):
        return frozenset()
    return _stems(re.split(r"[,，]", text, maxsplit=1)[0])


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(text))
