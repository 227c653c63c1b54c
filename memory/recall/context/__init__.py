"""The context for a task: what memory has to say before an agent acts, within budgets of tokens.

`render_context` reads the rows (material), fills the blocks (persona and rules, scenes, memory), each within
its share, and puts them together. Everything but the reading is pure.
"""

from memory.recall.context.blocks import Block, LeftOut, Reference
from memory.recall.context.rendering import Context, render_context
from memory.recall.context.request import ContextRequest

__all__ = ["Block", "Context", "ContextRequest", "LeftOut", "Reference", "render_context"]
