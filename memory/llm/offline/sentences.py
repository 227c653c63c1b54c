"""Text into sentences, sentences into clauses that can stand alone."""

from __future__ import annotations

import re

from memory.llm.offline.lexicon import Cues, Verbs, cues_of, english_verbs, language_of
from memory.llm.offline.pasted import own_words
from memory.llm.offline.words import tokens

ABBREVIATIONS = frozenset(
    "e.g i.e mr mrs ms dr prof st vs etc approx inc ltd corp jr sr a.m p.m "  # noqa: SIM905 - a list of words
    "z.b bzw ca usw evtl nr abb fig".split()
)
BREAK = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)\]])\s+|(?<=[。！？])|\n+")
GERMAN_MONTH = re.compile(rf"(?:{'|'.join(cues_of('de').months)})\b", re.IGNORECASE)
PICTURES = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+")
CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
LONG_SENTENCE, READABLE_SENTENCE = 600, 1_200
"""Characters: above the first a sentence is cut wherever it may be, above the second a piece is not read."""
LONG_CUT = re.compile(r"[,;:]\s+|\s+(?:and|but)\s+(?=(?:I|my|we|our)\b)")
OPEN_END = re.compile(r"(?:\b(?:\w\.){2,}|[.!?][\"'”’)]+)$")
LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
SPOKEN = (
    (re.compile(r"(?<![\w.'])i(?=\s|'(?:m|ve|ll|d)\b)"), "I"),
    (re.compile(r"\bwanna\b", re.I), "want to"),
    (re.compile(r"\bgonna\b", re.I), "going to"),
    (re.compile(r"\bgotta\b", re.I), "have to"),
    (re.compile(r"\bya\b", re.I), "you"),
    (re.compile(r"(?<!\w)'(?:cause|cuz)\b|\bcuz\b"), "because"),
    (re.compile(r"\b(I(?:'ve|'m| am| have| was)?) (?:actually )?just\b"), r"\1"),
)
JOINT = re.compile(
    r"\s*(?:[;；]|\s[—–-]+\s|—|--+)\s*|,?\s+but\s+(?:also\s+)?|,\s*(?:and|so|yet|while)\s+|"
    r"(?<!anymore)(?<!any more),\s+(?=(?:I|I'm|I've|I'd|we)\s)|\s+and\s+(?=(?:I|we|my|our)\b)"
)
NEW_SUBJECT = re.compile(
    r"^(?i:(?:so|also|now|then|that)\s+)?(?:(?i:i|i'm|i've|i'll|i'd|we|we're|we've|we'll|he|she|they|it|"
    r"it's|there|the|a|an|"
    r"my|our|your|his|her|their|this|that|each|every|all|some|many|most|both|no one|nobody)|[A-Z][\w-]+)\b"
)
PERSON_FIRST = re.compile(r"^(?:i|we|he|she|they)\b", re.IGNORECASE)
ALWAYS_FIRST = re.compile(r"^(?:so\s+)?(?:always|never)\b", re.IGNORECASE)
NEW_COMMAND = re.compile(
    r"^(?:so\s+)?(?:please\s+\w+|(?:please\s+)?(?:always|never|do not|don't|avoid))\b", re.IGNORECASE
)


def sentences(text: str) -> list[str]:
    """Sentences in order, without pictographs, code, what was pasted or quoted, and list marks."""
    plain = PICTURES.sub(" ", QUOTED_LINE.sub("", own_words(CODE.sub("\n", text)))).replace("’", "'")
    for spoken, written in SPOKEN if language_of(plain) == "en" else ():
        plain = spoken.sub(written, plain)
    found: list[str] = []
    for raw in BREAK.split(plain):
        piece = LIST_MARK.sub("", raw).strip()
        if found and piece and (_is_open(found[-1], piece) or _is_written_day(found[-1], piece)):
            found[-1] = f"{found[-1]} {piece}"
        elif piece:
            found.append(piece)
    return [piece for sentence in found for piece in _readable_pieces(sentence)]


def _readable_pieces(sentence: str) -> list[str]:
    if len(sentence) <= LONG_SENTENCE:
        return [sentence]
    return [
        piece.strip() for piece in LONG_CUT.split(sentence) if 0 < len(piece.strip()) <= READABLE_SENTENCE
    ]


def clauses(sentence: str, cues: Cues) -> list[str]:
    """Parts of a sentence that have their own subject and verb; the whole sentence when it cannot be cut."""
    if cues.language != "en":
        return [sentence]
    parts: list[str] = []
    start = 0
    for joint in JOINT.finditer(sentence):
        rest = sentence[joint.end() :]
        left = sentence[start : joint.start()]
        if _stands_alone(left) and _can_start(rest, left, joint.group()) and not _is_bound(left):
            parts.append(left)
            start = joint.end()
    parts.append(sentence[start:])
    return [part.strip(" ,;—–-") for part in parts if part.strip(" ,;—–-")]


def has_verb(text: str) -> bool:
    """Whether English words hold a finite verb, as far as word forms tell."""
    verbs = english_verbs()
    return any(_is_verb(word, verbs) for word in tokens(text))


def _is_verb(word: str, verbs: Verbs) -> bool:
    bare = word.partition("'")[0]
    return (
        verbs.is_base(word)
        or word in verbs.past
        or word in verbs.copulas
        or (
            "'" in word
            and word.partition("'")[2] in {"m", "re", "ve", "ll", "d", "s"}
            and bare in {"i", "we", "you", "they", "he", "she", "it", "that", "there"}
        )
        or any(word.endswith(end) and verbs.is_base(word.removesuffix(end)) for end in ("s", "es", "ed", "d"))
        or (word.endswith("ies") and verbs.is_base(word.removesuffix("ies") + "y"))
        or (len(word) > 4 and word.endswith("ed"))
    )


def _stands_alone(part: str) -> bool:
    return len(tokens(part)) + ("'" in part) >= 3 and has_verb(part)


def _can_start(rest: str, left: str, joint: str) -> bool:
    """Whether a new statement starts; «I always …, and never …» goes on, «I am …, so never …» does not.

    «never npm» commands nothing: it goes on with what is used.
    """
    head = re.split(r"[,;—–]", rest, maxsplit=1)[0]
    if (
        NEW_COMMAND.match(rest)
        and not (ALWAYS_FIRST.match(rest) and not has_verb(head))
        and (not PERSON_FIRST.match(left) or "so" in joint.lower().split())
    ):
        return True
    return NEW_SUBJECT.match(rest) is not None and len(tokens(head)) >= 3 and has_verb(head)


def _is_bound(left: str) -> bool:
    """A condition or an unfinished relation must keep what follows it."""
    return (
        re.match(
            r"^(?:when|if|while|once|whenever|as|after|before|although|though|because|since|unless|suppose|imagine|"
            r"pretend|assume|let's say)\b",
            left,
            re.I,
        )
        is not None
    )


def _is_written_day(piece: str, following: str) -> bool:
    """«am 5. Oktober» holds no end of a sentence."""
    return re.search(r"(?<!\d)\d{1,2}\.$", piece) is not None and GERMAN_MONTH.match(following) is not None


def _is_open(piece: str, following: str) -> bool:
    """Whether a piece ends in an abbreviation, an initial or a quotation that the sentence goes on behind."""
    if following[0].islower() and OPEN_END.search(piece):
        return True
    last = piece.split()[-1].lower().lstrip("(\"'") if piece.endswith(".") else ""
    bare = last.rstrip(".")
    return bool(last) and (bare in ABBREVIATIONS or (len(bare) == 1 and bare.isalpha() and bare != "i"))
