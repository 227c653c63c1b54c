"""Commands without «always»: those that tell how work is done, and those that ask for one thing now.

A command is a way of working when its words speak of kinds of things («wrap lines at 100 characters», «name
branches after the ticket»), set one way above another («use tabs, not spaces»), give an order («run make lint
first») or name what recurs («add a test for each fix»). It is of the moment when it points at something in
sight («use the second one», «don't touch that») or just asks for work («run the tests», «write a function
that …»).
"""

from __future__ import annotations

import re

from memory.llm.offline.lexicon import Cues

_ONE = (
    r"(?:an?|the|this|that|these|those|my|our|your|his|her|its|their|me|us|it|them|him|some|another|all|both|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|\d+|up|down|out|over|off|back|again)\b"
)
_BETWEEN = r"(?:about|to|for|of|from|on|in|with|as|at|by|that|which|and)\b"
_WORD = r"[\w./@'`-]+"
_ANY = rf"(?!{_ONE}){_WORD}(?: (?!{_ONE}|{_BETWEEN}){_WORD}){{0,3}}?"
"""Up to four words that speak of no single thing: «make format», «public functions»."""
_MASS = "code|text|prose|markdown|documentation|money"
_MANY = rf"(?!{_ONE})(?:{_WORD} (?!{_ONE}|{_BETWEEN})){{0,2}}(?:{_WORD}s|{_MASS})"
"""Things of a kind: «commit messages», «code»."""
_RECURRING = (
    r"(?:(?:bug|hot|security) ?)?(?:fix|bugfix|change|commit|release|deploy|deployment|merge|feature|bug|"
    r"pull request|merge request|pr|task|answer|reply|response|edit|migration|refactoring|sprint|session|"
    r"meeting)"
)
_DOING = (
    r"(?:use|prefer|favou?r|choose|pick|write|call|return|raise|throw|log|import|install|commit|squash|rebase|"
    r"merge|say|spell|quote|cite|indent|format|test|build|deploy|answer|reply|respond|add|put|store|keep|run|name)"
)
_CONTRAST = r"(?:,? (?:and |but )?(?:not|never)|,? instead of|,? rather than)"

WAYS = tuple(
    re.compile(rf"^(?:please )?{pattern}", re.IGNORECASE)
    for pattern in (
        rf"{_DOING} (?:with |in )?{_ANY}{_CONTRAST} (?:with |in )?{_ANY}\W*$",
        rf"{_DOING} {_ANY}[,;] (?:and |but )?(?:don't|do not|never) \w+ {_ANY}\W*$",
        rf"(?:run|write|commit|pull|rebase|format|lint|test|build|measure|reproduce|validate) "
        rf"{_ANY} first\W*$",
        rf"\w+ {_ANY} after (?:you|i|we|\w+ing)\b",
        rf"\w+ .*\b(?:for|to|with|in|on|after|before|at|per) (?:each|every) {_RECURRING}\b",
        rf"name {_MANY} (?:after|for|by|like|with|in) \w",
        rf"(?:format|indent|wrap|align|sort|group|order|quote|prefix|write|document|spell|log|store|return|render|"
        rf"show|keep) {_MANY} (?:in|with|as|at|by|without|like|alphabetically)\b",
        rf"(?:format|lint|test|build|install|type-?check|bundle) with {_ANY}\W*$",
        rf"(?:put|place|save) {_MANY} (?:next to|beside|under|in|inside|near|at|below|above|between|before|"
        r"after)\b",
        rf"add {_MANY} to {_MANY}\W*$",
        rf"(?:pin|document) {_MANY}\W*$",
        r"target (?-i:[A-Z])[\w.+-]*(?: [\d.+]+)?\W*$",
    )
)
"""How work is done, in English."""


def is_way_of_working(command: str, cues: Cues) -> bool:
    """Whether an English command holds for more than one occasion although no word says so."""
    return cues.language == "en" and any(way.match(command) for way in WAYS)


def points_at_hand(command: str, cues: Cues) -> bool:
    """Whether a command speaks of something in sight («this», «the second one», «again»)."""
    return cues.has("at_hand", command)
