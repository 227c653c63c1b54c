"""Answers of a model for one step each, as the stub gives them over HTTP, and what its prompts showed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.answers import ATOM, LINE, NOTHING, task_of
from tests.stub_provider import Reply, StubProvider

Answer = Mapping[str, Any] | Reply
Script = Answer | Callable[[str], Answer]


def by_step(**scripts: Script) -> Callable[[dict[str, Any]], Reply]:
    """Answers each step in its own way: by an answer, or by a function of the prompt; others find nothing."""

    def respond(body: dict[str, Any]) -> Reply:
        script = scripts.get(task_of(body), NOTHING)
        said = script(prompt_of(body)) if callable(script) else script
        return said if isinstance(said, Reply) else Reply.json(said)

    return respond


def prompt_of(body: Mapping[str, Any]) -> str:
    """The user's part of a request."""
    return str(body["messages"][-1]["content"])


def prompts(stub: StubProvider, task: str) -> list[str]:
    """What a step showed the model, each time."""
    asked = [request.body for request in stub.requests if "messages" in request.body]
    return [prompt_of(body) for body in asked if task_of(body) == task]


def to_read(prompt: str) -> str:
    """The part of an extraction's prompt with the messages that are to be read."""
    return prompt.partition("Messages to read:")[2]


def atom_handle(prompt: str, text: str) -> str:
    """The handle under which a prompt shows a claim."""
    return next(
        found[1] for row in prompt.split("\n") if (found := ATOM.match(row)) and json.loads(found[3]) == text
    )


def line_handle(prompt: str, text: str) -> str:
    """The handle under which a prompt shows a line of a scene."""
    return next(
        found[1] for row in prompt.split("\n") if (found := LINE.match(row)) and json.loads(found[6]) == text
    )
