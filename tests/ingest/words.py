"""Messages for tests."""

from typing import Any

from memory.ingest.incoming import IncomingMessage


def said(text: str, *, session: str = "s1", role: Any = "user", **fields: Any) -> IncomingMessage:
    return IncomingMessage(session=session, role=role, text=text, **fields)
