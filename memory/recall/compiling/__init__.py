"""The context of a turn: chat messages for a model, from what rarely changes to what always does.

`compile_context` reads a session's frame (turns, digests, persona, rules, scenes) and searches memory for the
query; everything after the reading is pure. It asks no model and writes nothing but the cache of live values.
"""

from memory.recall.compiling.compiled import Compiled, RecalledClaim
from memory.recall.compiling.composing import compile_context
from memory.recall.compiling.request import CompileRequest

__all__ = ["CompileRequest", "Compiled", "RecalledClaim", "compile_context"]
