"""What tools returned, each beside the arguments of its call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory.cascade.compaction_contract import OfferedCall, OfferedTurn
from memory.cascade.rules.digest_text import shortened
from memory.llm.offline.confidential import holds_secret
from memory.llm.offline.digest_quoting import QUOTE_CHARACTERS
from memory.llm.offline.digest_worth import Note

ARGUMENT_CHARACTERS = 80
BETWEEN = re.compile(r"\s|,(?!\d)")
NO_ARGUMENTS = ("", "{}", "[]", "null")


def results_in(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """A note for every result that says something and holds no secret."""
    calls = [call for turn in turns for call in turn.calls]
    for turn in turns:
        text = " ".join(turn.text.split())
        if turn.role != "tool" or not text or holds_secret(text):
            continue
        call = _call_of(turn, calls)
        arguments = _arguments(call.arguments) if call else ""
        name = turn.tool_name or (call.name if call else "A tool")
        told = f"{name} {arguments}" if arguments else name
        yield Note("results", f"{told}: {shortened(text, QUOTE_CHARACTERS)}")


def _call_of(turn: OfferedTurn, calls: Sequence[OfferedCall]) -> OfferedCall | None:
    """The call that a result names; without such a name the only one of its tool."""
    if turn.result_of:
        return next((call for call in calls if call.handle == turn.result_of), None)
    named = [call for call in calls if call.name == turn.tool_name]
    return named[0] if len(named) == 1 else None


def _arguments(given: str) -> str:
    """The arguments on one line, cut between two of them; nothing where they hold a secret."""
    given = " ".join(given.split())
    if given in NO_ARGUMENTS or holds_secret(given):
        return ""
    if len(given) <= ARGUMENT_CHARACTERS:
        return given
    room = given[: ARGUMENT_CHARACTERS - 1]
    places = [match.start() for match in BETWEEN.finditer(room)]
    return f"{room[: places[-1]].rstrip(' ,:')}…" if places else ""
