"""What the clients of `benchmarks.scaling` say and ask: the same words in the same order each time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

from benchmarks.load import Request
from benchmarks.sizing import PEOPLE, PLACES, THINGS
from benchmarks.subjects.talk import sayings

AT_ONCE = 10
"""Messages of a request."""
QUESTIONS = (
    "Who checks the {thing} before it is deployed?",
    "When does the {thing} have to be ready?",
    "Where does {person} live, and what is {person} working on?",
    "What was said about the {thing} in {place}?",
)
SAID_AT = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)
CLIENTS = 8
WARM = tuple(f"agent.warm-{number}" for number in range(8))


def names(entities: int) -> list[str]:
    """Of the entities."""
    return [f"agent.scaling-{number}" for number in range(entities)]


def records(entities: Sequence[str], client: int, messages: int) -> list[Request]:
    """The requests of one client: the messages of every eighth entity, of each one session in its order."""
    own = list(enumerate(entities))[client::CLIENTS]
    return [
        (
            "POST",
            "/records",
            {"entity": name, "messages": _messages(place, messages)[start : start + AT_ONCE]},
        )
        for start in range(0, messages, AT_ONCE)
        for place, name in own
    ]


def questions(entities: Sequence[str], client: int, count: int) -> list[Request]:
    """So many recalls of one client, no two alike: a question's vector is remembered for a while."""
    chosen = random.Random(client)  # noqa: S311 - the same questions each time
    return [
        ("GET", f"/api/v1/recall?{urlencode({'entity': chosen.choice(entities), 'query': query})}", None)
        for query in (f"{_question(chosen)} ({client}.{number})" for number in range(count))
    ]


def _messages(place: int, count: int) -> list[dict[str, str]]:
    """The talk of an entity; each says something else, and all have the times that they had."""
    texts = sayings(count * (place + 1))[-count:]
    return [
        {
            "session": "talk",
            "role": "user",
            "speaker": "Alice",
            "text": text,
            "occurred_at": (SAID_AT + timedelta(minutes=number)).isoformat(),
        }
        for number, text in enumerate(texts)
    ]


def _question(chosen: random.Random) -> str:
    words = {"person": chosen.choice(PEOPLE), "place": chosen.choice(PLACES), "thing": chosen.choice(THINGS)}
    return chosen.choice(QUESTIONS).format(**words)
