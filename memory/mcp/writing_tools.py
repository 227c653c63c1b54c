"""Tools that store words and claims."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from memory.api.claim_bodies import observed_body
from memory.api.claim_requests import ClaimGiven
from memory.api.parameters import RecordsGiven, read_records_body
from memory.api.reading import read_body
from memory.api.rendering import records_body
from memory.api.requests import Asked, Moment, Name, Text
from memory.claims.observing import observe_with
from memory.ingest.access import Access
from memory.ingest.incoming import (
    DEDUPE_KEY_LIMIT,
    SESSION_NAME_LIMIT,
    read_messages,
)
from memory.ingest.messages import record_messages
from memory.limiting.rates import Kind
from memory.mcp.reading_tools import ENTITY_FIELD
from memory.mcp.tools import Arguments, Body, Hints, Made, Tool
from memory.models.messages import SPEAKER_LIMIT

ADDS = Hints(is_read_only=False, is_idempotent=False)
STORED = "Stored. The claims in it can be recalled some seconds from now; the words at once."


class RememberAsked(Asked):
    """One thing to be kept, as a message."""

    text: Text
    role: Literal["user", "assistant"] = "user"
    speaker: Annotated[str, Field(max_length=SPEAKER_LIMIT)] = ""
    session: Annotated[Name | None, Field(max_length=SESSION_NAME_LIMIT)] = None
    occurred_at: Moment | None = None
    dedupe_key: Annotated[Name | None, Field(max_length=DEDUPE_KEY_LIMIT)] = None

    def message(self) -> dict[str, Any]:
        """The same as `POST /records` takes it."""
        told = self.model_dump(exclude={"entity", "session"}, exclude_defaults=True)
        return {"role": self.role, **told, "session": self.session or f"mcp-{datetime.now(UTC):%Y-%m-%d}"}


def _remember(access: Access, arguments: Arguments) -> Made:
    asked = read_body(RememberAsked, arguments)
    return _stored(access, asked.entity, [asked.message()])


def _record(access: Access, arguments: Arguments) -> Made:
    entity_name, items = read_records_body(arguments)
    return _stored(access, entity_name, items)


def _stored(access: Access, entity_name: str, items: list[Any]) -> Made:
    messages = read_messages(items)
    return records_body(record_messages(access=access, entity_name=entity_name, messages=messages))


def _observe(access: Access, arguments: Arguments) -> Made:
    given = read_body(ClaimGiven, arguments)
    observed = observe_with(access=access, entity_name=given.entity, observation=given.observation())
    return observed_body(given.entity, observed)


def _after_storing(body: Body) -> str:
    return STORED


WRITING = (
    Tool(
        name="remember",
        title="Remember one thing",
        about=(
            "Keep one thing that the user wants remembered or that will matter later: a fact, a preference, a"
            " plan, a rule. Say it so that it can be understood alone. Never pass on what memory returned."
        ),
        scope="write",
        asked=RememberAsked,
        fields={
            "text": "The thing itself, at best in the words in which it was said.",
            **ENTITY_FIELD,
            "role": "Whose words: user for what the person said, assistant for what you conclude.",
            "speaker": "Name of the one who said it.",
            "session": "Session that it belongs to; one for today if left out.",
            "occurred_at": "When it was said, if not now: ISO 8601 with a zone.",
            "dedupe_key": "The same key with the same words stores nothing twice.",
        },
        examples=(
            {"text": "Never deploy on a Friday.", "speaker": "Alice"},
            {"text": "The build runs on Node 24.", "role": "assistant"},
        ),
        run=_remember,
        returns=records_body,
        hints=ADDS,
        cost=Kind.WRITE,
        has_words=False,
        after=_after_storing,
    ),
    Tool(
        name="record",
        title="Record a conversation",
        about=(
            "Store turns of a conversation as they were said, 1 to 100 at once, all or none. Claims are drawn"
            " from them in the background. A transcript that is sent again stores its new end alone."
        ),
        scope="write",
        asked=RecordsGiven,
        fields={
            "messages": (
                "Turns in order. Each needs session (a name), role and text; occurred_at is when it was said"
                " (ISO 8601 with a zone, now if left out)."
            ),
            **ENTITY_FIELD,
        },
        examples=(
            {
                "messages": [
                    {"session": "monday", "role": "user", "speaker": "Alice", "text": "Ship on Tuesday."},
                    {"session": "monday", "role": "assistant", "text": "Noted: Tuesday."},
                ]
            },
        ),
        run=_record,
        returns=records_body,
        hints=ADDS,
        cost=Kind.WRITE,
        has_words=False,
        after=_after_storing,
    ),
    Tool(
        name="observe",
        title="Observe a claim",
        about=(
            "Record a claim with subject, predicate and value, and what it rests on. A higher authority wins"
            " over a lower one; of equal ones the later."
        ),
        scope="write",
        asked=ClaimGiven,
        fields={
            "subject": "What it is about: kind and identifier.",
            "predicate": "What is said of it, such as build.status.",
            "value": "Any JSON value; may be left out where a policy has it fetched.",
            "authority": "Who says so; what you conclude yourself is agent inference.",
            "evidence": "What it rests on: message (an id), or kind and reference of something outside.",
            **ENTITY_FIELD,
            "valid_from": "Since when it holds: ISO 8601 with a zone.",
            "valid_until": "Until when it holds: ISO 8601 with a zone.",
            "said_at": "When it was said, if not now: ISO 8601 with a zone.",
        },
        examples=(
            {
                "subject": {"kind": "service", "identifier": "billing"},
                "predicate": "runtime.version",
                "value": "Node 24",
                "authority": "tool",
                "evidence": [{"kind": "command", "reference": "node --version"}],
            },
        ),
        run=_observe,
        returns=observed_body,
        # A claim takes the place of an earlier one, which stays in its history.
        hints=ADDS,
        cost=Kind.WRITE,
    ),
)
