"""A trace as a tree of text."""

from __future__ import annotations

from collections.abc import Iterator

from memory.recall.records import TraceNode
from memory.recall.short_ids import short_id
from memory.walkthrough.access import Traced

DOWNWARDS = "rests on"
UPWARDS = "is used by"


def traced_lines(traced: Traced) -> Iterator[str]:
    """The record, what it rests on, and, when there is any, what rests on it."""
    yield from _node(traced.down.root, "")
    yield from _branches(traced.down.root, DOWNWARDS)
    yield from _branches(traced.up.root, UPWARDS)


def _branches(root: TraceNode, word: str) -> Iterator[str]:
    if not root.children:
        return
    yield word
    yield from _children(root, "  ")


def _children(node: TraceNode, indent: str) -> Iterator[str]:
    for child in node.children:
        is_last = child is node.children[-1]
        first, *more = _node(child, indent)
        yield f"{indent}{'└─' if is_last else '├─'} {first}"
        below = f"{indent}{'   ' if is_last else '│  '}"
        yield from (f"{below}{line}" for line in more)
        yield from _children(child, below)


def _node(node: TraceNode, indent: str) -> Iterator[str]:
    """One line with layer, kind, id and facts, then the text."""
    layer = f"{node.layer} " if node.layer else ""
    id = f" [{short_id(node.id)}]" if node.id else ""
    facts = " · ".join(f"{name} {value}" for name, value in node.facts.items())
    yield f"{layer}{node.kind}{id}{f'  {facts}' if facts else ''}"
    for line in node.text.splitlines():
        yield f"  {line}"
