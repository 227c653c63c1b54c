"""What a server refuses, as words for the person at the prompt. None of them holds a key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from memory.client import (
    ConflictError,
    MemseekError,
    RateLimitedError,
    ServerError,
    UnauthorisedError,
    UnreachableError,
)
from memory.recall.records import Candidate
from memory.recall.short_ids import NoIdError
from memory.walkthrough.access import MemoryProblemError

UNKNOWN_KEY = 401
AMBIGUOUS = "ambiguous"


@contextmanager
def problems_told() -> Iterator[None]:
    """Turn what the client raises into a MemoryProblemError."""
    try:
        yield
    except NoIdError as problem:
        raise MemoryProblemError(str(problem)) from problem
    except ConflictError as problem:
        if problem.error != AMBIGUOUS:
            raise MemoryProblemError(told(problem)) from problem
        candidates = tuple(
            Candidate(str(one["kind"]), UUID(str(one["id"])), str(one["text"])) for one in problem.candidates
        )
        raise MemoryProblemError(f"{len(candidates)} records have such an id.", candidates) from problem
    except MemseekError as problem:
        raise MemoryProblemError(told(problem)) from problem


def told(problem: MemseekError) -> str:
    """One sentence or two about a failed call."""
    if problem.problems:
        refused = "; ".join(f"{found.get('field')} {found.get('problem')}" for found in problem.problems)
        return f"Not stored: {refused}."
    if isinstance(problem, UnreachableError):
        return f"{problem.detail} Is the server up, and MEMSEEK_BASE_URL its address?"
    if isinstance(problem, UnauthorisedError) and problem.status == UNKNOWN_KEY:
        return "The server does not take this key: it is unknown, revoked or expired (MEMSEEK_API_KEY)."
    if isinstance(problem, UnauthorisedError):
        return f"This key does not cover that. {problem.detail}"
    if isinstance(problem, RateLimitedError):
        return f"The server has had too many requests. {problem.detail}"
    if isinstance(problem, ServerError):
        return f"The server failed. {problem.detail}"
    return problem.detail
