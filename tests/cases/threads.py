"""Doing things at the same time, as other processes would."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections

WAIT_SECONDS = 20


def at_once(*actions: Callable[[], object]) -> None:
    """Each in a thread and a connection of its own, all begun together; raises what any of them raised."""
    barrier = threading.Barrier(len(actions))
    errors: list[BaseException] = []

    def act(action: Callable[[], object]) -> None:
        try:
            barrier.wait(WAIT_SECONDS)
            action()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=act, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    if errors:
        raise BaseExceptionGroup("of actions done at once", errors)
    assert not any(thread.is_alive() for thread in threads)
