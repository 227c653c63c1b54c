"""The tour's story: two sessions of one person with her assistant, read from `tour.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from memory.ingest.incoming import IncomingMessage


@dataclass(frozen=True, slots=True)
class StorySession:
    """One session of the story; its messages bear keys, so that telling it again stores nothing."""

    external_id: str
    title: str
    messages: tuple[IncomingMessage, ...]


@cache
def story() -> tuple[StorySession, ...]:
    """The sessions in the order of telling."""
    text = (files("memory.walkthrough") / "tour.toml").read_text(encoding="utf-8")
    return tuple(_session(told) for told in tomllib.loads(text)["sessions"])


def _session(told: Mapping[str, Any]) -> StorySession:
    name = told["external_id"]
    messages = tuple(
        IncomingMessage(session=name, dedupe_key=f"{name}:{number}", **message)
        for number, message in enumerate(told["messages"])
    )
    return StorySession(external_id=name, title=told["title"], messages=messages)
