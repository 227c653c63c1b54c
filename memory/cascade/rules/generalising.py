"""Texts of several tasks as one text of all of them: what differs is left out, or marked as a gap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

GAP = "…"
MARKED = "[…]"
_KEPT = "\0"
"""A gap that is marked whatever stands behind it."""
_LINKS = (
    r"of|for|from|by|named|called|version|release|in|on|at|with|to|into|onto|via|as|under|about|against|"
    r"like|until|till|before|after|since|number|nr|no\.?|"
    r"von|vom|für|bei|aus|namens|nummer|an(?= d(?:e[mnr]|ie|as)\b)|de|del|du|pour|para|por"
)
_ARTICLES = r"the|a|an|its|our|your|my|his|her|their|this|that"
_PARTICLES = r"(?:back|up|down|off|out|over|away|again)"
_STOPS = rf"$|[.,;:!?)]|\b(?:{_LINKS}|and|or|then)\b"
_HANGING = re.compile(rf"\s*\b(?:{_LINKS})\s+(?:(?:{_ARTICLES})\s+)?{GAP}(?=\s*(?:{_STOPS}))", re.IGNORECASE)
_BETWEEN = re.compile(rf"\b({_ARTICLES}|all|each|every)\s+{GAP}\s+(?=\w)(?!{_PARTICLES}\b)", re.IGNORECASE)
_BEFORE_LINK = re.compile(rf"\s+{GAP}(?=\s+(?:{_LINKS}|and|or|then)\b)", re.IGNORECASE)
_AT_END = re.compile(rf"[\s,;:-]*{GAP}(?=\s*[.!?]?$)")
_ARTICLE_AT_END = re.compile(rf"\s*\b(?:{_ARTICLES}|and|or)\s*(?=[.!?]?$)", re.IGNORECASE)
_BARE = re.compile(
    r"^\s*[^\W\d_]+(?:\s+(?:up|out|down|off|back|over|through|after))?(?=\s*[.!?]?$)", re.IGNORECASE
)
"""A verb alone is no step: its gap is marked."""
_ADDRESSED = re.compile(
    rf"\b((?:ask|tell|remind|invite|instruct|advise|request|urge|allow|help|get|have|let)(?:s|ed|ing)?)\s+{GAP}(?=\s+to\b)",
    re.IGNORECASE,
)
"""Who is asked to do something: without a mark the one who asks would do it."""
_GAPS = re.compile(rf"{GAP}(?:[\s\"'`«».-]*{GAP})+")
_QUOTED = re.compile(rf"[\"'`«“(\[]\s*{GAP}\s*[\"'`»”)\]]")
_TOKEN = re.compile(r"\s+|[^\s()\"'`«»]*[^\s.,;:!?()\"'`«»]|.")
ALIKE = 0.3
"""Texts that share less than this part of their words are not put together."""


def without_details(text: str, details: Sequence[str]) -> str:
    """The text with a gap in the place of each detail, smoothed."""
    for detail in sorted(details, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(detail)}(?:['’]s)?(?!\w)", GAP, text)
    return smoothed(text)


def common_text(texts: Sequence[str]) -> str:
    """What several texts have in common; the shortest of them where that is too little to be read."""
    different = sorted(set(texts), key=lambda text: (len(text), text))
    common = different[0]
    for other in different[1:]:
        common = _common(common, other)
        if _words(common) < ALIKE * _words(different[0]):
            return different[0]
    return smoothed(common)


def smoothed(text: str) -> str:
    """Gaps that hang at the end of a phrase or stand before a noun go; others are marked."""
    if GAP not in text:
        return " ".join(text.split())
    text = _ADDRESSED.sub(rf"\1 {_KEPT}", _GAPS.sub(GAP, _QUOTED.sub(GAP, text)))
    text = _BEFORE_LINK.sub("", _BETWEEN.sub(r"\1 ", _HANGING.sub("", text)))
    text = _AT_END.sub("", text)
    text = _BARE.sub(rf"\g<0> {GAP}", _ARTICLE_AT_END.sub("", text))
    marked = " ".join(text.replace(GAP, MARKED).replace(_KEPT, MARKED).split())
    return marked.replace(" .", ".").replace(" ,", ",")


def _common(one: str, other: str) -> str:
    left, right = _TOKEN.findall(one), _TOKEN.findall(other)
    folded = [[token.casefold() for token in side] for side in (left, right)]
    matcher = SequenceMatcher(a=folded[0], b=folded[1], autojunk=False)
    parts = [
        "".join(left[start:end]) if kind == "equal" else f" {GAP} "
        for kind, start, end, from_, to in matcher.get_opcodes()
        if kind == "equal" or "".join(left[start:end] + right[from_:to]).strip()
    ]
    return " ".join("".join(parts).split())


def _words(text: str) -> int:
    return len(re.findall(r"\w+", text))
