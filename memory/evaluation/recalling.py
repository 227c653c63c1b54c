"""The evaluation of recall: every question of some conversations, put to memory and to the baselines."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django import get_version

from memory import queries
from memory.cascade.designs import load_design
from memory.evaluation.methods import Recall, baselines
from memory.evaluation.metrics import Tally, measures, percentile
from memory.evaluation.preparing import Conversation
from memory.evaluation.questions import Question
from memory.llm.embedders.registry import configured_embedder

RECALL = "recall"


@dataclass(slots=True)
class RecallReport:
    """Figures of one or more conversations."""

    conversations: list[str] = field(default_factory=list)
    questions: int = 0
    without_evidence: int = 0
    """Questions that name no turn of their conversation; they are not counted among `questions`."""
    unknown_turns: int = 0
    """Ids in evidence that no turn has."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """By method, `recall` the first."""
    milliseconds: list[float] = field(default_factory=list)

    def merge(self, other: RecallReport) -> None:
        """Count another report's questions as well."""
        self.conversations += other.conversations
        self.questions += other.questions
        self.without_evidence += other.without_evidence
        self.unknown_turns += other.unknown_turns
        self.milliseconds += other.milliseconds
        for method, tally in other.tallies.items():
            self.tallies.setdefault(method, Tally()).merge(tally)

    def as_dict(self) -> dict[str, Any]:
        """Recall's means stand at the top, those of the baselines below `baselines`."""
        tallies = dict(self.tallies)
        own = tallies.pop(RECALL, Tally())
        return {
            "evaluation": "recall",
            "conversations": self.conversations,
            "questions": self.questions,
            "questions_without_evidence": self.without_evidence,
            "evidence_of_no_turn": self.unknown_turns,
            **own.overall(),
            "milliseconds_p50": round(percentile(self.milliseconds, 0.5), 2),
            "milliseconds_p95": round(percentile(self.milliseconds, 0.95), 2),
            "by_category": own.by_category(),
            "baselines": {
                name: {**tally.overall(), "by_category": tally.by_category()}
                for name, tally in tallies.items()
            },
        }


def evaluate_conversation(conversation: Conversation, report: RecallReport) -> Iterator[Question]:
    """Put every question of a conversation and add to the report; gives each question that is done."""
    report.conversations.append(conversation.entity.name)
    recall = Recall(conversation)
    methods = baselines(conversation)
    for question, evidence in judgeable(conversation, report):
        timed = recall.ask(question.text)
        report.milliseconds.append(timed.milliseconds)
        found = {RECALL: timed.found, **{name: method(question.text) for name, method in methods.items()}}
        for name, retrieved in found.items():
            tally = report.tallies.setdefault(name, Tally())
            tally.add(question.category, measures(evidence, retrieved))
        report.questions += 1
        yield question


def judgeable(conversation: Conversation, report: RecallReport) -> Iterator[tuple[Question, frozenset[str]]]:
    """The questions whose evidence stands in the conversation; what is wrong with others is counted."""
    known = conversation.turn_ids()
    for question in conversation.sample.questions:
        report.unknown_turns += len(question.evidence - known)
        evidence = question.evidence & known
        if evidence:
            yield question, evidence
        else:
            report.without_evidence += 1


def versions() -> dict[str, Any]:
    """What the figures depend on besides the questions."""
    (postgresql,) = queries.one("server_version")
    embedder = configured_embedder()
    return {
        "memseek": _own_version(),
        "python": platform.python_version(),
        "django": get_version(),
        "postgresql": postgresql,
        "embedding_space": embedder.space if embedder else None,
        "weights": load_design().weights.model_dump(),
    }


def _own_version() -> str:
    try:
        return version("memseek")
    except PackageNotFoundError:
        return "from source"
