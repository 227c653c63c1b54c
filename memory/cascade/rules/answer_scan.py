"""Finding the JSON values in what a model wrote, between thinking, prose and code fences."""

import re
from dataclasses import dataclass, field

from memory.cascade.rules.tolerant_json import (
    DamagedError,
    EndedInsideError,
    Read,
    TooDeepError,
    read_json,
)

# How much of an unreadable answer is kept for people to look at.
KEPT_ANSWER_CHARACTERS = 4_000
# Damaged text is tried from each bracket. Beyond twice its length and this much, it is given up.
SPARE_LOOKS = 20_000
# No answer with prose around it has more separate values, such as "[1]", than this.
MOST_VALUES = 1_000


class UnreadableAnswer(Exception):  # noqa: N818 - it names what was answered, and is part of a run's words
    """An answer without a usable value; `reason` says why, `text` is what came, cut to a limit."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.text = text[:KEPT_ANSWER_CHARACTERS]


class CutOffAnswer(UnreadableAnswer):
    """The answer ended before it was complete. Ask with a smaller batch."""


class NoAnswer(UnreadableAnswer):
    """There is no JSON of the wanted shape: a refusal, thinking alone, or damage."""


class EmptyAnswer(UnreadableAnswer):
    """There is no text at all."""


@dataclass(slots=True)
class Scan:
    """The JSON values of a text, outside of thinking, and what stood in the way of others."""

    values: list[tuple[int, Read]] = field(default_factory=list)
    damage: str | None = None
    damaged_at: int = -1
    is_cut: bool = False
    is_thinking: bool = False
    looks: int = 0

    def note_damage(self, start: int, error: DamagedError) -> None:
        self.looks += error.position - start
        # A lone bracket in prose is no damage; a bracket with a key or value behind it is.
        if error.tokens > 1:
            self.damage, self.damaged_at = str(error), start


# A bracket counts where JSON can go on behind it.
_OPENING = re.compile(
    r"\{(?=\s*(?:[\"}\w]|$))|\[(?=\s*(?:[\[\]{\"\-\w]|$))"
    r"|<\s*(/?)\s*(?:think|thinking|thought|reasoning|reflection)\s*>",
    re.IGNORECASE,
)
_THINKING_END = re.compile(r"<\s*/\s*(?:think|thinking|thought|reasoning|reflection)\s*>", re.IGNORECASE)


def scan_answer(text: str) -> Scan:
    """Find the values of a text from left to right; NoAnswer when it is mostly brackets."""
    scan = Scan()
    place = 0
    while opening := _OPENING.search(text, place):
        start = opening.start()
        if text[start] == "<":
            place, scan = _skip_thinking(text, opening, scan)
            continue
        place = _read_at(text, start, scan)
        if scan.looks > 2 * len(text) + SPARE_LOOKS or len(scan.values) > MOST_VALUES:
            raise NoAnswer("The answer holds too many brackets that are no answer.", text)
    return scan


def _skip_thinking(text: str, tag: re.Match[str], scan: Scan) -> tuple[int, Scan]:
    """Return the place behind the thinking, and what still counts of what was found before."""
    if tag[1]:
        # A closing tag alone: all before it was thinking, its opening tag was part of the prompt.
        return tag.end(), Scan(is_thinking=True)
    end = _THINKING_END.search(text, tag.end())
    scan.is_thinking = True
    return (end.end() if end else len(text)), scan


def _read_at(text: str, start: int, scan: Scan) -> int:
    """Read the value at a bracket; return where to go on."""
    try:
        read = read_json(text, start)
    except EndedInsideError as error:
        scan.is_cut = scan.is_cut or error.tokens > 1 or not scan.values
        return len(text) if error.tokens > 1 else start + 1
    except TooDeepError as error:
        scan.note_damage(start, error)
        return len(text)
    except DamagedError as error:
        scan.note_damage(start, error)
        return start + 1
    scan.values.append((start, read))
    return read.end


def outside(text: str, start: int, read: Read) -> str:
    """Return what stands around a value, without thinking and the marks of a code fence."""
    thinking_ends = [closing.end() for closing in _THINKING_END.finditer(text, 0, start)]
    before = text[thinking_ends[-1] if thinking_ends else 0 : start]
    return re.sub(r"```\w*", "", before) + re.sub(r"```\w*", "", text[read.end :])
