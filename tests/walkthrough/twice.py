"""The same walk over different memories, and what was printed with ids told by their order."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from memory.recall.short_ids import short_id
from memory.walkthrough.access import StoryMemory
from memory.walkthrough.screen import JsonScreen, Screen, TextScreen
from memory.walkthrough.shell import run_shell
from memory.walkthrough.tour import run_tour

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
ID = re.compile(rf"(?P<whole>{UUID})|\b(?P<short>[0-9a-f]{{8}})\b")
TIMES = (
    (re.compile(r"\b\d+\.\d+ s\b"), "<seconds>"),
    (re.compile(r'"seconds": [0-9.e-]+'), '"seconds": <seconds>'),
    (re.compile(r"(?<=confirm )\S{20,}"), "<token>"),
    (re.compile(r'(?<="token": ")[^"]{20,}'), "<token>"),
)
"""What the same memory tells otherwise a moment later."""
OTHERS = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<sha256>"),
    # Ids are texts, and some are longer than others.
    (re.compile(r"\d+ tokens: .*"), "<tokens>"),
    (re.compile(r"terminal-\d{8}T\d{6}-[0-9a-f]{6}"), "<session>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?: UTC)?"), "<time>"),
    (re.compile(r"python (?:manage\.py walkthrough|examples/agent_memory\.py) --no-tour"), "<prompt>"),
    (re.compile(r" --workspace [\w-]+"), ""),
)
"""What two memories of the same words do not have in common, but for ids."""
Step = str | Callable[[StoryMemory], str]
"""A line as it is typed, or made of what the memory holds by then."""


@dataclass
class _Names:
    """Ids by the order in which they turn up; a short id and its whole one have the same name."""

    known: dict[str, str] = field(default_factory=dict)

    def __call__(self, found: re.Match[str]) -> str:
        end = found[0].replace("-", "")[-8:]
        return self.known.setdefault(end, f"<id {len(self.known) + 1}>")


def timeless(text: str) -> list[str]:
    """The lines, without how long something took."""
    for pattern, told in TIMES:
        text = pattern.sub(told, text)
    return text.splitlines()


def masked(text: str) -> list[str]:
    """The lines, without what no two memories have in common."""
    text = "\n".join(timeless(text))
    for pattern, told in OTHERS:
        text = pattern.sub(told, text)
    return ID.sub(_Names(), text).splitlines()


def toured(memory: StoryMemory) -> str:
    """What the tour prints when a person approves the draft."""
    output = io.StringIO()
    run_tour(memory, output, ask=lambda question: True)
    return output.getvalue()


def walked(memory: StoryMemory, steps: tuple[Step, ...], *, is_json: bool = False) -> str:
    """What some lines print, each as a script's."""
    out = io.StringIO()
    screen: Screen = (JsonScreen if is_json else TextScreen)(out, io.StringIO())
    for line in _typed(memory, steps):
        run_shell(memory=memory, screen=screen, source=io.StringIO(f"{line}\n"), is_prompting=False)
    return out.getvalue()


def _typed(memory: StoryMemory, steps: tuple[Step, ...]) -> Iterator[str]:
    for step in steps:
        yield step if isinstance(step, str) else step(memory)


def of_atom(line: str) -> Step:
    """A line with the short id of the first claim."""
    return lambda memory: line.format(short_id(memory.memories()[0].id))


def of_scene(line: str) -> Step:
    """A line with the short id of the first scene."""
    return lambda memory: line.format(short_id(memory.scenes()[0].id))


def of_procedure(line: str) -> Step:
    """A line with the short id of the newest version of a procedure: the draft, else the active one."""

    def typed(memory: StoryMemory) -> str:
        shown = memory.procedures("").procedures[0]
        version = shown.draft or shown.active
        assert version is not None
        return line.format(short_id(version.summary.id))

    return typed


def of_forgetting(words: str, rest: str = "") -> Step:
    """The confirmation of what some words mean."""
    return lambda memory: f"forget confirm {memory.forget(words).token} {rest}"
