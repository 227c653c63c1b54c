"""Any model behind an OpenAI-compatible address: negotiates, tries again, falls back, keeps account.

Three loops, outermost first: over the models of the chain, over tries at one model (pauses between them),
and over ways of asking until the endpoint bears one. All of them share one deadline and one tally.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory.llm.abilities import (
    Abilities,
    AbilityMemory,
    DatabaseModeStore,
    is_context_overflow,
    refused_ability,
)
from memory.llm.accounting import Tally
from memory.llm.completions import Completion, completion_body, has_asked_shape, read_completion
from memory.llm.endpoints import Endpoint
from memory.llm.openai_wire import StatusError, exchange
from memory.llm.pacing import Deadline, Pace, Slots
from memory.llm.protocol import (
    BudgetExceeded,
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
# What is asked for when prompt and answer do not fit together.
SMALL_ANSWER_TOKENS = 1_024

_slots = Slots()
_memory = AbilityMemory(DatabaseModeStore())


class OpenAICompatibleModel:
    """Answers through the endpoints behind the request's alias, in their order.

    A model is left for the next one when it fails for good or has used up its tries. The reply names the
    model that answered; an error that all of them share says what each of them said, and is transient when
    any of them may recover.
    """

    def __init__(
        self,
        chains: Mapping[ModelAlias, Sequence[Endpoint]],
        *,
        alias: ModelAlias = "strong",
        pace: Pace | None = None,
        memory: AbilityMemory = _memory,
    ) -> None:
        self._chains = chains
        self._alias = alias
        self._pace = pace or Pace()
        self._memory = memory

    @property
    def name(self) -> str:
        """The first model behind the alias this one was made for."""
        return self._chains[self._alias][0].model

    def __repr__(self) -> str:
        return f"OpenAICompatibleModel({self.name!r})"

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

    def _tried(
        self, endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally
    ) -> Completion:
        """One model's answer, after as many tries as its pace allows."""
        tries = 0
        while True:
            tries += 1
            try:
                return self._negotiated(endpoint, request, deadline, tally)
            except TransientModelError as error:
                pause = (
                    None if _is_quota(error) else self._pace.pause_seconds(tries, error.retry_after_seconds)
                )
                if pause is None or pause >= deadline.remaining_seconds:
                    raise
            self._pace.sleep(pause)

    def _negotiated(
        self, endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally
    ) -> Completion:
        """One model's answer to the first way of asking that it bears."""
        abilities = self._memory.recall(endpoint)
        while True:
            try:
                completion = self._asked(endpoint, request, abilities, deadline, tally)
            except StatusError as failure:
                if _is_overflow(failure) and request.max_output_tokens > SMALL_ANSWER_TOKENS:
                    # Many servers count the room kept for the answer; most answers need little of it.
                    request = replace(request, max_output_tokens=SMALL_ANSWER_TOKENS)
                else:
                    abilities = _adapted(abilities, failure)
                continue
            following = self._judged(endpoint, request, abilities, completion)
            if following is None:
                return completion
            abilities = following

    def _asked(
        self,
        endpoint: Endpoint,
        request: ModelRequest,
        abilities: Abilities,
        deadline: Deadline,
        tally: Tally,
    ) -> Completion:
        """One exchange, counted."""
        if deadline.is_over:
            raise TransientModelError("timeout", "No time was left for another request.")
        body = completion_body(request, endpoint.model, abilities)
        with _slots.taken(endpoint.base_url, endpoint.concurrency, deadline):
            tally.count_call()
            response = exchange(endpoint, body, deadline)
        try:
            completion = read_completion(response, request, endpoint)
        except ModelError as error:
            tally.add_tokens_of(error, endpoint.price)
            raise
        tally.add(completion.usage, endpoint.price)
        return completion

    def _judged(
        self, endpoint: Endpoint, request: ModelRequest, abilities: Abilities, completion: Completion
    ) -> Abilities | None:
        """What to ask instead when an unproven way of asking was ignored; None to take the answer."""
        if completion.finish_reason != "stop":
            # Half an answer proves no shape, but the endpoint did take the request as it was.
            self._memory.learn(endpoint, abilities)
            return None
        if has_asked_shape(completion.text, request):
            self._memory.learn(endpoint, abilities.proven())
            return None
        if abilities.is_mode_proven:
            self._memory.learn(endpoint, abilities.disappointed())
            return None
        return abilities.without("json_mode")


def _adapted(abilities: Abilities, failure: StatusError) -> Abilities:
    """Abilities without the one that the endpoint refused; raises when the error is about something else."""
    if _is_overflow(failure):
        raise PermanentModelError("context_length", failure.message, raw=failure.raw)
    refused = refused_ability(failure.status, failure.raw, abilities)
    following = abilities.without(refused) if refused else None
    if following is None:
        raise failure.translated()
    return following


def _is_overflow(failure: StatusError) -> bool:
    return is_context_overflow(failure.status, failure.raw)


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
