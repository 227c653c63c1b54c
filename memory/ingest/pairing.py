"""Calls and results in pairs: which result of a tool may stand behind which turns. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memory.ingest.incoming import Said
from memory.ingest.problems import Problem
from memory.ingest.tool_calls import TOOL_CALL_ID_LIMIT, read_tool_call


@dataclass(slots=True)
class Pairs:
    """The calls of a session so far. An id that is used again stands for the later call."""

    open_calls: set[str] = field(default_factory=set)
    """Called, and without a result."""
    answered: set[str] = field(default_factory=set)

    def note(self, calls: Iterable[str], result: str) -> None:
        """A turn that is stored: it made these calls, or is the result of one."""
        self.open_calls.update(calls)
        self.answered.difference_update(calls)
        if result:
            self.open_calls.discard(result)
            self.answered.add(result)

    def take(self, index: int, turn: Said) -> list[Problem]:
        """The next turn; says why it cannot stand here, and notes it when it can."""
        problems = [*_call_problems(index, turn), *self._result_problems(index, turn)]
        if not problems:
            self.note([str(item["id"]) for item in turn.tool_calls], turn.tool_call_id)
        return problems

    def _result_problems(self, index: int, turn: Said) -> list[Problem]:
        if turn.role != "tool":
            return (
                [Problem(index, "tool_call_id", "belongs to turns of tools alone")]
                if turn.tool_call_id
                else []
            )
        if not turn.tool_call_id:
            return [Problem(index, "tool_call_id", "has to name the call that this is the result of")]
        if turn.tool_call_id in self.open_calls:
            return []
        if turn.tool_call_id in self.answered:
            return [Problem(index, "tool_call_id", "names a call that has its result already")]
        return [Problem(index, "tool_call_id", "names no call of an earlier turn of this session")]


def _call_problems(index: int, turn: Said) -> list[Problem]:
    if turn.tool_calls and turn.role != "assistant":
        return [Problem(index, "tool_calls", "belong to turns of assistants alone")]
    calls = [read_tool_call(item) for item in turn.tool_calls]
    if any(call is None for call in calls):
        words = f"each need a name and an id of at most {TOOL_CALL_ID_LIMIT} characters"
        return [Problem(index, "tool_calls", words)]
    if len({call.id for call in calls if call}) < len(calls):
        return [Problem(index, "tool_calls", "use one id twice")]
    return []
