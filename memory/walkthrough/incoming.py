"""The story as the rooms of this process take it in."""

from __future__ import annotations

from dataclasses import asdict

from memory.ingest.incoming import IncomingMessage
from memory.skills.traces import IncomingStep
from memory.walkthrough.story import StorySession, StoryTask


def incoming_messages(session: StorySession) -> tuple[IncomingMessage, ...]:
    """What is said in a session."""
    return tuple(IncomingMessage.model_validate(asdict(said)) for said in session.messages)


def incoming_steps(task: StoryTask) -> tuple[IncomingStep, ...]:
    """How a task is carried out."""
    return tuple(IncomingStep.model_validate(asdict(step)) for step in task.steps)
