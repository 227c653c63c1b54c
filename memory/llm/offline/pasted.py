"""Words that a message holds and its author did not say: pasted mails, texts to be worked on, other roles."""

from __future__ import annotations

import re

_TEXT = (
    r"(?:e-?mails?|messages?|letters?|texts?|articles?|transcripts?|documents?|read ?me|pages?|posts?|"
    r"reviews?|prompts?|poems?|paragraphs?|replies|reply|logs?|tickets?|output|quotes?|sentences?)"
)
_WORK = r"(?:edit|correct|fix|improve|classify|analy[sz]e|review|explain|check)"
_WORDS = r"[^:.!?\n]"
_ASKED = (
    rf"(?:summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|shorten|polish)\b{_WORDS}{{0,60}}|"
    rf"{_WORK} {_WORDS}{{0,40}}?\b(?:this|following|below|grammar|spelling|{_TEXT})\b{_WORDS}{{0,40}}"
)
_SHOWN = rf"\b(?:here(?:'s|’s| is| are)|this is|below is|see)\b{_WORDS}{{0,40}}?\b{_TEXT}\b{_WORDS}{{0,60}}"
_CAME = rf"(?:\b{_TEXT}\b{_WORDS}{{0,60}}|\b(?:wrote|writes|schrieb|a écrit|escribió) ?)"
GIVEN = re.compile(
    rf"(?:(?:^|(?<=[.!?]\s)|(?<=\n))[ \t]*(?:(?:please|can you|could you|now)[ ,]+)*(?:{_ASKED})"
    rf"|{_SHOWN}):(?=\s)(?!\s*\S+@)|{_CAME}:[ \t]*(?=\n)",
    re.IGNORECASE,
)
"""What follows, to the end of the message, is the text that somebody gives."""
MAIL_HEAD = re.compile(
    r"^(?=(?:.*\n){0,3}(?:subject|betreff|objet|asunto):|.*@)"
    r"(?:(?:from|to|cc|date|sent|subject|von|an|betreff|de|objet|asunto):.*\n){2,}",
    re.IGNORECASE | re.MULTILINE,
)
TAGGED = re.compile(
    r"<(system|instructions?|assistant|developer)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.I | re.DOTALL
)
OTHER_ROLE = re.compile(
    r"^[ \t]*(?:\[|#+ ?)?(?:system|assistant|developer)(?: prompt| message)?\]?:.*$", re.I | re.M
)
REPORTED = re.compile(
    r"^(?!(?:I|we)\b)(?:[^:,]{1,40} (?:says?|said|writes?|wrote|reads?|tells? (?:me|us)|told \w+)"
    r"|(?:a )?(?:note|message|mail|e-?mail|word) from [^:,]{1,40}): ",
    re.IGNORECASE,
)
QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]")


def own_words(text: str) -> str:
    """The message without what was pasted into it, as far as its own words announce that."""
    text = OTHER_ROLE.sub("", TAGGED.sub("", text))
    starts = [found.start() for pattern in (GIVEN, MAIL_HEAD) if (found := pattern.search(text))]
    return text[: min(starts, default=len(text))]


def is_reported(clause: str) -> bool:
    """Whether a clause begins with who else said it: «the page says: always …»."""
    return REPORTED.match(clause) is not None


def unquoted(text: str) -> str:
    """The text with empty quotation marks in the place of quotations."""
    return QUOTED.sub('""', text)
