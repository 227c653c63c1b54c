"""What every terminal does with a memory: its options, its streams, the tour, and the prompt."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from memory.walkthrough.access import MemoryProblemError, StoryMemory
from memory.walkthrough.screen import JsonScreen, Screen, TextScreen
from memory.walkthrough.shell import asked_at_terminal, run_shell
from memory.walkthrough.tour import TourUnfinishedError, run_tour

DEFAULT_TIMEOUT_SECONDS = 120.0
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Walk:
    """Where the lines come from, where the pages go, and what is wanted."""

    source: TextIO
    screen: Screen
    is_prompting: bool
    """A person sits there, and no program reads along."""
    is_asking: bool
    is_touring: bool
    timeout_seconds: float


def add_walking_arguments(parser: argparse.ArgumentParser) -> None:
    """--json, --no-input, --no-tour and --timeout."""
    parser.add_argument("--json", action="store_true", help="one JSON object for each command")
    parser.add_argument(
        "--no-input", action="store_true", help="ask nothing; what waits for approval goes on waiting"
    )
    parser.add_argument("--no-tour", action="store_true", help="go to the prompt at once")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=DEFAULT_TIMEOUT_SECONDS,
        metavar="S",
        help=f"longest wait for the cascade, in seconds ({DEFAULT_TIMEOUT_SECONDS:.0f})",
    )


def walk_of(options: dict[str, Any], out: TextIO) -> Walk:
    """A walk from standard input to `out`; bytes that are no text, and characters that cannot be shown, do
    no harm."""
    for stream, errors in ((sys.stdin, "surrogateescape"), (out, "replace")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)
    is_prompting = sys.stdin.isatty() and not options["json"]
    return Walk(
        source=sys.stdin,
        screen=(JsonScreen if options["json"] else TextScreen)(out, sys.stderr),
        is_prompting=is_prompting,
        is_asking=is_prompting and not options["no_input"],
        is_touring=not options["no_tour"],
        timeout_seconds=options["timeout"],
    )


def walk_through(memory: StoryMemory, walk: Walk) -> None:
    """The tour, unless it is not wanted, and the prompt."""
    if walk.is_touring:
        try:
            run_tour(memory, walk.screen, ask=asked_at_terminal if walk.is_asking else None)
        except (TourUnfinishedError, MemoryProblemError) as problem:
            told = str(problem).rstrip(".")
            walk.screen.write(f"The tour stopped: {told}.\nA second start goes on from here.\n")
    if walk.is_prompting:
        walk.screen.write("\nType help to see the commands, quit to leave.\n")
    run_shell(memory=memory, screen=walk.screen, source=walk.source, is_prompting=walk.is_prompting)
    try:
        memory.close()
    except MemoryProblemError as problem:
        walk.screen.notice(str(problem))


@contextmanager
def leaving_quietly() -> Iterator[None]:
    """An interrupt ends the process with its own status; whoever stops reading ends it without a word."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the pages has seen enough; the interpreter must not flush into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _seconds(text: str) -> float:
    """A length of time for argparse, which tells about a ValueError."""
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise ValueError(text)
    return seconds


_seconds.__name__ = "number of seconds"
