"""The prompt: lines from a person or a script, one command each, until quit or the end of input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from memory.walkthrough.access import Forgetting, Memory, MemoryProblemError
from memory.walkthrough.commands import COMMANDS, CONFIRM, Page, Quit, UsageError, run_line, split_line
from memory.walkthrough.screen import Screen

PROMPT = "memory> "
COMMENT = "#"
YES = ("y", "yes")
FORGET_WORD = "forget"
FORGET_QUESTION = f"Type {FORGET_WORD} to erase this for good; anything else leaves it: "
INTERRUPTED = "Interrupted. What was said is stored; the cascade goes on by itself."


def run_shell(*, memory: Memory, screen: Screen, source: TextIO, is_prompting: bool) -> None:
    """Run commands from `source`. Wrong ones are answered with what would be right; none ends the prompt.

    With `is_prompting` the source is the terminal itself, read with line editing. A script's empty lines
    and lines that begin with # are passed over, its other lines are shown before they run. An interrupt
    ends the command of a person, and the whole of a script.
    """
    for line in _typed_lines(screen) if is_prompting else _script_lines(source, screen):
        try:
            page = _run(line, memory=memory, screen=screen)
            if isinstance(page, Forgetting) and page.token and is_prompting and _is_to_be_forgotten():
                page = _run(f"forget {CONFIRM} {page.token}", memory=memory, screen=screen)
            if isinstance(page, Quit):
                break
        except KeyboardInterrupt:
            screen.notice(INTERRUPTED)
            if not is_prompting:
                break


def asked_at_terminal(question: str) -> bool:
    """Whether the person at the terminal says yes; the end of input, and anything else, is no."""
    try:
        return input(question).strip().casefold() in YES
    except EOFError:
        return False


def _is_to_be_forgotten() -> bool:
    """Whether the person types the word itself: what goes does not come back."""
    try:
        return input(FORGET_QUESTION).strip().casefold() == FORGET_WORD
    except EOFError:
        return False


def _run(line: str, *, memory: Memory, screen: Screen) -> Page | None:
    """Run one line and show its page; None when there was something wrong with it."""
    name, _ = split_line(line)
    try:
        page = run_line(line, memory=memory, notice=screen.notice)
        screen.show(name, page)
    except (UsageError, MemoryProblemError) as problem:
        screen.problem(name, problem)
        return None
    return page


def _script_lines(source: TextIO, screen: Screen) -> Iterator[str]:
    for line in source:
        command = line.strip()
        if command and not command.startswith(COMMENT):
            screen.echo(command)
            yield command


def _typed_lines(screen: Screen) -> Iterator[str]:
    _prepare_editing()
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            screen.write("\n")
            return
        except KeyboardInterrupt:
            screen.write("\n")
            continue
        if line:
            yield line


def _prepare_editing() -> None:
    """Line editing, history and completion of command names, where Python has readline."""
    try:
        import readline
    except ImportError:
        return
    readline.set_completer(_complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")


def _complete(typed: str, state: int) -> str | None:
    found = [f"{name} " for name in COMMANDS if name.startswith(typed.casefold())]
    return found[state] if state < len(found) else None
