"""A model for tests that says what it is told to say, in order."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from memory.llm.guard import refuse_inside_transaction
from memory.llm.protocol import ModelReply, ModelRequest

Said = str | Mapping[str, Any] | BaseModel | ModelReply | Exception
Script = Said | Callable[[ModelRequest], Said]


class ScriptedModel:
    """Answers with the next entry of the script and keeps every request.

    An entry is a text, a JSON object (mapping or pydantic), a whole ModelReply, an exception to raise, or a
    function of the request that gives one of these. When the script is at its end, `otherwise` answers;
    without it, AssertionError says which request was one too many. Like every model it refuses to run inside
    a transaction.
    """

    def __init__(
        self, script: Iterable[Script] = (), *, otherwise: Script | None = None, name: str = "scripted@1"
    ) -> None:
        self.script = list(script)
        self.otherwise = otherwise
        self.requests: list[ModelRequest] = []
        self._name = name
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._name

    @property
    def tasks(self) -> list[str]:
        """The task of each request, in order."""
        return [request.task for request in self.requests]

    def answer(self, request: ModelRequest) -> ModelReply:
        refuse_inside_transaction()
        said = self._next(request)
        if callable(said) and not isinstance(said, type):
            said = said(request)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, ModelReply) else ModelReply(text=_text(said), model=self._name)

    def _next(self, request: ModelRequest) -> Script:
        with self._lock:
            self.requests.append(request)
            if self.script:
                return self.script.pop(0)
        if self.otherwise is None:
            raise AssertionError(f"Request {len(self.requests)} ({request.task}) is beyond the script.")
        return self.otherwise


def by_task(answers: Mapping[str, Script]) -> Callable[[ModelRequest], Said]:
    """An entry that answers each task in its own way; a task that is not named is an AssertionError."""

    def answer(request: ModelRequest) -> Said:
        if request.task not in answers:
            raise AssertionError(f"No answer is set for the task {request.task}.")
        said = answers[request.task]
        return said(request) if callable(said) else said

    return answer


def _text(said: object) -> str:
    if isinstance(said, BaseModel):
        return said.model_dump_json()
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
