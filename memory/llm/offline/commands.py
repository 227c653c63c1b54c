"""Reports of what was done, and of what was missed, as commands: «I ran the tests» as «Run the tests.»"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from memory.llm.offline.lexicon import english_verbs, language_of
from memory.llm.offline.procedure_german import german_command
from memory.llm.offline.sentences import sentences
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
    activate allocate annotate archive assign authenticate backfill bump clear click clone compute configure
    curl deactivate deduplicate deploy diagnose disable downgrade drain encode escalate export extract filter
    flag flush format forward generate grep import label lint merge migrate notify ping provision purge query
    reassign rebase reboot reconcile redeploy refund regenerate reindex rename reschedule rerun restart retry
    revert revoke scale summarize sync tag triage trigger trim unmount unsubscribe upgrade validate
    """.split()  # noqa: SIM905 - a list of words
)
IS_REPORT = re.compile(r"^\s+(?:is|are|was|were|has|have|had|will|did|does)\b", re.IGNORECASE)
WHO = re.compile(
    r"^(?:then |next |first |finally |afterwards |and |so )*(?:i|we|the (?:agent|assistant))"
    r"(?:'ve| have| had)?(?: then| also| just| first)?\s+",
    re.IGNORECASE,
)
OPENER = re.compile(r"^(?:then|next|first|finally|afterwards|now|please|kindly)\b[,:]?\s+", re.IGNORECASE)
GUESS = re.compile(
    r"^(?:(?:so|but|and|hm+|well)\W+)*(?:it (?:seems?|looks|appears|sounds|might|may|could)|seems|looks like|"
    r"apparently|seemingly|presumably|probably|possibly|maybe|perhaps|(?:i|we) (?:think|thought|guess|"
    r"suppose|believe|assumed?|suspect|suspected|wonder)|(?:es|das) scheint|scheinbar|anscheinend|vermutlich|"
    r"wahrscheinlich|vielleicht|parece|quizás?|tal vez|probablemente|il semble|on dirait|peut-être|"
    r"probablement)\b|^(?:好像|似乎|可能|也许|看起来)",
    re.IGNORECASE,
)
_NOTED = (
    r"(?:saw|noticed|observed|reali[sz]ed|learn(?:ed|t)|discovered|found(?: out)?|could see|was told|heard|"
    r"(?:got|received) (?:an?|the|no) (?:\w+ )?(?:errors?|failures?|results?|warnings?|timeouts?|"
    r"exceptions?))"
)
OBSERVED = re.compile(
    rf"\s*[,;]?\s+(?:and|but|then)(?: then)?(?: (?:i|we))? (?:{_NOTED}|(?:it|there|they) \w+)\b.*$",
    re.I | re.DOTALL,
)
"""What came of an action, behind it."""
OBSERVATION = re.compile(
    r"^(?:saw|noticed|observed|reali[sz]ed|learn(?:ed|t)|discovered|found|heard)(?: out)? "
    r"(?:that|how|what|why|where|whether|no|nothing)\b",
    re.IGNORECASE,
)
SUBORDINATE = re.compile(r"\b(?:that|which|who|whether|if|because|when|where|what)\b", re.IGNORECASE)
FURTHER = re.compile(
    r"(?:(?<=[a-rt-z]s)(?P<behind_many>(?:,|,? and|,? then|,? and then)\s+)(?P<any>[a-z]+)\b)|"
    r"(?P<joint>(?:,|,? and|,? then|,? and then)\s+)(?P<verb>[a-z]+)(?=\s*(?:[,.;!]|$)|\s+(?:the|an?|it|them|"
    r"her|him|me|us|my|our|their|his|its|this|these|those|all|every|each|both|one|to|for|with|on|in|at|into|onto|from|up|"
    r"down|out|off|back|by|until|again|[A-Z\d\[`]\S*)(?!\w))"
)
"""The verb of what was done next, told by a plural before it or by the word behind it."""
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
    return sentence(_commanded(text) or german_command(text) or text)


@lru_cache(maxsize=4_096)
def actions_in(text: str) -> str:
    """What was done, as commands, without guesses and without what was seen; empty where that is all.

    Where no sentence of it tells an action, the words stay as they are.
    """
    told = [said for said in sentences(text) or [text] if not GUESS.match(said)]
    kept = [said for said in told if not OBSERVATION.match(_without_opener(said))]
    commands = [command(said) for said in kept if _commanded(said) or german_command(said)]
    return " ".join(commands or map(sentence, kept))


def _commanded(text: str) -> str:
    """An English report as a command; empty for what is none."""
    bare = _without_opener(" ".join(text.split()))
    found = FIRST.match(bare)
    if found is None or language_of(bare) != "en" or IS_REPORT.match(found[2]):
        return ""
    word, rest = found[1].lower(), OBSERVED.sub("", found[2])
    verb = base_form(word)
    if not verb or _is_plural_subject(word, rest):
        return ""
    return f"{verb}{rest if word == verb else _further_commands(rest)}"


def _without_opener(text: str) -> str:
    while (shorter := OPENER.sub("", WHO.sub("", text))) != text:
        text = shorter
    return text


def _is_plural_subject(word: str, rest: str) -> bool:
    """«Tests pass», not «tests the page»."""
    following = FIRST.match(rest.strip())
    return word.endswith("s") and following is not None and english_verbs().is_base(following[1])


def _further_commands(rest: str) -> str:
    """Verbs that go on with the report as commands too: «… and waited» as «… and wait»."""

    def base(found: re.Match[str]) -> str:
        verb = found["verb"] or found["any"]
        is_past = verb in IRREGULAR or (verb.endswith("ed") and not _is_base(verb))
        is_own = SUBORDINATE.search(rest, 0, found.start()) is None
        told = base_form(verb) if is_past and is_own else ""
        return f"{found['joint'] or found['behind_many']}{told or verb}"

    return FURTHER.sub(base, rest)


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
