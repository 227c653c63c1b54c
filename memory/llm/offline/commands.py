"""Reports of what was done, and of what was missed, as commands: «I ran the tests» as «Run the tests.»"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory.llm.offline.lexicon import english_verbs, language_of
from memory.llm.offline.words import CHINESE

IRREGULAR: Mapping[str, str] = {
    "ran": "run",
    "sent": "send",
    "built": "build",
    "rebuilt": "rebuild",
    "wrote": "write",
    "made": "make",
    "took": "take",
    "got": "get",
    "began": "begin",
    "did": "do",
    "went": "go",
    "found": "find",
    "kept": "keep",
    "told": "tell",
    "chose": "choose",
    "left": "leave",
    "gave": "give",
    "brought": "bring",
    "rolled": "roll",
    "held": "hold",
    "drew": "draw",
    "saw": "see",
    "thought": "think",
    "bought": "buy",
    "paid": "pay",
    "met": "meet",
    "said": "say",
    "spoke": "speak",
    "drove": "drive",
    "wound": "wind",
    "froze": "freeze",
}
TASK_VERBS = frozenset(
    """
    annotate archive assign backfill bump curl deduplicate deploy drain escalate export grep import label
    lint merge migrate notify ping provision query reassign rebase reboot redeploy reindex rerun restart
    revert scale tag triage
    """.split()  # noqa: SIM905 - a list of words
)
IS_REPORT = re.compile(r"^\s+(?:is|are|was|were|has|have|had|will|did|does)\b", re.IGNORECASE)
WHO = re.compile(
    r"^(?:then |next |first |finally |afterwards |and |so )*(?:i|we|the (?:agent|assistant))"
    r"(?:'ve| have| had)?(?: then| also| just| first)?\s+",
    re.IGNORECASE,
)
OPENER = re.compile(r"^(?:then|next|first|finally|afterwards|now|please|kindly)\b[,:]?\s+", re.IGNORECASE)
LONGEST_VALUE = 40
COMMAND_LINE = re.compile(r"^[a-z][\w./-]*(?:\s+\S.*)?$")
FIRST = re.compile(r"^([A-Za-z]+)(\b.*)$", re.DOTALL)


def sentence(text: str) -> str:
    """With a capital and a stop."""
    text = " ".join(text.split()).rstrip(" ,;:")
    shown = text[:1].upper() + text[1:]
    if not shown or shown[-1] in ".!?…。！？":
        return shown
    return f"{shown}。" if CHINESE.match(shown[-1]) else f"{shown}."


def is_command(text: str) -> bool:
    """Whether a text begins with an English verb that says what to do."""
    found = FIRST.match(text)
    return found is not None and language_of(text) == "en" and base_form(found[1].lower()) == found[1].lower()


def is_command_line(text: str) -> bool:
    """Whether a text reads like a line for a shell: `git push origin main`."""
    return COMMAND_LINE.match(text) is not None and not is_command(text)


def command(text: str) -> str:
    """What was done, as a command, where it is plain English; else the words as they are."""
    text = " ".join(text.split())
    bare = text
    while (shorter := OPENER.sub("", WHO.sub("", bare))) != bare:
        bare = shorter
    found = FIRST.match(bare)
    if found is None or language_of(bare) != "en":
        return sentence(text)
    verb = "" if IS_REPORT.match(found[2]) else base_form(found[1].lower())
    return sentence(f"{verb}{found[2]}" if verb else (bare if bare == text else text))


def base_form(word: str) -> str:
    """The base form of an English verb; empty for what is none."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    return next((form for form in (word, *_candidates(word)) if _is_base(form)), "")


def _is_base(word: str) -> bool:
    return word in TASK_VERBS or english_verbs().is_base(word)


def _candidates(word: str) -> Sequence[str]:
    for ending in ("ied", "ies"):
        if word.endswith(ending):
            return (f"{word.removesuffix(ending)}y",)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word.removesuffix(ending)
            single = stem[:-1] if stem[-1] == stem[-2] else stem
            return (stem, f"{stem}e", single)
    return (word.removesuffix("s"), word.removesuffix("es")) if word.endswith("s") else ()


def arguments_of(text: str) -> Mapping[str, Any] | None:
    """The arguments of a call, when that is what a text holds."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def call_text(tool: str, calls: Sequence[Mapping[str, Any]], *, has_values: bool = True) -> str:
    """«Call `tool` with a and b.»: the arguments that every call has, with the values that all share."""
    names = [name for name in calls[0] if all(name in call for call in calls)]
    shown = []
    for name in names:
        values = {json.dumps(call[name], sort_keys=True, ensure_ascii=False) for call in calls}
        is_plain = isinstance(calls[0][name], str | bool) and len(str(calls[0][name])) <= LONGEST_VALUE
        is_shared = has_values and is_plain and len(calls) > 1 and len(values) == 1
        shown.append(f"{name} {values.pop()}" if is_shared else name)
    given = f" with {listed(shown)}" if shown else ""
    return f"Call `{tool}`{given}."


def listed(names: Sequence[str]) -> str:
    """«a, b and c»."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
