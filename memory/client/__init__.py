"""The client: a memory over HTTP, for programs that need neither Django nor its settings.

`Memory` calls from a thread, `AsyncMemory` from an event loop; both do the same, for every method is written
once. docs/client.md shows them at work.
"""

from memory.client.chats import AnthropicChat
from memory.client.claim_results import Claim, Observed, Outcome
from memory.client.errors import (
    ConfigurationError,
    ConflictError,
    MemseekError,
    NotFoundError,
    ParkedError,
    RateLimitedError,
    RedirectedError,
    RefusedError,
    ServerError,
    StillWaitingError,
    UnauthorisedError,
    UnreachableError,
)
from memory.client.given import Authority, Evidence, NewMessage, NewTurn, SubjectRef
from memory.client.memory import AsyncMemory, Memory
from memory.client.results import (
    Answer,
    Atom,
    Citation,
    CitedMessage,
    Fact,
    Graph,
    Health,
    Hit,
    Node,
    Promoted,
    Recalled,
    Receipt,
    Record,
    SessionSummary,
    StoredMessage,
    TaskContext,
    Trace,
    TraceNode,
)
from memory.client.sessions import NOW, AsyncSession, Session
from memory.client.turn_results import AddedTurn, Context, Digest, RecalledClaim, SessionRecord, Turn

__all__ = [
    "NOW",
    "AddedTurn",
    "Answer",
    "AnthropicChat",
    "AsyncMemory",
    "AsyncSession",
    "Atom",
    "Authority",
    "Citation",
    "CitedMessage",
    "Claim",
    "ConfigurationError",
    "ConflictError",
    "Context",
    "Digest",
    "Evidence",
    "Fact",
    "Graph",
    "Health",
    "Hit",
    "Memory",
    "MemseekError",
    "NewMessage",
    "NewTurn",
    "Node",
    "NotFoundError",
    "Observed",
    "Outcome",
    "ParkedError",
    "Promoted",
    "RateLimitedError",
    "Recalled",
    "RecalledClaim",
    "Receipt",
    "Record",
    "RedirectedError",
    "RefusedError",
    "ServerError",
    "Session",
    "SessionRecord",
    "SessionSummary",
    "StillWaitingError",
    "StoredMessage",
    "SubjectRef",
    "TaskContext",
    "Trace",
    "TraceNode",
    "Turn",
    "UnauthorisedError",
    "UnreachableError",
]
