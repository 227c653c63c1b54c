"""The data export of ChatGPT: `conversations.json`, each conversation a tree of messages and retries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from memory.ingest.importers.chatgpt_content import read_message
from memory.ingest.importers.json_rows import Row, read_rows
from memory.ingest.importers.records import BadRow, Found, LeftOut, ReadMessage
from memory.ingest.importers.times import from_unix

ABANDONED = "messages of branches that a retry or an edit replaced"
HIDDEN = "messages hidden from the conversation"


def read_chatgpt(path: Path) -> Iterator[Found]:
    """The messages of each conversation on the branch that was open last, from its root to its leaf.

    A message without a time has that of the message before it, at the beginning that of the conversation.
    """
    for row in read_rows(path):
        yield from [row] if isinstance(row, BadRow) else _read_conversation(row)


def _read_conversation(row: Row) -> Iterator[Found]:
    value = row.value
    mapping = value.get("mapping") if isinstance(value, dict) else None
    if not isinstance(mapping, dict):
        yield BadRow(row.place, "has no mapping of messages")
        return
    branch = _branch(mapping, value.get("current_node"))
    session = _session(value, branch)
    yield from _left_branches(mapping, set(branch))
    title = value.get("title") if isinstance(value.get("title"), str) else ""
    time = from_unix(value.get("create_time"))
    for node in branch:
        message = mapping[node].get("message")
        if message is None:
            continue
        for found in _read_node(message, node, session, row, time):
            yield found if not isinstance(found, ReadMessage) else _titled(found, title)
        said_at = _time(message, time)
        time = said_at if isinstance(said_at, datetime) else time


def _session(value: Mapping[str, Any], branch: Sequence[str]) -> str:
    """The id of the conversation; the oldest exports have none, but every node of theirs has one."""
    given = value.get("conversation_id") or value.get("id")
    said = (node for node in branch if value["mapping"][node].get("message"))
    return str(given or next(said, "conversation"))


def _titled(found: ReadMessage, title: str) -> ReadMessage:
    return ReadMessage(found.entity, found.place, found.fraction, found.message, title)


def _branch(mapping: Mapping[str, Any], current: Any) -> list[str]:
    """Node ids from the root to the current leaf; without one, to the leaf that was written last."""
    identifier = current if _node(mapping, current) else _latest(mapping)
    path: dict[str, None] = {}
    # A damaged tree may lead in a circle.
    while isinstance(identifier, str) and identifier not in path and _node(mapping, identifier):
        path[identifier] = None
        identifier = mapping[identifier].get("parent")
    return list(reversed(path))


def _node(mapping: Mapping[str, Any], identifier: Any) -> Mapping[str, Any] | None:
    node = mapping.get(identifier) if isinstance(identifier, str) else None
    return node if isinstance(node, dict) else None


def _latest(mapping: Mapping[str, Any]) -> str | None:
    nodes = {identifier: node for identifier in mapping if (node := _node(mapping, identifier))}
    leaves = [identifier for identifier, node in nodes.items() if not node.get("children")]
    return max(leaves, key=lambda leaf: _written(nodes[leaf].get("message")), default=None)


def _written(message: Any) -> float:
    time = message.get("create_time") if isinstance(message, dict) else None
    return time if isinstance(time, (int, float)) else 0.0


def _left_branches(mapping: Mapping[str, Any], taken: set[str]) -> Iterator[Found]:
    """How many messages with something to read stand on other branches."""
    left = 0
    for identifier in mapping.keys() - taken:
        message = (_node(mapping, identifier) or {}).get("message")
        if isinstance(message, dict) and not _is_hidden(message):
            left += isinstance(read_message(message), dict)
    if left:
        yield LeftOut(ABANDONED, left)


def _is_hidden(message: Mapping[str, Any]) -> bool:
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("is_visually_hidden_from_conversation"))


def _time(message: Any, before: datetime | str | None) -> datetime | str | None:
    time = from_unix(message.get("create_time")) if isinstance(message, dict) else None
    return before if time is None else time


def _read_node(
    message: Any, node: str, session: str, row: Row, before: datetime | str | None
) -> Iterator[Found]:
    place = f"{row.place} message {node}"
    if not isinstance(message, dict):
        yield BadRow(place, "is no object")
    elif _is_hidden(message):
        yield LeftOut(HIDDEN)
    else:
        fields = read_message(message)
        if isinstance(fields, str):
            yield LeftOut(fields)
            return
        address = {
            "session": session,
            "occurred_at": _time(message, before),
            "dedupe_key": f"chatgpt:{session}:{message.get('id') or node}",
        }
        yield ReadMessage("", place, row.fraction, fields | address)
