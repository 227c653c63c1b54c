"""What makes two deliveries the same message."""

from __future__ import annotations

import hashlib
from typing import Any

from memory.ingest.incoming import IncomingMessage
from memory.ingest.recalled import strip_recalled
from memory.ingest.storable import canonical_json, is_blank

_CONTENT = tuple(
    name for name in IncomingMessage.model_fields if name not in {"ordinal", "dedupe_key", "occurred_at"}
)


def content_hash(message: IncomingMessage) -> bytes:
    """SHA-256 over what was said, by whom, where and when, as canonical JSON.

    Ordinal and dedupe key are addresses, not content. The time counts when the caller gave it: a retry of
    «now» comes later and is still the same message.
    """
    content: dict[str, Any] = {name: getattr(message, name) for name in _CONTENT}
    content["parent"] = message.parent and str(message.parent)
    if not message.is_said_now:
        content["occurred_at"] = message.occurred_at and message.occurred_at.isoformat()
    return hashlib.sha256(canonical_json(content)).digest()


def content_hashes(message: IncomingMessage) -> tuple[bytes, ...]:
    """The hashes that it may be stored under: its own, and where redaction changed it that of what was sent.

    The second is how a message is known that was stored before redaction was switched on.
    """
    sent = message.as_sent
    own = content_hash(message)
    return (own,) if sent is message else (own, content_hash(sent))


def is_extractable(message: IncomingMessage) -> bool:
    """Whether there is anything to learn: not from system texts, nor from recalled blocks alone."""
    if message.role == "system":
        return False
    said = (message.text, message.attachment_text)
    return not all(is_blank(strip_recalled(text)) for text in said)
