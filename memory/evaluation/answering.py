"""The evaluation of answers: the same reader from memory, from a plain file, and from all that was said."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.evaluation.asking import NoVerdictError, judge, read
from memory.evaluation.baselines import Bm25, plain_words
from memory.evaluation.methods import spoken
from memory.evaluation.metrics import Tally, percentile
from memory.evaluation.preparing import Conversation
from memory.evaluation.questions import Question
from memory.llm.protocol import Model, ModelAlias, ModelError
from memory.recall.context import ContextRequest, render_context
from memory.recall.hits import CitedMessage
from memory.recall.tokens import count_tokens, fitting, safety_for

FILE_TOKENS = 2_500
"""What is read of the plain file: as much as the memory block's budget by default."""

Material = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Models:
    """Who answers and who judges: the model and under which alias it is asked."""

    model: Model
    reader: ModelAlias
    judge: ModelAlias


@dataclass(slots=True)
class MethodReport:
    """How one kind of material did."""

    tally: Tally = field(default_factory=Tally)
    failures: dict[str, int] = field(default_factory=dict)
    """Questions that were not answered or not judged, by kind of error; they are in no share."""
    material_tokens: list[float] = field(default_factory=list)
    tokens_in: int = 0
    tokens_out: int = 0
    milliseconds: list[float] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Figures by name; `right` is the share of right answers."""
        return {
            **self.tally.overall(),
            "failures": self.failures,
            "material_tokens_p50": percentile(self.material_tokens, 0.5),
            "material_tokens_p95": percentile(self.material_tokens, 0.95),
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "milliseconds_p50": round(percentile(self.milliseconds, 0.5), 1),
            "milliseconds_p95": round(percentile(self.milliseconds, 0.95), 1),
            "by_category": self.tally.by_category(),
        }


@dataclass(slots=True)
class AnswerReport:
    """All kinds of material over the same questions."""

    questions: int = 0
    methods: dict[str, MethodReport] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Memory's figures stand at the top, those of the baselines below `baselines`."""
        figures = {name: method.as_dict() for name, method in self.methods.items()}
        own = figures.pop("memory", {})
        return {"evaluation": "answers", "questions": self.questions, **own, "baselines": figures}


def evaluate_answers(
    conversation: Conversation, questions: Sequence[Question], models: Models, report: AnswerReport
) -> Iterator[Question]:
    """Have every question answered from every kind of material; gives each question that is done."""
    materials = materials_of(conversation, models.model)
    for question in questions:
        report.questions += 1
        for name, material in materials.items():
            _answer(question, material, models, report.methods.setdefault(name, MethodReport()))
        yield question


def materials_of(conversation: Conversation, model: Model) -> Mapping[str, Material]:
    """What the reader is given: the context of memory, the best lines of a file, the whole conversation."""
    lines = [line_of(turn) for turn in conversation.turns]
    search = Bm25([spoken(turn) for turn in conversation.turns], plain_words)
    whole = "\n".join(lines)
    safety = safety_for(model.name)

    def memory(question: str) -> str:
        return render_context(conversation.entity, ContextRequest(question, safety=safety)).text

    def plain_file(question: str) -> str:
        found = search.order(question)
        count = fitting((f"{lines[number]}\n" for number in found), FILE_TOKENS, safety=safety)
        return "\n".join(lines[number] for number in sorted(found[:count]))

    return {"memory": memory, "plain_file": plain_file, "full_context": lambda _: whole}


def line_of(turn: CitedMessage) -> str:
    """A turn as a line of a file."""
    attached = f" [attached: {turn.attachment_text}]" if turn.attachment_text else ""
    day = f"{turn.said_at:%Y-%m-%d}" if turn.said_at else "no date"
    return f"{day} {turn.speaker}: {' '.join(turn.text.split())}{attached}"


def _answer(question: Question, material: Material, models: Models, report: MethodReport) -> None:
    """One question from one material. The time is that of the material and of the reader, not the judge's."""
    began = time.perf_counter()
    text = material(question.text)
    try:
        answered = read(models.model, models.reader, material=text, question=question.text)
        report.milliseconds.append((time.perf_counter() - began) * 1_000)
        is_right = judge(
            models.model,
            models.judge,
            question=question.text,
            reference=question.answer,
            answer=answered.answer,
        )
    except (ModelError, NoVerdictError) as error:
        kind = error.kind if isinstance(error, ModelError) else "unreadable"
        report.failures[kind] = report.failures.get(kind, 0) + 1
        return
    report.material_tokens.append(count_tokens(text))
    report.tokens_in += answered.tokens_in
    report.tokens_out += answered.tokens_out
    report.tally.add(question.category, {"right": float(is_right)})
