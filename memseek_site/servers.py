"""Before a process serves: refuse wrong settings, and have the servers that it needs."""

import gc
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.core import checks
from django.urls import get_resolver

from memseek_site.allocator import limit_arenas
from memseek_site.checks import SETTINGS
from memseek_site.embedded.errors import EmbeddedError
from memseek_site.embedded.users import EmbeddedUse, ensure_embedded
from memseek_site.logs import tell_of_lost_threads

OBJECTS_BETWEEN_COLLECTIONS = 5_000
"""Python looks for rings of garbage after each 700 objects: some eighty times while one context is made."""


def use_servers() -> EmbeddedUse | None:
    """Have the embedded servers running for as long as this process lives; None when none is embedded.

    Raises EmbeddedError when they cannot run.
    """
    needed = {"postgres": settings.IS_DATABASE_EMBEDDED, "broker": settings.IS_BROKER_EMBEDDED}
    needs = frozenset(name for name, is_needed in needed.items() if is_needed)
    return ensure_embedded(settings.DATA_DIR, needs=needs) if needs else None


def ensure_servers() -> EmbeddedUse | None:
    """The same for programs: ends the process with the reason when the servers cannot run."""
    try:
        return use_servers()
    except EmbeddedError as problem:
        sys.exit(f"memseek: {problem}")


def refuse_wrong_settings() -> None:
    """End the process with every serious finding of the checks of the settings and its hint."""
    findings = [finding for finding in checks.run_checks(tags=[SETTINGS]) if finding.is_serious()]
    if findings:
        sys.exit("\n".join(["memseek: the settings are wrong, nothing was started.", *map(str, findings)]))


def prepare_server() -> None:
    """What every long-running process does first."""
    limit_arenas()
    refuse_wrong_settings()
    tell_of_lost_threads()
    ensure_servers()


def end_streams_first() -> None:
    """Have a signal that ends the server end its streams, which it would wait for without an end."""
    from memory.events.hub import end_streams

    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        following = signal.getsignal(number)
        if callable(following):
            signal.signal(number, partial(_end, end_streams, following))


def _end(
    end_streams: Callable[[], None], following: Callable[[int, Any], Any], number: int, frame: Any
) -> None:
    end_streams()
    following(number, frame)


def keep_what_is_loaded() -> None:
    """Load what the first request would, and leave all of it out of garbage collection from now on.

    It lives as long as the process: looking through 160,000 objects again and again finds nothing to free.
    From then on only what requests make is looked through.
    """
    from memory.ingest.redaction import load_redaction

    get_resolver().url_patterns  # noqa: B018 - read to be loaded
    load_redaction()
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
