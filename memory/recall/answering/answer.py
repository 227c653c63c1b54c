"""The answer itself, whichever way it is found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from memory.cascade.asking import Account, AnswerError
from memory.cascade.designs import design_of
from memory.indexing.analyser import query_terms
from memory.indexing.units import hash_of
from memory.ingest.recalled import strip_recalled
from memory.llm.protocol import Model, ModelError
from memory.llm.registry import language_model
from memory.models import Entity
from memory.recall.answering.asking import Told, ask_model
from memory.recall.answering.coverage import Question, read_question
from memory.recall.answering.evidence import Evidence, Item, find_evidence
from memory.recall.answering.extracting import Quote, find_quotes
from memory.recall.arms import count_index
from memory.recall.context.escaping import one_line

EXTRACTIVE = "extractive"
QUESTION_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Citation:
    """A row that the answer rests on; `handle` is how the text names it, as in `[a1]`."""

    handle: str
    kind: Literal["atom", "message"]
    id: UUID
    text: str
    speaker: str
    said_at: datetime | None
    """In the entity's own zone."""
    session: str
    ordinal: int | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply in which every statement is cited."""

    text: str
    citations: tuple[Citation, ...]
    """In the order in which the text cites them; none where memory holds nothing."""
    gaps: tuple[str, ...]
    """What was asked and is not answered."""
    model: str
    """The language model's name, or `extractive`."""
    problem: str = ""
    """Why the configured model did not answer, where quotes stand in its place."""
    problem_kind: str = ""
    """The same as one word, without any words of the model."""


def answer_question(
    entity: Entity, question: str, *, model: Model | None = None, account: Account | None = None
) -> Answer:
    """Answer from memory alone, with citations.

    With a language model (`model`, or the one that the settings name) it is asked once, and once more for
    statements that cite wrongly; what is still uncited is dropped. Without one the best lines are quoted.
    What it cost is added to `account`, for a caller who records it (`memory.measuring.answers`).
    Writes nothing. Must not run inside a transaction where a model is used. ValueError for a blank question.
    """
    asked = strip_recalled(question).strip()[:QUESTION_CHARACTERS]
    if not asked:
        raise ValueError("A question has words.")
    evidence = find_evidence(entity, asked)
    words = read_question(
        asked,
        languages=evidence.languages,
        names=evidence.names,
        rarity=_rarity(entity, asked, evidence.languages),
    )
    model = model or language_model()
    if model is None or not evidence.items:
        return _extracted(entity, asked, words, evidence)
    design = design_of(entity)
    try:
        told = ask_model(entity, asked, evidence, model, design, account or Account())
    except (ModelError, AnswerError) as error:
        quoted = _extracted(entity, asked, words, evidence, problem=f"{model.name} did not answer: {error}")
        return replace(quoted, problem_kind=error.kind)
    return _told(asked, told)


def _rarity(entity: Entity, question: str, languages: Sequence[str]) -> Mapping[str, float]:
    hashes = {term: hash_of(entity.pk.bytes, term) for term in query_terms(question, languages=languages)}
    counts = count_index(entity, list(hashes.values()))
    return {term: counts.rarity(hashed) for term, hashed in hashes.items()}


def _extracted(entity: Entity, asked: str, words: Question, evidence: Evidence, problem: str = "") -> Answer:
    quotes = find_quotes(words, evidence.items) or _found_otherwise(entity, words)
    if not quotes:
        return _nothing(asked, model=EXTRACTIVE, problem=problem)
    covered = frozenset().union(*(quote.covered for quote in quotes))
    missing = [word.text for word in words.words if word not in covered and not word.is_light]
    gaps = (f"What is quoted does not speak of {_listed(missing)}.",) if missing else ()
    return Answer(
        "\n".join(map(_quoted, quotes)),
        _citations(quote.item for quote in quotes),
        gaps,
        EXTRACTIVE,
        problem,
    )


def _found_otherwise(entity: Entity, words: Question) -> tuple[Quote, ...]:
    """Quotes that a second search finds, by what else the words of the question are told by."""
    wider = words.in_other_words
    return find_quotes(words, find_evidence(entity, wider).items) if wider else ()


def _quoted(quote: Quote) -> str:
    source = [f"when: {one_line(quote.item.scope)}"] if quote.item.scope else []
    source += [one_line(quote.item.speaker)] if quote.item.speaker else []
    source += [f"{quote.item.said_at:%Y-%m-%d}"] if quote.item.said_at else []
    told = f" ({', '.join(source)})" if source else ""
    return f"“{one_line(quote.text)}”{told} [{quote.item.handle}]"


def _told(asked: str, told: Told) -> Answer:
    gaps = tuple(map(one_line, told.gaps))
    if not told.statements:
        nothing = _nothing(asked, model=told.model)
        return Answer(nothing.text, (), gaps or nothing.gaps, told.model)
    text = " ".join(
        f"{one_line(statement.text)} {''.join(f'[{item.handle}]' for item in statement.items)}"
        for statement in told.statements
    )
    items = dict.fromkeys(item for statement in told.statements for item in statement.items)
    return Answer(text, _citations(items), gaps, told.model)


def _nothing(asked: str, *, model: str, problem: str = "") -> Answer:
    # Not «holds nothing about»: single words of the question may well stand in memory.
    text = f"Memory holds no answer to “{one_line(asked)}”."
    return Answer(text, (), (text,), model, problem)


def _citations(items: Iterable[Item]) -> tuple[Citation, ...]:
    return tuple(
        Citation(
            item.handle,
            item.kind,
            item.id,
            item.text,
            item.speaker,
            item.said_at,
            item.session,
            item.ordinal,
        )
        for item in items
    )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{one_line(word)}”" for word in words)
