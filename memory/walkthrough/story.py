"""The tour's story, read from `tour.toml`: a person's two sessions with her assistant, tasks, a request."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class StoryMessage:
    """Something that is said, by whom and when; its key makes telling it again store nothing."""

    session: str
    role: str
    speaker: str
    occurred_at: datetime
    text: str
    dedupe_key: str


@dataclass(frozen=True, slots=True)
class StorySession:
    """One session of the story."""

    external_id: str
    title: str
    messages: tuple[StoryMessage, ...]


@dataclass(frozen=True, slots=True)
class StoryRequest:
    """What an agent is asked to do, and the clock that its context shows."""

    title: str
    text: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class StoryStep:
    """One step of a task."""

    kind: str
    text: str
    tool_name: str = ""


@dataclass(frozen=True, slots=True)
class StoryTask:
    """How an agent carried out a task; it bears a key, so that recording it again stores nothing."""

    external_id: str
    task: str
    outcome: Literal["success", "partial", "failure", "unknown"]
    occurred_at: datetime
    steps: tuple[StoryStep, ...]


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
        StoryMessage(session=name, dedupe_key=f"{name}:{number}", **message)
        for number, message in enumerate(told["messages"])
    )
    return StorySession(external_id=name, title=told["title"], messages=messages)


def _task(told: Mapping[str, Any]) -> StoryTask:
    steps = tuple(StoryStep(**step) for step in told["steps"])
    return StoryTask(**{**told, "steps": steps})
