"""The messages in their order, with memory beside the newest words of a user. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory.recall.compiling.turns import ChatMessage, Count, Exchange, message_tokens

REPLY_TOKENS = 3
"""What the beginning of the model's reply takes."""


@dataclass(frozen=True, slots=True)
class Chat:
    """Messages for a model, and what is the same for every query."""

    messages: tuple[ChatMessage, ...]
    stable: int
    """So many messages, from the first on, depend on neither query nor clock."""
    tokens: int

    @property
    def stable_bytes(self) -> int:
        """Length of the stable messages in `chat_bytes`, without the closing bracket."""
        return len(chat_bytes(self.messages[: self.stable])) - 1


def chat_of(
    system: Sequence[ChatMessage],
    shown: Sequence[Exchange],
    *,
    query: str,
    asked: Callable[[str], str],
    count: Count,
) -> Chat:
    """The system message if there is one, the exchanges, and `asked` around the newest words of a user.

    Where no user has said anything yet, the query is taken for what the user says now.
    """
    newest = max((place for place, exchange in enumerate(shown) if exchange.is_user), default=None)
    before, after = _around(shown, newest)
    messages = [*system, *(message for exchange in before for message in exchange.messages)]
    tokens = REPLY_TOKENS + sum(message_tokens(message, count) for message in system)
    tokens += sum(exchange.tokens for exchange in (*before, *after))
    stable = len(messages)
    if newest is not None:
        said = shown[newest].messages[0]
        messages.append({**said, "content": asked(said["content"])})
    elif query:
        messages.append({"role": "user", "content": asked(query)})
    tokens += sum(message_tokens(message, count) for message in messages[stable:])
    messages += [message for exchange in after for message in exchange.messages]
    return Chat(tuple(messages), stable, tokens)


def _around(shown: Sequence[Exchange], newest: int | None) -> tuple[Sequence[Exchange], Sequence[Exchange]]:
    if newest is None:
        return shown, ()
    return shown[:newest], shown[newest + 1 :]


def chat_bytes(messages: Sequence[ChatMessage]) -> bytes:
    """Compact JSON with sorted keys, in UTF-8."""
    return json.dumps(messages, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
