"""The mark of recalled blocks: memory that was handed to an agent and comes back inside a conversation.

What stands between the marks was not said by anyone. It is stored with its message and never learnt from.
"""

from __future__ import annotations

import re
from html import escape

NAME = "memseek-recall"
REQUEST_HEADING = "## Request"
"""What a context sets above the words of the one who asks, with the time in parentheses."""
# The end of the text ends a tag as well: a client may have cut the message anywhere. White space is taken
# possessively: tried again with less of it, a text of spaces alone would take minutes.
_TAG = re.compile(rf"<\s*+(?P<close>/?)\s*+{NAME}(?=[\s/>]|$)[^>]*>?", re.IGNORECASE)
_HEADING = re.compile(rf"\s*+{REQUEST_HEADING} \([^()<\n]*\)[ \t]*(?:\n|$)")
_OPENING_OF_TAG = re.compile(rf"<(?=\s*+/?\s*+{NAME})", re.IGNORECASE)


def wrap(text: str, id: str) -> str:
    """Put a recalled text between the marks; marks inside it are made harmless."""
    return f'<{NAME} id="{escape(id)}">\n{_OPENING_OF_TAG.sub("&lt;", text)}\n</{NAME}>'


def strip_recalled(text: str) -> str:
    """The text without its recalled blocks; unchanged when it has none.

    Blocks may be nested. A block that is not closed ends with the text, a closing mark without an opening
    one is taken away alone. The heading of a request right behind a block is not of its words either.
    """
    kept: list[str] = []
    depth = 0
    position = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth = _depth_after(tag, depth)
        heading = _HEADING.match(text, tag.end()) if depth == 0 else None
        position = (heading or tag).end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def _depth_after(tag: re.Match[str], depth: int) -> int:
    if tag["close"]:
        return max(0, depth - 1)
    return depth if tag.group().endswith("/>") else depth + 1
