"""What every provider of models shares: tries, pauses, fallbacks, limits and one account for an answer.

Two loops, outermost first: over the models of the chain, and over tries at one model (pauses between them).
How one model is asked once is the provider's part (`Ask`). All of it shares one deadline and one tally.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from memory.llm.accounting import Tally, Usage, estimated_tokens
from memory.llm.answers import Answer, UnreadableAnswerError, read_answer
from memory.llm.endpoints import Endpoint
from memory.llm.pacing import Deadline, Pace, Slots
from memory.llm.protocol import (
    BudgetExceeded,
    FinishReason,
    ModelAlias,
    ModelError,
    ModelReply,
    ModelRequest,
    PermanentModelError,
    TransientModelError,
)

# A model that has others behind it leaves them some of the time.
SHARE_BEFORE_A_FALLBACK = 2 / 3
# Errors by which a provider says "not before somebody pays": waiting seconds does not help.
EXHAUSTED_QUOTA_WORDS = ("insufficient_quota", "billing_hard_limit", "insufficient credits")
LONGEST_MESSAGE_CHARACTERS = 900

SLOTS = Slots()


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote, why it stopped and what it used."""

    text: str
    finish_reason: FinishReason
    usage: Usage


Ask: TypeAlias = Callable[[Endpoint, ModelRequest, Deadline, Tally], Completion]
"""Asks one model once, or until it bears a way of asking; raises transient and permanent ModelErrors."""


class ChainedModel:
    """Answers through the endpoints behind the request's alias, in their order.

    A model is left for the next one when it fails for good or has used up its tries. The reply names the
    model that answered; an error that all of them share says what each of them said, and is transient when
    any of them may recover.
    """

    def __init__(
        self,
        chains: Mapping[ModelAlias, Sequence[Endpoint]],
        ask: Ask,
        *,
        alias: ModelAlias = "strong",
        pace: Pace | None = None,
    ) -> None:
        self._chains = chains
        self._ask = ask
        self._alias = alias
        self._pace = pace or Pace()

    @property
    def name(self) -> str:
        """The first model behind the alias this one was made for."""
        return self._chains[self._alias][0].model

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def answer(self, request: ModelRequest) -> ModelReply:
        """Answer through the first model that can, or raise a ModelError that counts every request sent."""
        chain = self._chains[request.alias]
        tally, deadline = Tally(max_calls=request.max_calls), Deadline(request.timeout_seconds)
        failures: list[tuple[Endpoint, ModelError]] = []
        for position, endpoint in enumerate(chain):
            is_last = position == len(chain) - 1
            own_deadline = deadline if is_last else deadline.part(SHARE_BEFORE_A_FALLBACK)
            try:
                completion = self._tried(endpoint, request, own_deadline, tally)
            except BudgetExceeded as error:
                raise _counted(error, tally) from None
            except ModelError as error:
                failures.append((endpoint, error))
            else:
                return _reply(completion, endpoint, tally)
        raise _counted(_summary(failures), tally)

    async def generate(
        self, prompt: str, *, response_model: type[Answer], timeout_seconds: float = 120.0
    ) -> Answer:
        """An instance of `response_model` in answer to one prompt: the seam's own method (`seams`).

        What does not fit is asked for once more with its faults told. Raises a ModelError.
        """
        request = ModelRequest(
            task="generate",
            system="",
            user=prompt,
            schema=response_model,
            payload=None,
            timeout_seconds=timeout_seconds,
        )
        reply = await asyncio.to_thread(self.answer, request)
        try:
            return _read(reply, response_model)
        except UnreadableAnswerError as error:
            told = f"{prompt}\n\nAn earlier answer could not be used. {error}"
        reply = await asyncio.to_thread(self.answer, replace(request, user=told))
        try:
            return _read(reply, response_model)
        except UnreadableAnswerError as error:
            failure = TransientModelError("invalid_answer", str(error))
        raise failure

    def _tried(
        self, endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally
    ) -> Completion:
        """One model's answer, after as many tries as its pace allows."""
        tries = 0
        while True:
            tries += 1
            try:
                return self._ask(endpoint, request, deadline, tally)
            except TransientModelError as error:
                pause = (
                    None if _is_quota(error) else self._pace.pause_seconds(tries, error.retry_after_seconds)
                )
                if pause is None or pause >= deadline.remaining_seconds:
                    raise
            self._pace.sleep(pause)


def exchanged(
    send: Callable[[], Completion], *, endpoint: Endpoint, deadline: Deadline, tally: Tally
) -> Completion:
    """One exchange within the limits of time, requests at once and calls, and what it cost added."""
    ensure_time(deadline)
    with SLOTS.taken(endpoint.address, endpoint.concurrency, deadline):
        tally.count_call()
        try:
            completion = send()
        except ModelError as error:
            tally.add_tokens_of(error, endpoint.price)
            raise
    tally.add(completion.usage, endpoint.price)
    return completion


def ensure_time(deadline: Deadline) -> None:
    """Raise TransientModelError (`timeout`) when there is no time for another request."""
    if deadline.is_over:
        raise TransientModelError("timeout", "No time was left for another request.")


def usage_of(request: ModelRequest, text: str, tokens_in: int | None, tokens_out: int | None) -> Usage:
    """The usage as reported, estimated where a number is missing."""
    if tokens_in is not None and tokens_out is not None:
        return Usage(tokens_in, tokens_out)
    asked = estimated_tokens(request.system) + estimated_tokens(request.user)
    return Usage(
        asked if tokens_in is None else tokens_in,
        estimated_tokens(text) if tokens_out is None else tokens_out,
        is_estimated=True,
    )


def completed(text: str, finish_reason: FinishReason, usage: Usage) -> Completion:
    """A completion; TransientModelError (`empty_answer`) for one that ended well and says nothing."""
    if not text.strip() and finish_reason == "stop":
        raise TransientModelError(
            "empty_answer", "The model wrote nothing.", tokens_in=usage.tokens_in, tokens_out=usage.tokens_out
        )
    return Completion(text, finish_reason, usage)


def _read(reply: ModelReply, schema: type[Answer]) -> Answer:
    if reply.finish_reason == "length":
        raise PermanentModelError("cut_off", "The answer is longer than the model may write.")
    if reply.finish_reason == "refusal":
        raise PermanentModelError("refusal", "The provider or the model refused to answer.", raw=reply.text)
    return read_answer(reply.text, schema)


def _is_quota(error: ModelError) -> bool:
    return any(words in error.raw.lower() for words in EXHAUSTED_QUOTA_WORDS)


def _reply(completion: Completion, endpoint: Endpoint, tally: Tally) -> ModelReply:
    return ModelReply(
        text=completion.text,
        model=endpoint.model,
        finish_reason=completion.finish_reason,
        tokens_in=tally.tokens_in,
        tokens_out=tally.tokens_out,
        cost=tally.cost,
        milliseconds=tally.milliseconds,
        calls=tally.calls,
        is_usage_estimated=tally.is_usage_estimated,
    )


def _summary(failures: Sequence[tuple[Endpoint, ModelError]]) -> ModelError:
    """One error for the whole chain; the first model's own when there was no other."""
    transient = [error for _, error in failures if isinstance(error, TransientModelError)]
    chosen = transient[0] if transient else failures[0][1]
    if len(failures) > 1:
        message = "; ".join(f"{endpoint.model}: {error}" for endpoint, error in failures)
        chosen.message = message[:LONGEST_MESSAGE_CHARACTERS]
        waits = [error.retry_after_seconds for error in transient if error.retry_after_seconds is not None]
        chosen.retry_after_seconds = min(waits, default=None)
    return chosen


def _counted(error: ModelError, tally: Tally) -> ModelError:
    error.calls, error.tokens_in, error.tokens_out = tally.calls, tally.tokens_in, tally.tokens_out
    return error
