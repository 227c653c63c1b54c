"""Contexts and answers of this process's database, as the terminal's records."""

from __future__ import annotations

from memory.measuring.answers import recorded_answer
from memory.models import Entity
from memory.recall.context import ContextRequest, render_context
from memory.walkthrough.access import Answered, Cited, MemoryProblemError, Rendered


def rendered(entity: Entity, request: ContextRequest) -> Rendered:
    """The context for a task."""
    context = render_context(entity, request)
    return Rendered(
        text=context.text,
        sha256=context.sha256,
        tokens=context.tokens,
        stable_prefix_bytes=context.stable_prefix_bytes,
        manifest=context.manifest,
    )


def answered(entity: Entity, question: str) -> Answered:
    """A cited answer; MemoryProblemError for a question without words."""
    try:
        answer = recorded_answer(entity, question)
    except ValueError as problem:
        raise MemoryProblemError(str(problem)) from problem
    return Answered(
        text=answer.text,
        citations=tuple(
            Cited(
                handle=cited.handle,
                kind=cited.kind,
                id=cited.id,
                text=cited.text,
                speaker=cited.speaker,
                said_at=cited.said_at,
                session=cited.session,
            )
            for cited in answer.citations
        ),
        gaps=answer.gaps,
        model=answer.model,
        problem=answer.problem,
    )
