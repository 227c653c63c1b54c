"""An answer by a language model: one call, and one more for the statements that were refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.conf import settings

from memory.cascade.asking import Account, Asker
from memory.cascade.contract import Refusal
from memory.cascade.designs import Design
from memory.cascade.rules.grounding import Ground
from memory.cascade.rules.handles import NotOfferedError
from memory.cascade.showing import one_line, quote
from memory.cascade.stage import Judged, Question, RefusedError
from memory.llm.budgets import Budgeted, RunBudget, ensure_within_daily_budget
from memory.llm.protocol import Model
from memory.models import Entity
from memory.recall.answering.contract import TASK, AnswerItem, AnswerReply
from memory.recall.answering.evidence import Evidence, Item
from memory.recall.context.excerpts import excerpt
from memory.recall.tokens import fitting, safety_for


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence with what it rests on; a gap rests on nothing."""

    text: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The evidence as the model sees it; a handle that is not in it cannot be cited."""

    evidence: Evidence
    items: tuple[Item, ...]

    def as_text(self) -> str:
        """One line for each, quoted."""
        return "\n".join(map(_line, self.items))


@dataclass(frozen=True, slots=True)
class Told:
    """What the model answered, judged."""

    statements: tuple[Statement, ...]
    gaps: tuple[str, ...]
    model: str


def ask_model(
    entity: Entity, question: str, evidence: Evidence, model: Model, design: Design, account: Account
) -> Told:
    """Statements that hold, and gaps. ModelError or AnswerError when the model gives nothing usable.

    What it cost, also for nothing, is added to the account. Must not run inside a transaction.
    """
    ensure_within_daily_budget(entity.workspace)
    shown = _shown(evidence, design.budgets.memory, model)
    account.design_hash = design.digest
    asker = Asker(Budgeted(model, _budget()), design, TASK, account)
    verdict = asker.ask(_question(entity, question, shown, design.example_markers))
    statements = tuple(taken for taken in verdict.taken if taken.items)
    gaps = tuple(taken.text for taken in verdict.taken if not taken.items)
    return Told(statements, gaps, account.model)


def _budget() -> RunBudget:
    """That of a run, and less time: somebody waits."""
    budget, most = RunBudget.configured(), settings.MEMSEEK.limits.answer_seconds
    return replace(budget, seconds=min(budget.seconds, most)) if most else budget


def _question(entity: Entity, question: str, shown: Shown, markers: Sequence[str]) -> Question[Statement]:
    judge = _Judge(question, shown, markers)
    return Question(
        payload=None,
        values={
            "entity": one_line(entity.name),
            "time_zone": entity.time_zone,
            "evidence": shown.as_text(),
            "question": quote(question),
        },
        answer_schema=AnswerReply,
        item_schema=AnswerItem,
        judge=judge.judge,
    )


def _shown(evidence: Evidence, budget: int, model: Model) -> Shown:
    """The best lines that fit."""
    safety = safety_for(model.name)
    count = fitting((f"{_line(item)}\n" for item in evidence.items), budget, safety=safety)
    return Shown(evidence, evidence.items[:count])


def _line(item: Item) -> str:
    facts = ["raw words" if item.kind == "message" else "claim"]
    if item.said_at:
        facts.append(f"said {item.said_at:%Y-%m-%d}")
    if item.speaker:
        facts.append(f"by {one_line(item.speaker)}")
    if item.scope:
        facts.append(f"only: {quote(item.scope)}")
    return f"{item.handle} [{', '.join(facts)}] {quote(excerpt(item.text, lambda text: 0.0))}"


@dataclass(frozen=True, slots=True)
class _Judge:
    """Takes a statement only with citations of what was shown, and only with names and numbers from there."""

    question: str
    shown: Shown
    markers: Sequence[str]

    def judge(self, items: Sequence[tuple[int, AnswerItem]], is_last: bool) -> Judged[Statement]:
        taken: list[Statement] = []
        refused: list[Refusal] = []
        for index, item in items:
            try:
                taken.append(self._take(item))
            except (RefusedError, NotOfferedError) as error:
                refused.append(Refusal(index, str(error), item.model_dump(mode="json")))
        return Judged(tuple(taken), tuple(refused))

    def _take(self, item: AnswerItem) -> Statement:
        if any(marker.casefold() in item.text.casefold() for marker in self.markers):
            raise RefusedError("It repeats an example of the prompt.")
        if item.action == "gap":
            self._ground(item, ())
            return Statement(item.text, ())
        cited = tuple(dict.fromkeys(self._cited(handle) for handle in item.citations))
        if not cited:
            raise RefusedError("A statement cites the lines that say it.")
        self._ground(item, cited)
        return Statement(item.text, cited)

    def _cited(self, handle: str) -> Item:
        item = self.shown.evidence.item(handle)
        if item not in self.shown.items:
            raise RefusedError(f"{item.handle} was not shown.")
        return item

    def _ground(self, item: AnswerItem, cited: Sequence[Item]) -> None:
        """Refuse names, numbers and dates that neither the cited lines nor the question hold."""
        texts = [f"{line.text} {line.about} {line.speaker} {line.date_words}" for line in cited]
        days = [line.said_at.date() for line in cited if line.said_at]
        missing = Ground(texts, extra=(self.question,), allowed_dates=days).ungrounded(item.text)
        if missing:
            raise RefusedError(f"The lines it cites do not hold: {', '.join(missing)}.")
