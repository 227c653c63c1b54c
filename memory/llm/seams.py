"""The two seams that somebody implements to bring a model or an embedder of their own, in a few lines.

An object of either shape is named in the settings by its dotted path (`MEMSEEK_MODEL_PROVIDER`,
`MEMSEEK_EMBEDDING_PROVIDER`): an instance, or a class or function of no arguments that gives one. Its method
may be `async` or not. Time limits, tries, pauses, requests at once, budgets and records are our work.

What it may raise: a `TransientModelError` or `PermanentModelError` of `memory.llm.protocol` says exactly what
happened. Other exceptions are read by what they carry: a `status_code` as HTTP means it, time-outs and broken
connections as transient, a mistake of the program (TypeError and the like) as permanent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

from pydantic import BaseModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

Generated: TypeAlias = BaseModel | Mapping[str, Any] | str
"""An instance of the asked class, an object of its fields, or a text that holds its JSON.

A text is the most forgiving: words around the JSON do not matter, and each item of the answer is judged by
itself, so that one bad item costs no other.
"""
Rows: TypeAlias = Union[Sequence[Sequence[float]], "NDArray[Any]"]
"""A vector for each text, in their order; any length other than zero, they are brought to length one."""


class LanguageModel(Protocol):
    """Answers prompts. A `name: str` beside the method is what runs are recorded under."""

    def generate(self, prompt: str, *, response_model: type[BaseModel]) -> Generated | Awaitable[Generated]:
        """Answer one prompt in the shape of `response_model`, a pydantic class.

        `memory.llm.schemas.portable_schema(response_model)` is its JSON schema in the subset that every
        endpoint bears.
        """
        ...


class TextEmbedder(Protocol):
    """Turns texts into vectors. A `name: str` beside the rest tells its vectors from others'."""

    @property
    def dimensions(self) -> int:
        """Length of every vector, fixed: at most 4,000."""
        ...

    def embed(self, texts: Sequence[str]) -> Rows | Awaitable[Rows]:
        """One vector for each text; at most 64 texts of at most 6,000 characters, none of them blank."""
        ...
