"""Models that misbehave until they are told to recover."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.answers import answer_to
from tests.stub_provider import Reply


def well(body: dict[str, Any]) -> Reply:
    """What a model that works answers."""
    return Reply.json(answer_to(body))


def garbage() -> Iterator[Reply]:
    """One kind of nonsense after the other, without an end."""
    return itertools.cycle(
        (
            Reply.text('{"items": [{"action": "store", "text": "My ca'),
            Reply.text("<html><body>Bad gateway</body></html>"),
            Reply.json({"items": "all of them"}),
            Reply(body=b'{"choices": [{"mess', cut_after_bytes=12),
            Reply(body=b"\xff\xfe\x00", content_type="application/octet-stream"),
            Reply(closes_at_once=True),
        )
    )


@dataclass
class Mood:
    """Bad answers first, good ones from the moment that it is told to recover."""

    name: str
    bad: Callable[[], Reply]
    kinds: frozenset[str]
    """Of the failed runs that it leads to; empty for any."""
    bad_answers: int = 0
    is_well: bool = False

    def __call__(self, body: dict[str, Any]) -> Reply:
        if self.is_well:
            return well(body)
        self.bad_answers += 1
        return self.bad()


def hanging() -> Mood:
    """Says nothing for longer than anybody waits."""
    return Mood("model hangs", lambda: Reply(wait_seconds=30), frozenset({"timeout"}))


def refusing() -> Mood:
    """Asks to be left alone for a second, again and again."""
    return Mood("model refuses", lambda: Reply.status(429, retry_after="1"), frozenset({"http_429"}))


def raving() -> Mood:
    """Answers with nonsense."""
    nonsense = garbage()
    return Mood("model raves", lambda: next(nonsense), frozenset())
