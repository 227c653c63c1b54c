"""The terminal over HTTP: the walkthrough's tour and prompt against a server that the environment names."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from memory.client import Memory, MemseekError, UnreachableError
from memory.client.site import KEY_VARIABLE, is_key_named, site_of
from memory.walkthrough.access import MemoryProblemError
from memory.walkthrough.naming import RUN_ID, RUN_ID_HINT, RUN_ID_VARIABLE, entity_name, greeting, new_run_id
from memory.walkthrough.remote import RemoteMemory
from memory.walkthrough.remote_problems import told
from memory.walkthrough.walking import Walk, add_walking_arguments, leaving_quietly, walk_of, walk_through

START_ONE = "Start a server (python manage.py serve), or name one with MEMSEEK_BASE_URL and MEMSEEK_API_KEY."


class NoPlaceError(Exception):
    """There is no server to talk to; the text says what to do about it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A server's address and a key, with a word about where they come from."""

    base_url: str
    key: str = field(repr=False)
    about: str = ""


Lend = Callable[[], AbstractContextManager[Place]]
"""Gives a place for as long as a `with` lasts, where the environment names no key. NoPlaceError."""


def run_terminal(lend: Lend, arguments: Sequence[str] | None = None) -> int:
    """Run with the arguments of the command line; the exit status. No key is printed, whatever happens."""
    parser = argparse.ArgumentParser(
        description="Walk through a four-layer memory over HTTP: the tour, then a prompt.",
        epilog=f"{RUN_ID_VARIABLE} names the run. Without {KEY_VARIABLE} a workspace of its own is made.",
    )
    add_walking_arguments(parser)
    options = vars(parser.parse_args(arguments))
    run_id = os.environ.get(RUN_ID_VARIABLE, "").strip()
    if run_id and not RUN_ID.fullmatch(run_id):
        return _refused(f"{RUN_ID_VARIABLE} is no name of a run. {RUN_ID_HINT}")
    with leaving_quietly():
        walk = walk_of(options, sys.stdout)
        try:
            with _place(lend) as place:
                _walk_at(place, run_id, walk)
        except UnreachableError as problem:
            return _refused(f"{problem.detail} {START_ONE}")
        except MemseekError as problem:
            return _refused(told(problem))
        except (NoPlaceError, MemoryProblemError) as problem:
            return _refused(str(problem))
    return 0


def _place(lend: Lend) -> AbstractContextManager[Place]:
    if not is_key_named():
        return lend()
    site = site_of(None, None)
    return nullcontext(Place(site.base_url, site.key))


def _walk_at(place: Place, run_id: str, walk: Walk) -> None:
    chosen = run_id or new_run_id()
    with Memory(place.base_url, place.key) as client:
        # Tried once: whoever waits at a terminal is told at once that nobody answers.
        client.health()
        memory = RemoteMemory(client, entity_name(chosen), timeout_seconds=walk.timeout_seconds)
        memory.open()
        walk.screen.write(greeting(memory.entity, f"at {place.base_url}", "" if run_id else chosen))
        if place.about:
            walk.screen.write(f"{place.about}\n")
        if only_words := memory.why_only_words():
            walk.screen.write(f"{only_words}\n")
        walk_through(memory, walk)


def _refused(text: str) -> int:
    print(text, file=sys.stderr)
    return 1
