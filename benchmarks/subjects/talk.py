"""Calls and prompt tokens of a conversation: one message each six seconds, under shipped times of waking.

The clock of the worker runs ten times as fast, unless real time is asked for: its times of waking and the
pause between two messages are a tenth. What a step takes by itself is not shortened, so a few more messages
may meet in one step than would in real time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.cascade import is_at_rest
from benchmarks.figures import Figure
from benchmarks.ground import Ground
from benchmarks.processes import wait_until, working
from benchmarks.sizing import PEOPLE, PLACES, THINGS

if TYPE_CHECKING:
    from memory.models import Entity

PAUSE_SECONDS = 6.0
FASTER = 10
QUARTERS = 4
SEED = 11
SHIPPED_SECONDS = {
    "MEMSEEK_WAKE_QUIET_SECONDS": 2.0,
    "MEMSEEK_WAKE_LATEST_SECONDS": 30.0,
    "MEMSEEK_SCENE_INTERVAL_SECONDS": 16.0,
    "MEMSEEK_PERSONA_INTERVAL_SECONDS": 30.0,
    "MEMSEEK_PROMOTION_SECONDS": 60.0,
    "MEMSEEK_SWEEP_SECONDS": 15.0,
}
SAYINGS = (
    "{person} lives in {place} and works on the {thing}.",
    "The {thing} has to be ready on June {day}, {person} will check it.",
    "Never deploy the {thing} without the approval of {person}.",
    "I prefer short answers when we talk about the {thing} in {place}.",
    "{person} and I talked about the {thing} for an hour, and we keep the plan of June {day}.",
)


def measure_talk(ground: Ground) -> Iterator[Figure]:
    """Calls and tokens for each message, of all, and by quarters of the conversation."""
    rounds = [_talked(ground, number) for number in range(ground.options.repetitions)]
    count = ground.options.talk
    pace = "in real time" if ground.options.is_real_time else f"the clock ran {FASTER} times as fast"
    yield Figure("calls a message", "calls", tuple(len(prompts) / count for prompts in rounds), note=pace)
    yield Figure(
        "prompt tokens a message",
        "tokens",
        tuple(sum(tokens for _, tokens in prompts) / count for prompts in rounds),
        samples=tuple(tokens for prompts in rounds for _, tokens in prompts),
        note=f"{pace}; the samples are single prompts",
    )
    quarters = [_by_quarter(prompts, count) for prompts in rounds]
    for quarter in range(QUARTERS):
        name = f"prompt tokens a message, quarter {quarter + 1}"
        yield Figure(name, "tokens", tuple(found[quarter] for found in quarters))
    # On a machine that is much too busy a quarter may pass without a call.
    if all(found[1] for found in quarters):
        rises = tuple(found[3] / found[1] for found in quarters)
        yield Figure("prompt tokens, last quarter by the second", "times", rises)


def _talked(ground: Ground, number: int) -> list[tuple[float, int]]:
    """For each prompt of a conversation: how much of it had been said, and its tokens."""
    entity = ground.entity(f"agent.talk-{number}")
    faster = 1 if ground.options.is_real_time else FASTER
    scaled = {name: str(seconds / faster) for name, seconds in SHIPPED_SECONDS.items()}
    asked = ground.stub.requests
    first = len(asked)
    said: list[int] = []
    with working(**scaled):
        for text in sayings(ground.options.talk):
            said.append(len(asked))
            _say(entity, text)
            time.sleep(PAUSE_SECONDS / faster)
        wait_until(lambda: is_at_rest(entity), "the end of the conversation", seconds=120)
    return [
        (sum(before <= place for before in said), prompt_tokens(request.body))
        for place, request in enumerate(asked[first:], start=first)
    ]


def sayings(count: int) -> list[str]:
    """So many, seeded; each says something that a model would keep."""
    chosen = random.Random(SEED)  # noqa: S311 - made-up talk, the same each time
    return [
        chosen.choice(SAYINGS).format(
            person=chosen.choice(PEOPLE),
            place=chosen.choice(PLACES),
            thing=chosen.choice(THINGS),
            day=chosen.randrange(1, 29),
        )
        for _ in range(count)
    ]


def prompt_tokens(body: dict[str, Any]) -> int:
    """Of all messages of a request."""
    from memory.recall.tokens import count_tokens

    return sum(count_tokens(message["content"]) for message in body["messages"])


def _by_quarter(prompts: Sequence[tuple[float, int]], count: int) -> list[float]:
    """Tokens for each message of a quarter, by what had been said when a prompt was made."""
    sums = [0.0] * QUARTERS
    for said, tokens in prompts:
        sums[min(QUARTERS - 1, int((said - 1) * QUARTERS / count))] += tokens
    return [tokens * QUARTERS / count for tokens in sums]


def _say(entity: Entity, text: str) -> None:
    from memory.ingest.incoming import IncomingMessage
    from memory.ingest.messages import append_messages

    message = IncomingMessage(session="talk", role="user", speaker="Alice", text=text)
    append_messages(entity=entity, messages=[message])
