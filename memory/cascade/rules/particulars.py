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
        words = (text for one in traces for text in (one.task, *one.instructions, *one.others))
        self._plain = {word for text in words for word in _PLAIN_WORD.findall(text)}

    def find(self, text: str) -> tuple[Particular, ...]:
        """What of a line belongs to a single task, or to nothing that was offered; in its order."""
        # What the traces write small is no name, whatever its capital.
        named = [name for name in _NOTHING.ungrounded(text) if name.lower() not in self._plain]
        if not named:
            return ()
        not_allowed = set(self._allowed.ungrounded(text))
        if not_allowed.isdisjoint(named):
            return ()
        missing = [frozenset(ground.ungrounded(text)) for ground in self._traces]
        found = []
        for name in named:
            holding = [place for place, gone in enumerate(missing) if name not in gone]
            reason = self._reason(text, name, holding) if name in not_allowed else ""
            found += [Particular(name, reason, is_unknown=not holding)] if reason else []
        return tuple(found)

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


def holds_detail(text: str, details: Sequence[str]) -> str:
    """The first of some details that a text holds as whole words, whatever the case; empty for none."""
    for detail in details:
        words = detail.strip()
        if words and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE):
            return words
    return ""
