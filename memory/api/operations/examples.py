"""An exchange for every operation, taken down while the product's own story was played over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "examples"


@dataclass(frozen=True, slots=True)
class Example:
    """One exchange. `parameters` are those of the address and of the query string."""

    status: int
    parameters: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    response: Any = None


def example_of(operation_id: str) -> Example | None:
    """The exchange of an operation, None before one was taken down."""
    return all_examples().get(operation_id)


@cache
def all_examples() -> Mapping[str, Example]:
    """By the operations' ids."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.json"))]
    return {id: Example(**told) for text in texts for id, told in json.loads(text).items()}
