"""Scene titles that a person would give, made of topics and of nothing that the claims do not say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from memory.cascade.contract import TITLE_LIMIT
from memory.llm.offline.lexicon import matters
from memory.llm.offline.themes import area_of, theme_order
from memory.llm.offline.words import tokens

SMALL_WORDS = frozenset({"and", "or", "of", "for", "the", "a", "an", "in", "on", "to", "with", "at", "by"})
THEMES_SHOWN, AREAS_SHOWN = 3, 2
SHARE_SHOWN = 0.2
"""A theme is named when so much of the scene is about it,"""
SHARE_NEEDED = 0.6
"""and the names must cover so much of the scene."""
MANY_MATTERS = "everyday life"
WITHOUT_NAME = {"working with": "Working agreements", "about": "Personal notes"}


def title_of(topic: str) -> str:
    """«billing API migration» is «Billing API Migration»; a person's theme keeps its lower case."""
    words = topic.split()
    if not words:
        return "Notes"
    if "'s " in topic or words[0] in {"working", "about"}:
        return f"{topic[:1].upper()}{topic[1:]}"[:TITLE_LIMIT]
    return " ".join(_titled(word, index) for index, word in enumerate(words))[:TITLE_LIMIT]


def particulars(texts: Iterable[str]) -> frozenset[str]:
    """The words of some texts, by which names and numbers of a title are checked."""
    return frozenset(word.removesuffix("'s") for text in texts for word in tokens(text))


def grounded_title(topic: str, said: Collection[str]) -> str:
    """The title of one topic without the names and numbers that are not said (see `particulars`)."""
    kept = [word for word in topic.split() if not _is_particular(word) or particulars([word]) <= set(said)]
    bare = " ".join(kept)
    return WITHOUT_NAME.get(bare) or title_of(bare)


def owner_of(topic: str) -> str:
    """Whose theme a topic is («Ann» of «Ann's music»); empty for everything that is not one."""
    return topic.partition("'s ")[0] if area_of(theme_name(topic)) else ""


def theme_name(topic: str) -> str:
    """«music» of «Ann's music»."""
    return topic.partition("'s ")[2]


def personal_title(counts: Mapping[str, int], said: Collection[str]) -> str:
    """What a person would write on a folder of themes (topic, number of claims) of one or more people.

    The themes that make up most of it are named, else their areas. A person that is not said stays unnamed.
    """
    owners = sorted({owner_of(topic) for topic in counts})
    listed = _listed(_foremost(counts))
    known = [owner for owner in owners if particulars([owner]) <= set(said)]
    if len(known) == len(owners) == 1:
        listed = f"{owners[0]}'s {listed}"
    elif known == owners:
        listed = f"{listed} of {_listed(owners)}"
    return f"{listed[:1].upper()}{listed[1:]}"[:TITLE_LIMIT]


def is_personal_title(title: str, owners: Iterable[str]) -> bool:
    """Whether `personal_title` could have made a title, for whatever numbers of claims."""
    who = "|".join(map(re.escape, sorted(owners)))
    pattern = rf"(?:(?:{who})'s )?{_any_names()}(?: of (?:(?:{who})(?:, | and |$))+)?"
    return re.fullmatch(pattern, title, re.IGNORECASE) is not None


def joined_title(larger: str, smaller: str) -> str:
    """The title of two merged undertakings: both, where that is short, else the larger one's."""
    joined = f"{larger} and {smaller}"
    is_short = len(joined) <= TITLE_LIMIT and " and " not in larger and " and " not in smaller
    return joined if is_short else larger


def _foremost(counts: Mapping[str, int]) -> Sequence[str]:
    """The themes that cover most of the claims, else the areas that do, else one name for all."""
    themes: Counter[str] = Counter()
    areas: Counter[str] = Counter()
    for topic, count in counts.items():
        themes[theme_name(topic)] += count
        areas[matters().areas[area_of(theme_name(topic))]] += count
    named = _covering(themes, THEMES_SHOWN)
    return named or _covering(areas, AREAS_SHOWN) or [MANY_MATTERS]


def _covering(counts: Counter[str], most: int) -> Sequence[str]:
    total = counts.total()
    ranked = sorted(counts, key=lambda name: (-counts[name], theme_order(name), name))
    named = [name for name in ranked if counts[name] >= SHARE_SHOWN * total][:most]
    is_enough = sum(counts[name] for name in named) >= SHARE_NEEDED * total
    # In an order of their own: which one has more claims changes from day to day.
    return sorted(named, key=lambda name: (theme_order(name), name)) if is_enough else []


@cache
def _any_names() -> str:
    themes = [theme_name(theme.name) for theme in matters().themes if theme.area]
    names = sorted((*themes, *matters().areas.values(), MANY_MATTERS), key=lambda name: -len(name))
    either = "|".join(map(re.escape, names))
    return rf"(?:(?:{either})(?:, | and ))*(?:{either})"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _is_particular(word: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in word)


def _titled(word: str, index: int) -> str:
    if any(letter.isupper() for letter in word) or (index and word in SMALL_WORDS):
        return word
    return word.upper() if word in {"ui", "ux", "api"} else word[:1].upper() + word[1:]
