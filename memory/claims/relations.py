"""Relations that a sentence states: pure rules over English texts, precision first.

A sentence gives one relation between two names or none. Whatever is denied, asked, planned, supposed,
reported or past gives none: a claim can be found by its words all the same, while a wrong edge misleads.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from memory.recall.terms import STOP_WORDS

NAME_LIMIT = 128
USER = "the user"


@dataclass(frozen=True, slots=True)
class Relation:
    """What a sentence says: one name, a predicate, another name."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class _Verb:
    """A way to state a relation; the words after it begin with the object."""

    predicate: str
    words: str
    takes_article: bool = True
    """Whether an article may stand before the object: `owns a Tesla`, but no `married to a Smith`."""


_ROLE = r"(?:as an? (?:[a-z-]+ ){1,4})?"
_VERBS = (
    _Verb("works_at", rf"(?:works|is working|has been working|is employed) {_ROLE}at"),
    _Verb("works_for", rf"(?:works|is working|has been working) {_ROLE}for", takes_article=False),
    _Verb("studies_at", r"(?:studies|is studying) (?:[a-z]+ )?at"),
    _Verb("lives_in", r"(?:(?:lives|is living|has been living|resides) in|is based in)", takes_article=False),
    _Verb("moved_to", r"(?:moved|relocated|emigrated|immigrated) (?:back )?to", takes_article=False),
    _Verb("born_in", r"(?:was|is) born in", takes_article=False),
    _Verb("married_to", r"(?:is|got|has been) (?:[a-z]+ly )?married to", takes_article=False),
    _Verb("engaged_to", r"(?:is|got) engaged to", takes_article=False),
    _Verb("friends_with", r"is (?:[a-z]+ )?friends with", takes_article=False),
    _Verb("reports_to", r"reports to", takes_article=False),
    _Verb("speaks", r"(?:speaks|is fluent in)", takes_article=False),
    _Verb("prefers", r"prefers"),
    _Verb("likes", r"(?:likes|loves|enjoys)"),
    _Verb("uses", r"(?:uses|is using)"),
    _Verb("owns", r"owns"),
    _Verb("manages", r"(?:manages|is managing)"),
    _Verb("leads", r"(?:leads|is leading)"),
    _Verb("founded", r"(?:founded|co-founded|cofounded)"),
    _Verb("part_of", r"is (?:a )?part of"),
    _Verb("belongs_to", r"belongs to"),
    _Verb("located_in", r"is (?:located|situated) in", takes_article=False),
    _Verb("depends_on", r"depends on"),
    _Verb("written_in", r"is written in", takes_article=False),
    _Verb("hosted_on", r"is hosted on", takes_article=False),
)
_ADVERB = r"(?:(?:currently|now|still|also|really|mainly|mostly|usually|always) )?"
_STATED = tuple(
    (
        verb,
        re.compile(
            rf"^(?P<subject>\S.{{0,{NAME_LIMIT}}}?) {_ADVERB}"
            rf"{verb.words} {'(?:the |an? )?' if verb.takes_article else ''}(?P<rest>\S.*)$"
        ),
    )
    for verb in _VERBS
)
_NAMED = re.compile(
    rf"^(?P<subject>\S.{{0,{NAME_LIMIT}}}?) (?:has|owns) an? (?P<relation>[a-z]+(?:[ -][a-z]+)?)"
    r"(?: who is)? (?:named|called) (?P<rest>\S.*)$"
)
_KIN = (
    r"(?:husband|wife|partner|spouse|fiancée?|girlfriend|boyfriend|mother|father|mom|mum|dad|sister|brother"
    r"|son|daughter|aunt|uncle|cousin|niece|nephew|grandmother|grandfather|boss|manager|best friend|dog|cat"
    r"|doctor)"
)
_POSSESSED = re.compile(
    rf"^(?P<subject>\S.{{0,{NAME_LIMIT}}}?)['’]s (?P<relation>{_KIN})"
    r"(?: is (?:named|called)|['’]s name is) (?P<rest>\S.*)$"
)

_NOT_STATED = frozenset(
    re.findall(
        r"\S+",
        """
        not no never nor neither without none nobody cannot hardly rarely barely seldom almost
        nearly anymore longer might may maybe perhaps possibly probably could would should shall
        will can must going wants want wanted wishes wish hopes hope hoped plans plan planned
        planning intends considering considers thinking tries trying if unless whether until till
        except instead but although though or and versus vs once formerly previously used ago said
        says told tells thinks believes heard claims claimed reportedly apparently allegedly
        supposedly rumored rumoured pretends imagines jokes joked dreams dreamed fictional wonders
        soon eventually tomorrow next stopped quit temporarily briefly ever before later someday
        """,
    )
)
"""Words that make of a statement a denial, a plan, a guess, hearsay, a past or two statements."""
_TRAILERS = frozenset(
    re.findall(
        r"\S+",
        """
        in at on for since as with from near to over because after during through via by under
        within where who which full part remotely fluently together now currently again daily every
        right rather more
        """,
    )
)
"""What may follow the object's name without being a part of it."""
_WITHIN_NAMES = frozenset(re.findall(r"\S+", "of the de la le du del von van der den & +"))
_PLACES = frozenset({"lives_in", "moved_to", "born_in", "located_in"})
"""Here a comma may stand within the name: `Berlin, Germany`."""
_CALENDAR = frozenset(
    re.findall(
        r"\S+",
        """
        monday tuesday wednesday thursday friday saturday sunday january february march april may
        june july august september october november december christmas easter thanksgiving halloween
        ramadan hanukkah diwali spring summer autumn fall winter i
        """,
    )
)
_PRONOUNS = frozenset(
    re.findall(
        r"\S+",
        """
        i he she it we they you this that these those who everyone everybody someone somebody nobody
        anyone nothing everything something one none all most many some
        """,
    )
)
_OPENERS = STOP_WORDS | _NOT_STATED | _CALENDAR | _PRONOUNS | {"today", "yesterday", "tonight", "lately"}
"""Capitalised at the beginning of a sentence, and yet no part of a name."""
_VERSION = re.compile(r"\d{1,2}(?:\.\d+)*$")
_SENTENCE_ENDS = re.compile(r"[.!]\s+\S")
_QUOTED = re.compile(r"[\"“”«»?:;()\[\]\n]")
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def read_relation(text: str, *, subject: str = "") -> Relation | None:
    """The one relation that a claim's text states, or None; `subject` is whom the claim is about.

    Names are as written, in NFC, with single spaces. The user of the memory is `the user`.
    """
    sentence = " ".join(unicodedata.normalize("NFC", text).split())
    if _QUOTED.search(sentence) or _SENTENCE_ENDS.search(_without_initials(sentence)):
        return None
    sentence = sentence.rstrip(".! ")
    for predicate, said_subject, rest in _readings(sentence):
        who = _subject_of(said_subject, subject)
        whom = _object_of(rest, takes_comma=predicate in _PLACES)
        if who and whom and who.casefold() != whom.casefold():
            return Relation(who, predicate, whom)
    return None


def _readings(sentence: str) -> Iterable[tuple[str, str, str]]:
    """Predicate, subject and the words from the object on, for every pattern that fits."""
    for verb, pattern in _STATED:
        if found := pattern.match(sentence):
            yield verb.predicate, found["subject"], found["rest"]
    for pattern in (_NAMED, _POSSESSED):
        if found := pattern.match(sentence):
            yield f"has_{re.sub('[ -]', '_', found['relation'])}", found["subject"], found["rest"]


def _without_initials(sentence: str) -> str:
    """`St. Louis`, `J. Smith` and `Mr. Smith` end no sentence."""
    return re.sub(r"\b(?:[A-Z]|St|Mr|Mrs|Ms|Dr|Prof|Mt|Ft)\.", "", sentence)


def _subject_of(said: str, subject: str) -> str:
    """The name that the sentence begins with, or nothing when it is not clear whose it is."""
    bare = _ARTICLE.sub("", said)
    known = _ARTICLE.sub("", subject.strip())
    if bare.casefold() == "user":
        return USER
    if bare.casefold() in _PRONOUNS or len(bare) > NAME_LIMIT:
        return ""
    if known and bare.casefold() == known.casefold():
        return known
    return bare if _is_unmistakable(bare) else ""


def _is_unmistakable(name: str) -> bool:
    """A name even at the beginning of a sentence: several capitalised words, or a capital or digit within."""
    words = name.split()
    if not all(_is_name_word(word) for word in words):
        return False
    opener = words[0].casefold()
    if opener in _OPENERS or opener.endswith(("ly", ",")):
        return False
    return len(words) > 1 or any(not character.islower() for character in words[0][1:] if character.isalnum())


def _object_of(rest: str, *, takes_comma: bool) -> str:
    """The name at the beginning of the rest of a sentence, when what follows leaves it alone."""
    words = rest.split(" ")
    count = _name_length(words, takes_comma=takes_comma)
    name = " ".join(words[:count])
    is_name = 0 < len(name) <= NAME_LIMIT and not name.endswith((",", "'s", "’s", "s'", "s’"))
    if not is_name or not _is_left_alone(words[count:]):
        return ""
    is_date = any(word.casefold() in _CALENDAR for word in _WORD.findall(name))
    return "" if is_date else name


def _name_length(words: list[str], *, takes_comma: bool) -> int:
    """How many words the name has; a comma ends it, but for the last word of all in a place."""
    length = 0
    for place, word in enumerate(words):
        if _is_name_word(word) or (length and _VERSION.match(word)):
            length = place + 1
            if word.endswith(",") and not (takes_comma and place + 2 == len(words)):
                break
        elif word not in _WITHIN_NAMES or not length:
            break
    return length


def _is_name_word(word: str) -> bool:
    """Written as a name: with a capital at its beginning or within."""
    bare = word.strip(",.")
    return bool(bare) and bare[0].isalnum() and any(character.isupper() for character in bare)


def _is_left_alone(after: list[str]) -> bool:
    """Whether the words after the object neither belong to it nor take the statement back."""
    words = [word for part in after for word in _WORD.findall(part)]
    if any(word in _NOT_STATED or word.endswith(("n't", "n’t")) for word in words):
        return False
    return not after or after[0] in _TRAILERS
