"""Whom or what a clause is about, and whom its speaker means by «we»."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.llm.offline.lexicon import cues_of, matters
from memory.llm.offline.referents import KIN, leading_noun
from memory.llm.offline.wording import Voice, possessive

RELATIVE = re.compile(rf"^(?:my|our) (?P<who>(?:\w+ )?(?:{KIN}))(?: (?P<name>(?-i:[A-Z])\w+))?\b", re.I)
NAMED = re.compile(
    r"^(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)\s+"
    r"(?:is|was|has|had|will|can|\w+s|\w+ed|\w+t|went|came|said|told|knows?)\b"
)
GROUPS = (
    (re.compile(r"\b(?:my|our|the) (?:family|fam|husband|wife|partner|spouse)\b", re.I), "family"),
    (
        re.compile(
            r"\b(?:(?:my|our) (?:kids|children|sons?|daughters?)|(?:with|took) the (?:kids|children))\b", re.I
        ),
        "the children",
    ),
    (re.compile(r"\b(?:my|our|some|the) (?:\w+ )?(?:friends?|buddies|gang|mates?)\b", re.I), "friends"),
    (re.compile(r"\b(?:my|our) (?:team|colleagues?|crew|company|band|class|club)\b", re.I), "the team"),
)
NOBODY = re.compile(
    r"^(?:nobody|no one|everybody|everyone|somebody|someone|anyone|nothing|everything|something)\b", re.I
)
WORK = re.compile(
    r"\b(?:customers?|clients?|sprint|users?|code|build|servers?|budget|contract|quarter|engineers?|vendor|backend|frontend)\b",
    re.I,
)


def voice_of(speaker: str, clause: str, before: str, *, addressee: str, is_peer_talk: bool) -> Voice:
    """The speaker and whom «we» stands for, from what the speaker said just before."""
    return replace(_group_of(speaker, clause, before, is_peer_talk=is_peer_talk), addressee=addressee)


def _group_of(speaker: str, clause: str, before: str, *, is_peer_talk: bool) -> Voice:
    lexicon = matters()
    is_work = any(
        pattern.search(clause) for pattern in (WORK, lexicon.strong_head, lexicon.weak_head)
    ) or any(theme.is_shared and theme.words.search(clause) for theme in lexicon.themes)
    if is_work and not is_peer_talk:
        return Voice(speaker, f"{possessive(speaker)} team")
    for pattern, group in GROUPS:
        if pattern.search(before) and not pattern.search(clause):
            return Voice(speaker, f"{speaker} and {group}")
    return Voice(speaker, f"{speaker} and others")


def subject_of(clause: str, speaker: str) -> str:
    """A friend's fact has the friend as subject; without a person it is the thing spoken of, if any."""
    relative = RELATIVE.match(clause)
    if relative:
        return relative.group("name") or f"{possessive(speaker)} {relative.group('who')}"
    named = NAMED.match(clause)
    is_name = (
        named is not None
        and NOBODY.match(clause) is None
        and named.group("name").lower() not in cues_of("en").function_words
    )
    if named and is_name and not cues_of("en").has("imperative", clause):
        return named.group("name")
    if cues_of("en").has("first_person", clause):
        return speaker
    return leading_noun(clause)
