"""Rules of one situation: what binds a rule to it, and which rules have nothing to do with each other.

A rule that was given for a moment must not hold for ever because a model left the moment out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.recall.terms import terms_of

WORDS_OF_A_RULE = 2
"""A single word may stand elsewhere by chance."""
_OCCASIONS = {
    "en": "check|test|trial|e-?mail|mail|letter|post|document|file|draft|page|report|essay|meeting|chapter"
    "|section|one|answer|message|reply|question|task|turn|run|call|time|session|conversation|chat|request|experiment",
    "de": "test|prüfung|e-?mail|mail|brief|dokument|entwurf|bericht|antwort|nachricht|frage|aufgabe|sitzung"
    "|gespräch|chat|mal",
    "fr": "test|essai|e-?mail|mail|lettre|document|brouillon|rapport|réponse|message|question|tâche|session"
    "|conversation|fois",
    "es": "prueba|correo|carta|documento|borrador|informe|respuesta|mensaje|pregunta|tarea|sesión"
    "|conversación|chat|vez",
}
"""What lasts no longer than a moment; a project or a customer does."""
_SITUATIONS = re.compile(
    rf"\b(?:for|in) (?:this|the next|the following) (?:\w+ ){{0,2}}?(?:{_OCCASIONS['en']})\b"
    r"|\b(?:while|as long as) (?:we|i|you)(?:'re|'m| are| am)? (?:test|check|try)\w*"
    r"|\b(?:just|only) (?:this once|for now|this time)\b|\bthis time only\b|\bfor now\b"
    r"|\b(?:for|until) (?:today|tonight)\b"
    rf"|\b(?:für|in) diese[nmrs]? (?:{_OCCASIONS['de']})\b|\bnur (?:jetzt|diesmal|heute)\b|\bvorerst\b"
    rf"|\b(?:pour|dans) cet?(?:te)? (?:{_OCCASIONS['fr']})\b|\b(?:seulement|juste) cette fois\b"
    r"|\bpour l'instant\b"
    rf"|\b(?:para|en|por) est[ea] (?:{_OCCASIONS['es']})\b|\bsolo esta vez\b|\bpor (?:ahora|hoy)\b"
    r"|这次|这一次|本次|暂时|(?:对于|在)?这(?:封|个|条|份)(?:邮件|回答|消息|测试)",
    re.IGNORECASE,
)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class Binding:
    """How the words under a rule bind it."""

    situation: str = ""
    """The words that name the one situation that it was given for; empty where it always holds."""
    is_mixed: bool = False
    """Part of the rule was given for that situation, and part of it without one."""


def binding_of(rule: str, said: Iterable[str]) -> Binding:
    """What binds a rule: a word of it that is said nowhere but beside words for a situation."""
    sentences = [sentence for text in said for sentence in _SENTENCE_ENDS.split(text)]
    bound = {term for sentence in sentences if _SITUATIONS.search(sentence) for term in terms_of(sentence)}
    free = {term for sentence in sentences if not _SITUATIONS.search(sentence) for term in terms_of(sentence)}
    terms = set(terms_of(rule))
    if not terms & (bound - free):
        return Binding()
    situation = next(
        found[0]
        for sentence in sentences
        if terms & (set(terms_of(sentence)) - free) and (found := _SITUATIONS.search(sentence))
    )
    return Binding(situation, is_mixed=len(terms & (free - bound)) >= WORDS_OF_A_RULE)


def joins_other_matter(old: str, new: str, said: Sequence[str]) -> bool:
    """Whether a new rule takes in all of an old one although the words under it speak of nothing in it."""
    return keeps(old, new) and set(terms_of(old)).isdisjoint(_spoken(said))


def says_again(old: str, said: Sequence[str]) -> bool:
    """Whether some words hold all of an old rule."""
    return set(terms_of(old)) <= _spoken(said)


def keeps(old: str, new: str) -> bool:
    """Whether a new rule holds all of an old one."""
    held = set(terms_of(old))
    return bool(held) and held <= set(terms_of(new))


def _spoken(said: Sequence[str]) -> set[str]:
    return {term for text in said for term in terms_of(text)}
