"""Which matter a claim belongs to: an undertaking it names, a theme, or what was being spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory.cascade.contract import TITLE_LIMIT, AtomKind
from memory.llm.offline.lexicon import Matter, cues_of, matters
from memory.llm.offline.themes import FAINT_POINTS, POINTS_NEEDED, best_theme
from memory.llm.offline.wording import GENERIC_NAME
from memory.llm.offline.words import stem, tokens

SEPARATION = re.compile(
    r"^(?:(?:this|that|the following|it)(?:'s| is)? )?(?:quite |completely |entirely |something )?"
    r"(?:(?:separate|different|unrelated|independent|not related)(?:ly)?(?: from| to| of) [^:,;.]{1,60}"
    r"|not about [^:,;.]{1,60}|separate|unrelated)\s*[:;,.]\s*(?:but )?"
    r"|^(?:apart|aside) from [^:,;.]{1,60}:\s*"
    r"|^(?:on (?:an?|another) (?:(?:separate|different|unrelated|other) )?(?:note|topic|matter|subject)"
    r"|separately|new topic|changing (?:the )?(?:topic|subject)|different (?:topic|subject))\s*[:,.]\s*",
    re.IGNORECASE,
)
PHRASE = re.compile(
    r"(?:\b(?P<article>the|our|my|a|an|this|new|their|\w+'s)\s+)?(?P<words>(?:[\w-]+\s+(?:and\s+(?=[\w-]+\s))?){1,4})$",
    re.IGNORECASE,
)
ARTICLE = re.compile(r"the|our|my|an?|this|new|their|\w+['’]s", re.IGNORECASE)
VERB_LIKE = frozenset({"move", "launch", "rewrite", "upgrade", "audit", "refactor"})
WORKING_WITH = "working with {person}"
ABOUT = "about {person}"


@dataclass(frozen=True, slots=True)
class Hint:
    """What the words say about the matter, before it is compared with topics that exist."""

    named: str = ""
    """An undertaking named in the clause itself."""
    belongs: frozenset[str] = frozenset()
    """Stems of modifiers of a noun that belongs to an undertaking: «billing» of «the billing database»."""
    theme: str = ""
    running: str = ""
    """The undertaking spoken of earlier in the same message."""
    earlier: str = ""
    """The undertaking spoken of in the turns just before."""
    is_separate: bool = False
    fallback: str = ""


def without_separation(sentence: str) -> tuple[str, bool]:
    """The sentence after «This is separate from X:», and whether it said so."""
    rest = SEPARATION.sub("", sentence, count=1)
    return rest, rest != sentence


def named_undertaking(text: str) -> str:
    """The undertaking a text names («office move», «UI design guidelines»), else empty."""
    lexicon = matters()
    for head in lexicon.strong_head.finditer(text):
        before = text[: head.start()]
        modifiers = _modifiers(before)
        if modifiers and (head.group().lower() not in VERB_LIKE or _is_noun_phrase(before, len(modifiers))):
            phrase = " ".join([*modifiers, head.group()])
            shared = _shared_theme(phrase)
            return shared.name if shared else phrase
    return ""


def modifiers_of_parts(text: str) -> frozenset[str]:
    """Stems of what stands before a noun that belongs to an undertaking."""
    found: set[str] = set()
    for head in (*matters().weak_head.finditer(text), *matters().strong_head.finditer(text)):
        found.update(stem(word.lower()) for word in _modifiers(text[: head.start()]))
    return frozenset(found)


def theme_of(text: str, person: str, *, is_faint_enough: bool = False) -> str:
    """The theme that a text speaks of, as a topic of the person; empty when it names none clearly.

    With `is_faint_enough` a single word that turns up in other talk too decides.
    """
    theme = best_theme(text, FAINT_POINTS if is_faint_enough else POINTS_NEEDED)
    return theme.name.format(person=_in_phrase(person)) if theme else ""


def chosen_topic(hint: Hint, kind: AtomKind, clause: str, person: str, known: Iterable[str]) -> str:
    """The topic of a claim, an existing one where the words fit it."""
    topics = sorted(set(known))
    english = cues_of("en")
    if hint.named:
        return _existing(hint.named, topics, hint.is_separate) or hint.named
    part = _owner_of_part(hint.belongs, [*([hint.running] if hint.running else []), *topics, hint.earlier])
    if part and not hint.is_separate:
        return part
    if kind != "episodic" and english.has("working_style", clause) and not hint.running:
        return WORKING_WITH.format(person=_in_phrase(person))
    if hint.running:
        return _existing(hint.running, topics, hint.is_separate) or hint.running
    return _without_name(hint, kind, person, topics)


def _in_phrase(person: str) -> str:
    return person.lower() if person == GENERIC_NAME else person


def _without_name(hint: Hint, kind: AtomKind, person: str, topics: list[str]) -> str:
    if hint.theme:
        return hint.theme
    if hint.earlier and kind != "persona":
        return _existing(hint.earlier, topics, False) or hint.earlier
    if kind == "instruction" and not matters().weak_head.search(hint.fallback):
        return WORKING_WITH.format(person=_in_phrase(person))
    return (hint.fallback or ABOUT.format(person=_in_phrase(person)))[:TITLE_LIMIT]


def distinctive(topic: str) -> frozenset[str]:
    """Stems of a topic that tell it from others: no heads, no plain modifiers, no function words."""
    lexicon = matters()
    dull = lexicon.plain_modifiers | cues_of("en").function_words | lexicon.heads
    return frozenset(stem(word) for word in tokens(topic) if word not in dull)


def is_undertaking(topic: str) -> bool:
    """Whether a topic is a piece of shared work, not a person's own theme."""
    return "'s " not in topic and not topic.startswith(("working with ", "about "))


def names_strong_head(topic: str) -> bool:
    """Whether a topic names an undertaking itself («office move»), not just a thing («office»)."""
    return matters().strong_head.search(topic) is not None


def _existing(name: str, topics: list[str], is_separate: bool) -> str:
    own = distinctive(name)
    fits = [topic for topic in topics if topic.casefold() == name.casefold()]
    if not fits and not is_separate:
        fits = [topic for topic in topics if is_undertaking(topic) and _same_undertaking(own, name, topic)]
    return fits[0] if fits else ""


def _same_undertaking(own: frozenset[str], name: str, topic: str) -> bool:
    theirs = distinctive(topic)
    same_head = tokens(name)[-1:] == tokens(topic)[-1:]
    return (
        bool(own and theirs)
        and (own <= theirs or theirs <= own)
        and (same_head or own == theirs or len(own & theirs) > 1)
    )


def _owner_of_part(belongs: frozenset[str], topics: list[str]) -> str:
    scored = [
        (len(belongs & distinctive(topic)), topic) for topic in topics if topic and is_undertaking(topic)
    ]
    best = max(scored, key=lambda pair: pair[0], default=(0, ""))
    return best[1] if best[0] else ""


def _modifiers(before: str) -> list[str]:
    """The words of a noun phrase just before its head, acronyms kept as written."""
    match = PHRASE.search(before)
    if match is None or not before.endswith((" ", "\t")):
        return []
    dull = cues_of("en").function_words | matters().plain_modifiers | {"and"}
    kept: list[str] = []
    for place, word in _backwards(match):
        if word.lower() in dull and not (word.lower() == "and" and kept):
            break
        is_named = _is_name(word) or (place > 0 and word[:1].isupper())
        kept.append(word if is_named else word.lower())
    while kept and kept[-1] == "and":
        kept.pop()
    return kept[::-1]


def _backwards(phrase: re.Match[str]) -> list[tuple[int, str]]:
    """The words of a phrase, the last first, each with its place in the text."""
    first = phrase.start("words")
    found = re.finditer(r"\S+", phrase.group("words"))
    return [(first + word.start(), word.group()) for word in found][::-1]


def _is_noun_phrase(before: str, modifiers: int) -> bool:
    """Whether an article stands before the modifiers, or nothing does."""
    words = before.split()[:-modifiers]
    return not words or ARTICLE.fullmatch(words[-1]) is not None


def _is_name(word: str) -> bool:
    return sum(letter.isupper() for letter in word) > 1 or any(letter.isdigit() for letter in word)


def _shared_theme(phrase: str) -> Matter | None:
    """The shared theme that is an undertaking by its name: «UX guidelines» are «UI design guidelines»."""
    return next(
        (
            theme
            for theme in matters().themes
            if theme.is_shared and names_strong_head(theme.name) and theme.words.search(phrase)
        ),
        None,
    )
