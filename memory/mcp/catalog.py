"""All tools, in the order in which clients show them."""

from __future__ import annotations

from collections.abc import Mapping

from memory.mcp.callers import Caller
from memory.mcp.forget_tool import FORGETTING
from memory.mcp.reading_tools import READING
from memory.mcp.tools import Tool
from memory.mcp.writing_tools import WRITING

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (*READING, *WRITING, *FORGETTING)}


def tools_for(caller: Caller) -> list[Tool]:
    """The tools that a key's scopes cover: what is refused anyway is not offered."""
    return [tool for tool in TOOLS.values() if caller.access.allows(tool.scope)]
