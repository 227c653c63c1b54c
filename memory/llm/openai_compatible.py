"""Any model behind an OpenAI-compatible address: asked in the way that the endpoint bears."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory.llm.abilities import (
    Abilities,
    AbilityMemory,
    DatabaseModeStore,
    is_context_overflow,
    refused_ability,
)
from memory.llm.accounting import Tally
from memory.llm.answers import has_asked_shape
from memory.llm.chained import ChainedModel, Completion, exchanged
from memory.llm.completions import completion_body, read_completion
from memory.llm.endpoints import Endpoint
from memory.llm.openai_wire import exchange
from memory.llm.pacing import Deadline, Pace
from memory.llm.protocol import ModelAlias, ModelRequest, PermanentModelError
from memory.llm.wire import StatusError

# What is asked for when prompt and answer do not fit together.
SMALL_ANSWER_TOKENS = 1_024

_memory = AbilityMemory(DatabaseModeStore())


class OpenAICompatibleModel(ChainedModel):
    """A chain of models behind OpenAI-compatible addresses, each asked in the way found for it."""

    def __init__(
        self,
        chains: Mapping[ModelAlias, Sequence[Endpoint]],
        *,
        alias: ModelAlias = "strong",
        pace: Pace | None = None,
        memory: AbilityMemory = _memory,
    ) -> None:
        super().__init__(chains, Negotiation(memory).ask, alias=alias, pace=pace)


@dataclass(frozen=True, slots=True)
class Negotiation:
    """Asks until the endpoint bears a way of asking, and remembers which one that was."""

    memory: AbilityMemory

    def ask(self, endpoint: Endpoint, request: ModelRequest, deadline: Deadline, tally: Tally) -> Completion:
        """One model's answer to the first way of asking that it bears."""
        abilities = self.memory.recall(endpoint)
        while True:
            send = partial(_sent, endpoint, request, abilities, deadline)
            try:
                completion = exchanged(send, endpoint=endpoint, deadline=deadline, tally=tally)
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

    def _judged(
        self, endpoint: Endpoint, request: ModelRequest, abilities: Abilities, completion: Completion
    ) -> Abilities | None:
        """What to ask instead when an unproven way of asking was ignored; None to take the answer."""
        if completion.finish_reason != "stop":
            # Half an answer proves no shape, but the endpoint did take the request as it was.
            self.memory.learn(endpoint, abilities)
            return None
        if has_asked_shape(completion.text, request.schema):
            self.memory.learn(endpoint, abilities.proven())
            return None
        if abilities.is_mode_proven:
            self.memory.learn(endpoint, abilities.disappointed())
            return None
        return abilities.without("json_mode")


def _sent(endpoint: Endpoint, request: ModelRequest, abilities: Abilities, deadline: Deadline) -> Completion:
    body = completion_body(request, endpoint.model, abilities)
    return read_completion(exchange(endpoint, body, deadline), request, endpoint)


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
