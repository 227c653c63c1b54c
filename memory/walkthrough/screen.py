"""Where pages go: plain text, coloured in a terminal, or one JSON object a line."""

from __future__ import annotations

import re
from typing import Protocol, TextIO

from rich.console import Console
from rich.text import Text

from memory.recall.short_ids import short_id
from memory.walkthrough.access import MemoryProblemError
from memory.walkthrough.commands import Page
from memory.walkthrough.json_lines import page_line, problem_line
from memory.walkthrough.rendering import render

STYLES = (
    (re.compile(r"▣ .*?(?=  \[|: |$)"), "bold cyan"),
    (re.compile(r"\[[0-9a-f]{8}\]"), "dim"),
    (re.compile(r"(?m)^(?:L[0-3]|Act \d.*|Session .*)(?=\s|$)"), "bold"),
    (re.compile(r"(?m)^\s+\+ .*$"), "green"),
    (re.compile(r"(?m)^\s+! .*$"), "red"),
)


class Screen(Protocol):
    """What the shell shows."""

    def show(self, command: str, page: Page) -> None:
        """The page of a command."""
        ...

    def problem(self, command: str, problem: Exception) -> None:
        """Why a command gave no page."""
        ...

    def echo(self, line: str) -> None:
        """A line of a script, before it runs."""
        ...

    def notice(self, text: str) -> None:
        """Something to know while waiting; never among the pages."""
        ...

    def write(self, text: str) -> None:
        """Text that belongs to no command, with its line breaks."""
        ...


class TextScreen:
    """Pages as text on `out`, notices on `notices`; colours only where `out` is a terminal."""

    def __init__(self, out: TextIO, notices: TextIO) -> None:
        self._out = out
        self._notices = notices
        self._console = Console(file=out, highlight=False, soft_wrap=True) if out.isatty() else None

    def show(self, command: str, page: Page) -> None:
        """Text, and an empty line after it."""
        text = render(page)
        if text:
            self.write(f"{text}\n\n")

    def problem(self, command: str, problem: Exception) -> None:
        """The reason, and what an id may have meant."""
        self.write(f"{problem}\n")
        for candidate in getattr(problem, "candidates", ()):
            self.write(f"  {candidate.kind} [{short_id(candidate.id)}] {candidate.id}  {candidate.text}\n")
        self.write("\n")

    def echo(self, line: str) -> None:
        """As it would stand behind a prompt."""
        self.write(f"> {line}\n")

    def notice(self, text: str) -> None:
        """On the other stream."""
        print(f"… {text}", file=self._notices, flush=True)

    def write(self, text: str) -> None:
        """Write, with colours where they can be seen."""
        if self._console is None:
            self._out.write(text)
        else:
            self._console.print(_coloured(text), end="")
        self._out.flush()


def _coloured(text: str) -> Text:
    coloured = Text(text)
    for pattern, style in STYLES:
        coloured.highlight_regex(pattern, style)
    return coloured


class JsonScreen:
    """One object a line on `out`; everything else on `notices`."""

    def __init__(self, out: TextIO, notices: TextIO) -> None:
        self._out = out
        self._notices = notices

    def show(self, command: str, page: Page) -> None:
        """The page's fields beside the command's name."""
        self._put(page_line(command, page))

    def problem(self, command: str, problem: Exception) -> None:
        """The reason as `error`, and candidates where an id was ambiguous."""
        candidates = problem.candidates if isinstance(problem, MemoryProblemError) else ()
        self._put(problem_line(command, str(problem), **({"candidates": candidates} if candidates else {})))

    def _put(self, line: str) -> None:
        print(line, file=self._out, flush=True)

    def echo(self, line: str) -> None:
        """Nothing: the object names its command."""

    def notice(self, text: str) -> None:
        """On the other stream."""
        print(f"… {text}", file=self._notices, flush=True)

    def write(self, text: str) -> None:
        """On the other stream."""
        self._notices.write(text)
        self._notices.flush()
