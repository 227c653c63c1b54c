"""The reader, who answers from some material, and the judge, who compares with the reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field

from memory.cascade.designs import Prompt
from memory.cascade.rules.answers import UnreadableAnswer, read_items
from memory.llm.protocol import Model, ModelAlias, ModelReply, ModelRequest

FOLDER = Path(__file__).with_name("prompts")
ANSWER_LIMIT = 1_000
OUTPUT_TOKENS = 512


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ReaderItem(_Strict):
    """The answer."""

    answer: str = Field(min_length=1, max_length=ANSWER_LIMIT)


class ReaderReply(_Strict):
    """What the reader gives: one item."""

    items: list[ReaderItem]


class JudgeItem(_Strict):
    """The verdict."""

    is_right: bool
    reason: str = ""


class JudgeReply(_Strict):
    """What the judge gives: one item."""

    items: list[JudgeItem]


Item = TypeVar("Item", bound=BaseModel)


class NoVerdictError(Exception):
    """A reply held no answer of the wanted shape."""


@dataclass(frozen=True, slots=True)
class Read:
    """An answer and what the call cost."""

    answer: str
    tokens_in: int
    tokens_out: int


def read(model: Model, alias: ModelAlias, *, material: str, question: str) -> Read:
    """Answer a question from some material. Raises ModelError or NoVerdictError."""
    values = {"material": material, "question": question}
    reply = model.answer(_request("reader", values, ReaderReply, alias))
    item = _only_item(reply, ReaderItem)
    return Read(item.answer, reply.tokens_in, reply.tokens_out)


def judge(model: Model, alias: ModelAlias, *, question: str, reference: str, answer: str) -> bool:
    """Whether an answer says what the reference says. Raises ModelError or NoVerdictError."""
    values = {"question": question, "reference": reference, "answer": answer}
    reply = model.answer(_request("judge", values, JudgeReply, alias))
    return _only_item(reply, JudgeItem).is_right


def _request(
    task: str, values: Mapping[str, str], schema: type[BaseModel], alias: ModelAlias
) -> ModelRequest:
    system, user = prompt(task).render(dict(values))
    return ModelRequest(
        task=task,
        system=system,
        user=user,
        schema=schema,
        payload=None,
        alias=alias,
        timeout_seconds=settings.MEMSEEK.model.timeout_seconds,
        max_output_tokens=OUTPUT_TOKENS,
    )


@cache
def prompt(task: str) -> Prompt:
    """The words for `reader` or `judge`."""
    texts = {part: (FOLDER / f"{task}.{part}.md").read_text(encoding="utf-8") for part in ("system", "user")}
    return Prompt.model_validate({part: text.strip() for part, text in texts.items()})


def _only_item(reply: ModelReply, schema: type[Item]) -> Item:
    try:
        items = read_items(reply.text, item_schema=schema, finish_reason=reply.finish_reason).items
    except UnreadableAnswer as error:
        raise NoVerdictError(str(error)) from error
    if not items:
        raise NoVerdictError("The reply holds no answer.")
    return items[0][1]
