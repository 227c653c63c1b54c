"""Questions with known evidence, as LoCoMo files hold them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
OTHER_CATEGORY = "other"
NOT_SAID = "The conversation does not say."
"""The right answer to an adversarial question."""

_TURN_ID = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", re.IGNORECASE)


class UnreadableQuestionsError(ValueError):
    """The file holds no questions in the format of LoCoMo."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the turns that hold its answer."""

    text: str
    category: str
    evidence: frozenset[str]
    """Ids of turns in one spelling (`D8:6`), as far as they can be read."""
    answer: str


@dataclass(frozen=True, slots=True)
class Sample:
    """The questions of one conversation."""

    conversation: str
    questions: tuple[Question, ...]


def read_questions(path: Path) -> tuple[Sample, ...]:
    """The samples of a file in its order. Raises UnreadableQuestionsError, or OSError."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UnreadableQuestionsError(f"{path.name} is no JSON: {error}") from error
    samples = tuple(_samples(value if isinstance(value, list) else [value]))
    if not any(sample.questions for sample in samples):
        raise UnreadableQuestionsError(f"{path.name} holds no questions.")
    return samples


def turn_ids(text: str) -> list[str]:
    """The ids of turns that a text names, in one spelling: `D8:06; d9:17` gives `D8:6` and `D9:17`.

    Evidence lists are written by hand: several ids in one text, a colon too many, leading zeros.
    """
    return [f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(text)]


def _samples(values: list[Any]) -> Iterator[Sample]:
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("sample_id"), str):
            rows = value.get("qa")
            questions = (_question(row) for row in rows) if isinstance(rows, list) else ()
            yield Sample(value["sample_id"], tuple(found for found in questions if found))


def _question(row: Any) -> Question | None:
    if not isinstance(row, dict) or not isinstance(row.get("question"), str):
        return None
    named = row.get("evidence") or []
    texts = named if isinstance(named, list) else [named]
    return Question(
        text=row["question"],
        category=CATEGORIES.get(row.get("category", 0), OTHER_CATEGORY),
        evidence=frozenset(found for text in texts for found in turn_ids(str(text))),
        answer=_answer(row),
    )


def _answer(row: Mapping[str, Any]) -> str:
    answer = row.get("answer")
    return NOT_SAID if answer is None else str(answer)
