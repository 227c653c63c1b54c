"""English in the third person: «I prefer» becomes «Alice prefers», with the rest of the sentence kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.llm.offline.lexicon import Verbs, english_verbs

GENERIC_SPEAKERS = frozenset({"", "user", "human", "me", "customer", "client", "you", "person", "speaker"})
GENERIC_NAME = "The user"
PIECE = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|\W+|_+")
QUOTATION_MARKS = '"“”„«»'
NOT = {"don't": "does not", "haven't": "has not", "won't": "will not", "can't": "cannot", "didn't": "did not"}
CONTRACTED = {"'m": "is", "'ve": "has", "'ll": "will", "'d": "would"}
GROUP_CONTRACTED = {"'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
SINGULAR = {"am": "is", "have": "has", "do": "does", "'m": "is"}
UNCHANGED = frozenset({"was", "is", "has", "does", "were"})
AFTER_COORDINATION = re.compile(
    r"^\s+(?:to|for|as|with|in|on|at|the|a|an|my|our|their|his|her|that|it|them|about|from|every|most|all|so|very|not|\w+ing)\b|^\s*[.,!]?$"
)
PREPOSITIONS = frozenset({"to", "for", "with", "of", "about", "from", "by", "on", "at", "in"})
SAME_IN_PAST = frozenset({"read", "put", "cut", "let", "set", "shut", "spread", "bet"})
ONE_THING = re.compile(r"\s+(?:the|a|an|this|that|my|his|her|their|some|it|up|down|together)\b")
FREQUENT = re.compile(r"\b(?:every|each|always|often|daily|weekly|usually|sometimes|a lot|on \w+days)\b")
OTHER_SUBJECT = re.compile(
    r"\b(?:to|they|you|he|she|we|i|who|that|which|when|if|can|will|must|should|let|help)\b"
)
JOINED = re.compile(
    r"\b(?:and|or|but)\s+(?:(?:still|also|never|always|often|now|just|sometimes|usually|even)\s+)?$"
)


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks and whom «we» means."""

    name: str
    group: str
    """For example `Alice's team` or `Melanie and family`; takes a plural verb."""
    addressee: str = ""
    """Whom «you» means; empty when nobody knows."""


def speaker_name(speaker: str) -> str:
    """The name to write for «I»; generic speakers become «The user»."""
    bare = " ".join(speaker.split())
    return GENERIC_NAME if bare.lower() in GENERIC_SPEAKERS else bare


def possessive(name: str) -> str:
    """«Alice's», «James's»."""
    return f"{name}'s"


def third_person(clause: str, voice: Voice) -> str:
    """The clause with first-person words replaced and verbs made to agree; quoted words stay as they are."""
    return _Rewriter(clause, voice).written()


class _Rewriter:
    """One pass over the words of a clause; remembers whether the name already stands in it."""

    def __init__(self, clause: str, voice: Voice) -> None:
        self.pieces: list[str] = PIECE.findall(clause)
        self.voice = voice
        self.verbs: Verbs = english_verbs()
        self.is_named = False
        self.is_group_named = False
        self.last_conjugated = -10

    def written(self) -> str:
        is_quoted = False
        for index, piece in enumerate(self.pieces):
            if sum(piece.count(mark) for mark in QUOTATION_MARKS) % 2:
                is_quoted = not is_quoted
            elif not is_quoted:
                self._rewrite(index)
        text = "".join(self.pieces)
        return text[:1].upper() + text[1:]

    def _rewrite(self, index: int) -> None:
        word = self.pieces[index]
        lower = word.lower()
        head, mark, tail = lower.partition("'")
        if head == "i" and (word[:1] == "I" or index == 0):
            self._subject(index, mark + tail)
        elif head == "we":
            self._group_subject(index, mark + tail)
        elif lower in {"me", "us"}:
            self.pieces[index] = self._named("me") if lower == "me" else self._group_object(index)
        elif lower in {"my", "our"}:
            self._owner(index, lower)
        elif lower in {"mine", "ours"}:
            self.pieces[index] = possessive(self._name(index))
        elif lower in {"myself", "ourselves"}:
            self.pieces[index] = "themselves"
        elif self.voice.addressee and head in {"you", "u"}:
            self._addressed(index, mark + tail)
        elif self.voice.addressee and lower in {"your", "yours", "yourself"}:
            name = self.voice.addressee
            self.pieces[index] = "themselves" if lower == "yourself" else possessive(name)
        elif lower in self.verbs.base and self._is_coordinated(index):
            self.pieces[index] = third_form(word)

    def _name(self, index: int) -> str:
        """The name; «The user» keeps its capital only at the start."""
        name = self.voice.name
        return name if index == 0 or name != GENERIC_NAME else name.lower()

    def _named(self, _word: str) -> str:
        self.is_named = True
        return self._name(1)

    def _subject(self, index: int, contraction: str) -> None:
        self.pieces[index] = self._name(index)
        self.is_named = True
        if self._is_second_of_pair(index):
            return
        if contraction:
            self.pieces[index] += " " + self._opened(contraction, index)
            self.last_conjugated = index
            return
        verb = self._next_verb(index)
        if verb is not None and not self._is_told_once(verb):
            self.pieces[verb] = self._agreeing(self.pieces[verb])
            self.last_conjugated = verb

    def _is_told_once(self, verb: int) -> bool:
        """«I read the novel» is past, «I read every day» is not: forms that are the same in both."""
        rest = "".join(self.pieces[verb + 1 :]).lower()
        is_open = self.pieces[verb].lower() in SAME_IN_PAST and ONE_THING.match(rest) is not None
        return is_open and FREQUENT.search(rest) is None

    def _addressed(self, index: int, contraction: str) -> None:
        """«you» as the other's name; its verb agrees unless «you» is an object («help you grow»)."""
        self.pieces[index] = self.voice.addressee
        if contraction:
            opened = {"'re": "is", "'ve": "has", "'ll": "will"}.get(contraction) or self._opened(
                contraction, index
            )
            self.pieces[index] += " " + opened
            return
        before = self.pieces[index - 2].lower() if index > 1 else ""
        is_object = self.verbs.is_base(before) or before in PREPOSITIONS
        verb = self._next_verb(index)
        if verb is not None and not is_object:
            word = self.pieces[verb]
            self.pieces[verb] = {"are": "is", "were": "was"}.get(word.lower()) or self._agreeing(word)

    def _is_second_of_pair(self, index: int) -> bool:
        """«my wife and I»: a plural subject, so the verb stays as it is."""
        before = [piece.lower() for piece in self.pieces[:index]]
        known = self.verbs.base | self.verbs.past | self.verbs.copulas
        return before[-2:-1] in (["and"], ["or"]) and not any(
            word in known
            or (word.endswith(("ed", "es", "'s")) and not word.startswith(self.voice.name.lower()))
            for piece in before
            for word in piece.split()
        )

    def _opened(self, contraction: str, index: int) -> str:
        """«I'd been» is «had», «I'd go» is «would»; «I've got» stays perfect."""
        following = self.pieces[index + 2].lower() if index + 2 < len(self.pieces) else ""
        if contraction == "'d" and (following == "better" or following.endswith("ed") or following == "been"):
            return "had"
        return CONTRACTED.get(contraction, "is")

    def _next_verb(self, index: int) -> int | None:
        position = index + 2
        while position < len(self.pieces) and self.pieces[position].lower() in self.verbs.adverbs:
            position += 2
        return position if position < len(self.pieces) else None

    def _agreeing(self, verb: str) -> str:
        lower = verb.lower()
        if lower in NOT:
            return NOT[lower]
        if lower in SINGULAR:
            return SINGULAR[lower]
        is_past = lower in self.verbs.past or lower in UNCHANGED or "'" in lower
        return third_form(verb) if self.verbs.is_base(lower) and not is_past else verb

    def _is_coordinated(self, index: int) -> bool:
        """A bare verb after «and» that shares the subject just made singular: «runs and swims»."""
        if index < 4 or self.last_conjugated < 0:
            return False
        between = "".join(self.pieces[self.last_conjugated + 1 : index]).lower()
        rest = "".join(self.pieces[index + 1 :])
        if self._is_listed(index, between, rest):
            self.last_conjugated = index
            return True
        first = self.pieces[self.last_conjugated].lower().split()[-1]
        is_present = (
            first.endswith("s") and first not in {"was", "does"} and not OTHER_SUBJECT.search(between)
        )
        is_joined = JOINED.search(between) is not None
        return is_joined and is_present and AFTER_COORDINATION.match(rest) is not None

    def _is_listed(self, index: int, between: str, rest: str) -> bool:
        """«runs, swims and cycles»: a bare verb right behind one that agrees, with «and» still to come."""
        first = self.pieces[self.last_conjugated].lower()
        is_simple = first.endswith("s") and first not in {"is", "has", "was", "does"}
        return is_simple and between == ", " and re.match(r"(?:,\s*\w+)*,?\s+and\s+\w+", rest) is not None

    def _group_subject(self, index: int, contraction: str) -> None:
        group = self.voice.group
        self.pieces[index] = (
            group if index == 0 or not group.startswith(GENERIC_NAME) else group[0].lower() + group[1:]
        )
        self.is_named = self.is_group_named = True
        is_singular = group.endswith("'s team")
        if contraction:
            endings = CONTRACTED if is_singular else GROUP_CONTRACTED
            self.pieces[index] += " " + endings.get(contraction, "is" if is_singular else "are")
            return
        verb = self._next_verb(index)
        if is_singular and verb is not None:
            self.pieces[verb] = {"are": "is", "were": "was"}.get(self.pieces[verb]) or self._agreeing(
                self.pieces[verb]
            )
            self.last_conjugated = verb

    def _group_object(self, index: int) -> str:
        if self.is_group_named:
            return "them"
        self.is_group_named = True
        group = self.voice.group
        return group if not group.startswith(GENERIC_NAME) else group[0].lower() + group[1:]

    def _owner(self, index: int, word: str) -> None:
        """«my» after the name reads «their»; «our» belongs to the group when the group is the subject."""
        is_own = self.is_group_named if word == "our" else self.is_named and not self.is_group_named
        self.pieces[index] = "their" if is_own else possessive(self._name(index))
        if not is_own:
            self.is_named = self.is_named or (word == "my" and index > 0)


def third_form(verb: str) -> str:
    """Third person singular of a base form."""
    lower = verb.lower()
    if lower == "be":
        return "is"
    if lower == "have":
        return "has"
    if lower.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if lower.endswith("y") and lower[-2:-1] not in {"a", "e", "i", "o", "u"}:
        return verb[:-1] + "ies"
    return verb + "s"
