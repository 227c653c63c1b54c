"""Which names, numbers and dates of a line belong to one task alone, and not to how such tasks are done.

What several traces hold, what a person ruled or asked for and what the tools are called may stand in a
procedure. A detail of one trace may not; where there is but one trace, what its task itself names, every
figure and every address count as such a detail.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.cascade.rules.grounding import Ground

_NOTHING = Ground(())
# Not within an address or a path: `jana.weiss@example.com` does not make Jana a plain word.
_PLAIN_WORD = re.compile(r"(?<![\w.@/-])[^\W\d_A-Z]{3,}(?![\w@/-]|\.\w)")
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_]{3,}")
_OF_ONE_TASK = re.compile(r"[\d@]")
"""Figures and addresses, however few traces there are to compare."""


@dataclass(frozen=True, slots=True)
class TraceWords:
    """The words of one trace: its task, what the person said on the way, everything else."""

    task: str
    instructions: tuple[str, ...]
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Particular:
    """A name, number or date that may not stand, and why, fit to be shown to a model."""

    text: str
    reason: str
    is_unknown: bool = False
    """Nothing that was offered holds it."""


class Particulars:
    """Judges lines by the traces and by what may be named in any case: feedback, standing lines, tools."""

    def __init__(self, traces: Sequence[TraceWords], allowed: Sequence[str]) -> None:
        self._traces = [Ground((one.task, *one.instructions, *one.others)) for one in traces]
        self._tasks = [Ground((one.task,)) for one in traces]
        self._instructions = [Ground(one.instructions) for one in traces]
        self._allowed = Ground(allowed)
        texts = [(one.task, *one.instructions, *one.others) for one in traces]
        self._plain = {word for told in texts for text in told for word in _PLAIN_WORD.findall(text)}
        self._words = [frozenset(_WORD.findall("\n".join(told))) for told in texts]
        self._names = self._known_names(traces)

    def find(self, text: str) -> tuple[Particular, ...]:
        """What of a line belongs to a single task, or to nothing that was offered; in its order."""
        # What the traces write small is no name, whatever its capital.
        named = [name for name in _NOTHING.ungrounded(text) if name.lower() not in self._plain]
        opening = self._opening_names(text, named)
        if not named:
            return opening
        not_allowed = set(self._allowed.ungrounded(text))
        if not_allowed.isdisjoint(named):
            return opening
        missing = [frozenset(ground.ungrounded(text)) for ground in self._traces]
        found = []
        for name in named:
            holding = [place for place, gone in enumerate(missing) if name not in gone]
            reason = self._reason(text, name, holding) if name in not_allowed else ""
            found += [Particular(name, reason, is_unknown=not holding)] if reason else []
        return (*opening, *found)

    def _known_names(self, traces: Sequence[TraceWords]) -> dict[str, str]:
        """Names that some text shows to be details by a capital within a sentence, each with the reason."""
        begun = {word for one in traces for word in _WORD.findall(one.task)[:1]}
        found: dict[str, str] = {}
        for text in (text for one in traces for text in (one.task, *one.instructions, *one.others)):
            named = [name for name in _NOTHING.ungrounded(text) if _NAME.fullmatch(name)]
            fresh = {name for name in named if name.lower() not in self._plain and name not in found}
            sure = {name for name in fresh if name not in begun or _is_first_name(text, name, named)}
            for name in sure.intersection(self._allowed.ungrounded(text)):
                holding = [place for place, words in enumerate(self._words) if name in words]
                if reason := self._reason(text, name, holding):
                    found[name] = reason
        return found

    def _opening_names(self, text: str, named: Sequence[str]) -> tuple[Particular, ...]:
        """Known names where a line says nothing of them: as the first words of a sentence."""
        words = dict.fromkeys(_WORD.findall(text))
        return tuple(
            Particular(word, self._names[word]) for word in words if word in self._names and word not in named
        )

    def _reason(self, text: str, name: str, holding: Sequence[int]) -> str:
        """Why a name may not stand that these traces hold; empty when it may."""
        if not holding:
            return f"nothing that was offered holds «{name}»"
        if len(holding) > 1:
            return ""
        in_task = name not in self._tasks[holding[0]].ungrounded(text)
        is_ruled = not in_task and name not in self._instructions[holding[0]].ungrounded(text)
        is_detail = len(self._traces) > 1 or in_task or _OF_ONE_TASK.search(name) is not None
        return f"«{name}» is a detail of one task" if is_detail and not is_ruled else ""


def _is_first_name(text: str, name: str, named: Sequence[str]) -> bool:
    """Whether another name stands right behind it: what begins a task is a verb as often."""
    return any(f"{name} {other}" in text for other in named)


def holds_detail(text: str, details: Sequence[str]) -> str:
    """The first of some details that a text holds as whole words, whatever the case; empty for none."""
    for detail in details:
        words = detail.strip()
        if words and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE):
            return words
    return ""
