"""One question to a model: render, call, read, judge, and ask once more for just the bad items."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from string import Template
from typing import Any

from django.conf import settings

from memory.cascade.checkpoints import reached
from memory.cascade.contract import Refusal
from memory.cascade.designs import Design
from memory.cascade.rules.answers import (
    CutOffAnswer,
    EmptyAnswer,
    NoAnswer,
    Reading,
    UnreadableAnswer,
    read_items,
)
from memory.cascade.showing import BREAKS
from memory.cascade.stage import Judged, Question, Verdict
from memory.llm.protocol import BudgetExceeded, Model, ModelError, ModelReply, ModelRequest

MOST_ITEMS = 500
REFUSED_SHOWN = 600
"""Characters of a refused item that a model is told again."""
KIND_OF_UNREADABLE: Mapping[type[UnreadableAnswer], str] = {
    CutOffAnswer: "cut_off",
    NoAnswer: "no_answer",
    EmptyAnswer: "empty_answer",
}


class AnswerError(Exception):
    """A reply that gave nothing usable; `kind` is for the run, `raw` a capped copy of what came."""

    def __init__(self, kind: str, reason: str, raw: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.raw = raw


@dataclass(slots=True)
class Account:
    """What the calls of one run cost, failed ones included."""

    model: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None
    milliseconds: int = 0
    design_hash: str = ""
    prompt_hash: str = ""
    schema_hash: str = ""
    last_reply: str = field(default="", repr=False)

    def add(self, reply: ModelReply) -> None:
        """Charge a reply."""
        self.model = reply.model
        self.calls += reply.calls
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        self.milliseconds += reply.milliseconds
        self.last_reply = reply.text
        if reply.cost is not None:
            self.cost = (self.cost or Decimal(0)) + reply.cost

    def add_failure(self, error: ModelError) -> None:
        """Charge a call that failed."""
        self.calls += error.calls
        self.tokens_in += error.tokens_in
        self.tokens_out += error.tokens_out


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the questions of one run."""

    model: Model
    design: Design
    task: str
    account: Account
    is_retry: bool = False
    """An earlier attempt could not be read: ask more strictly."""

    def ask(self, question: Question[Any]) -> Verdict[Any]:
        """The judged answer. Raises ModelError or AnswerError."""
        request = self._request(question)
        reading = self._call(request, question)
        judged = question.judge(reading.items, False)
        refused = sorted([*_shape_refusals(reading), *judged.refused], key=lambda refusal: refusal.index)
        if not refused:
            return _verdict(judged, [], reading, ())
        corrected = self._correct(request, question, refused)
        if corrected is None:
            return _verdict(question.judge(reading.items, True), _shape_refusals(reading), reading, ())
        return self._merge(question, reading, refused, corrected)

    def _request(self, question: Question[Any]) -> ModelRequest:
        instruction = "\n\n".join(
            text.strip()
            for text in (self.design.instruction, self.design.stricter if self.is_retry else "")
            if text.strip()
        )
        system, user = self.design.prompts[self.task].render({**question.values, "instruction": instruction})
        self.account.prompt_hash = self.design.prompt_hash(self.task)
        self.account.schema_hash = schema_hash(question)
        return ModelRequest(
            task=self.task,
            system=system,
            user=user,
            schema=question.answer_schema,
            payload=question.payload,
            alias=question.alias,
            timeout_seconds=settings.MEMSEEK.model.timeout_seconds,
        )

    def _call(self, request: ModelRequest, question: Question[Any]) -> Reading[Any]:
        try:
            reply = self.model.answer(request)
        except ModelError as error:
            self.account.add_failure(error)
            raise
        reached("during_call")
        self.account.add(reply)
        if reply.finish_reason == "refusal":
            raise AnswerError("refusal", "The provider or the model refused to answer.", reply.text)
        try:
            reading = read_items(
                reply.text, item_schema=question.item_schema, finish_reason=reply.finish_reason
            )
            return _within_reason(reading)
        except UnreadableAnswer as error:
            raise AnswerError(KIND_OF_UNREADABLE[type(error)], error.reason, error.text) from error

    def _correct(
        self, request: ModelRequest, question: Question[Any], refused: Sequence[Refusal]
    ) -> Reading[Any] | None:
        """Ask once for corrected versions of the refused items; None when nothing better came."""
        told = "\n".join(f"- {_shown(item.item)}\n  refused: {item.reason}" for item in refused)
        words = Template(self.design.correction).substitute(refusals=told)
        correction = ModelRequest(
            task=request.task,
            system=request.system,
            user=f"{request.user}\n\n{words.strip()}",
            schema=request.schema,
            payload=request.payload,
            alias=request.alias,
            timeout_seconds=request.timeout_seconds,
            is_correction=True,
        )
        try:
            return self._call(correction, question)
        except (AnswerError, BudgetExceeded):
            return None

    def _merge(
        self,
        question: Question[Any],
        reading: Reading[Any],
        refused: Sequence[Refusal],
        corrected: Reading[Any],
    ) -> Verdict[Any]:
        """Judge the good items and the corrected ones together; what is bad now is dropped."""
        bad = {refusal.index for refusal in refused}
        good = [(index, item) for index, item in reading.items if index not in bad]
        places = _places_of_corrected(reading, refused, corrected)
        placed = [*good, *((places[index], item) for index, item in corrected.items)]
        judged = question.judge(sorted(placed, key=lambda pair: pair[0]), True)
        repaired = tuple(
            {"item": refusal.index, "outcome": "sent back", "reason": refusal.reason} for refusal in refused
        )
        return _verdict(judged, _shape_refusals(corrected), reading, repaired)


def _places_of_corrected(
    reading: Reading[Any], refused: Sequence[Refusal], corrected: Reading[Any]
) -> Mapping[int, int]:
    """Where corrected items stand: in the places of the refused ones, so that `n1` still names the same item.

    An answer of another length cannot be matched with what was refused; it comes after everything.
    """
    told = [*dict(corrected.items), *(bad.index for bad in corrected.bad)]
    if len(told) == len(refused):
        return {index: refusal.index for index, refusal in enumerate(refused)}
    after = 1 + max((*dict(reading.items), *(bad.index for bad in reading.bad)), default=-1)
    return {index: after + index for index in told}


def _within_reason(reading: Reading[Any]) -> Reading[Any]:
    """At most so many items of one answer are looked at; the rest is told as left out."""
    if len(reading.items) <= MOST_ITEMS:
        return reading
    words = f"the answer held {len(reading.items)} items; the first {MOST_ITEMS} were read"
    return replace(reading, items=reading.items[:MOST_ITEMS], repairs=(*reading.repairs, words))


def _shape_refusals(reading: Reading[Any]) -> list[Refusal]:
    return [Refusal(bad.index, bad.reason, {"raw": bad.raw}) for bad in reading.bad]


def _verdict(
    judged: Judged[Any],
    dropped: Sequence[Refusal],
    reading: Reading[Any],
    repaired: tuple[Mapping[str, Any], ...],
) -> Verdict[Any]:
    drops = tuple(
        {"item": refusal.index, "outcome": "dropped", "reason": refusal.reason, "answer": refusal.item}
        for refusal in (*dropped, *judged.refused)
    )
    repairs = tuple({"outcome": "repaired", "reason": words} for words in reading.repairs)
    return Verdict(
        taken=judged.taken,
        decisions=(*repairs, *repaired, *judged.notes, *drops),
        nothing_reason=reading.nothing_reason,
    )


def schema_hash(question: Question[Any]) -> str:
    """Digest of the answer's JSON schema."""
    schema = json.dumps(question.answer_schema.model_json_schema(), sort_keys=True)
    return hashlib.sha256(schema.encode()).hexdigest()


def _shown(item: object) -> str:
    """What a model gave, in one line as it is told back to it."""
    return json.dumps(item, ensure_ascii=False, default=str).translate(BREAKS)[:REFUSED_SHOWN]
