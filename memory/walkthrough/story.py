"""The tour's story, read from `tour.toml`: a person's two sessions with her assistant, tasks, a request."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from memory.ingest.incoming import IncomingMessage
from memory.skills.traces import IncomingStep


@dataclass(frozen=True, slots=True)
class StorySession:
    """One session of the story; its messages bear keys, so that telling it again stores nothing."""

    external_id: str
    title: str
    messages: tuple[IncomingMessage, ...]


@dataclass(frozen=True, slots=True)
class StoryRequest:
    """What an agent is asked to do, and the clock that its context shows."""

    title: str
    text: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class StoryTask:
    """How an agent carried out a task; it bears a key, so that recording it again stores nothing."""

    external_id: str
    task: str
    outcome: str
    occurred_at: datetime
    steps: tuple[IncomingStep, ...]


@cache
def story() -> tuple[StorySession, ...]:
    """The sessions in the order of telling."""
    return tuple(_session(told) for told in _told()["sessions"])


@cache
def tasks() -> tuple[StoryTask, ...]:
    """What was carried out, in its order."""
    return tuple(_task(told) for told in _told()["tasks"])


@cache
def procedure_title() -> str:
    """What the act about them is called."""
    return str(_told()["procedure"]["title"])


@cache
def risky_request() -> StoryRequest:
    """What the standing rules speak against."""
    return StoryRequest(**_told()["request"])


def _told() -> dict[str, Any]:
    return tomllib.loads((files("memory.walkthrough") / "tour.toml").read_text(encoding="utf-8"))


def _session(told: Mapping[str, Any]) -> StorySession:
    name = told["external_id"]
    messages = tuple(
        IncomingMessage(session=name, dedupe_key=f"{name}:{number}", **message)
        for number, message in enumerate(told["messages"])
    )
    return StorySession(external_id=name, title=told["title"], messages=messages)


def _task(told: Mapping[str, Any]) -> StoryTask:
    steps = tuple(IncomingStep.model_validate(step) for step in told["steps"])
    return StoryTask(**{**told, "steps": steps})
