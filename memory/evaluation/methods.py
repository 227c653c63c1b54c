"""Recall and the baselines, each giving turns in an order and what of them fits a number of tokens.

All render what they found as the block of relevant memory does, so that tokens are the same for all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from memory.evaluation.baselines import Bm25, english_stems, nearest, plain_words
from memory.evaluation.metrics import TOKEN_BUDGETS, Retrieved
from memory.evaluation.preparing import Conversation, turn_id
from memory.llm.embedders.queries import QueryVector
from memory.llm.embedders.registry import configured_embedder
from memory.models import Layer
from memory.recall.arms import Filters
from memory.recall.context.material import words_of
from memory.recall.context.memory_block import memory_block
from memory.recall.hits import CitedMessage, Hit
from memory.recall.search import Request, search
from memory.recall.tokens import count_tokens

if TYPE_CHECKING:
    from memory.llm.embedders.protocol import Embedder, Vectors

RESULTS = 400
"""So many results fill the largest budget."""
NO_LIMIT_MILLISECONDS = 60_000
CLAIMS_AND_WORDS = Filters(layers=(Layer.MESSAGE, Layer.ATOM))
"""What the block of relevant memory is searched in. Scenes and persona stand in blocks of their own."""

Method = Callable[[str], Retrieved]


@dataclass(frozen=True, slots=True)
class Timed:
    """What recall found, and how long it took with the query's embedding and without the measuring."""

    found: Retrieved
    milliseconds: float


class Recall:
    """Memory's own search over one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._entity = conversation.entity
        self._embedder = configured_embedder()

    def ask(self, question: str) -> Timed:
        """Search for a question; neither the embedding nor an arm has a time limit to miss."""
        began = time.perf_counter()
        request = Request(
            question,
            limit=RESULTS,
            filters=CLAIMS_AND_WORDS,
            uses_meaning=self._embedder is not None,
            vector=_query_vector(self._embedder, question),
            words_milliseconds=NO_LIMIT_MILLISECONDS,
            meaning_milliseconds=NO_LIMIT_MILLISECONDS,
        )
        found = search(self._entity, request)
        milliseconds = (time.perf_counter() - began) * 1_000
        return Timed(retrieved(found.hits, question), milliseconds)


def _query_vector(embedder: Embedder | None, question: str) -> QueryVector | None:
    return QueryVector(embedder.embed_query(question), embedder.space) if embedder else None


def baselines(conversation: Conversation) -> dict[str, Method]:
    """The simple methods over the same turns, by name."""
    turns = conversation.turns
    alone = [spoken(turn) for turn in turns]
    methods: dict[str, Method] = {
        "bm25_words": _ranked_by(Bm25(alone, plain_words).order, turns),
        "bm25_stems_window": _ranked_by(Bm25(windows(turns), english_stems).order, turns),
    }
    embedder = configured_embedder()
    if embedder is not None and turns:
        vectors = embedder.embed(alone)
        methods["vectors"] = _ranked_by(partial(_near, embedder, vectors), turns)
    return methods


def _near(embedder: Embedder, vectors: Vectors, question: str) -> list[int]:
    return nearest(vectors, embedder.embed_query(question))


def _ranked_by(order: Callable[[str], Sequence[int]], turns: Sequence[CitedMessage]) -> Method:
    def method(question: str) -> Retrieved:
        hits = [_raw_hit(turns[number]) for number in order(question)[:RESULTS]]
        return retrieved(hits, question)

    return method


def _raw_hit(turn: CitedMessage) -> Hit:
    return Hit("message", turn.id, turn.text, 0.0, {}, (turn,), is_raw=True, said_at=turn.said_at)


def spoken(turn: CitedMessage) -> str:
    """A turn with its speaker and the caption of what was attached."""
    return f"{turn.speaker}: {turn.text} {turn.attachment_text}"


def windows(turns: Sequence[CitedMessage]) -> list[str]:
    """Each turn with its date and the turn before it in its session."""
    texts = []
    for number, turn in enumerate(turns):
        before = turns[number - 1] if number and turns[number - 1].session == turn.session else None
        date = f"{turn.said_at:%-d %B %Y}" if turn.said_at else ""
        texts.append(f"{date} {spoken(before) if before else ''} {spoken(turn)}")
    return texts


def retrieved(hits: Sequence[Hit], question: str) -> Retrieved:
    """Turns in the order of the hits, and those that rendering within each budget tells."""
    wanted = words_of(question, ("en",))

    def weigh(text: str) -> float:
        return len(wanted & words_of(text, ("en",)))

    told = {}
    for budget in TOKEN_BUDGETS:
        block = memory_block(hits, budget=budget, count=_count, weigh=weigh)
        shown = {row.id for row in block.ids}
        told[budget] = frozenset(turns_of(hit for hit in hits if hit.id in shown))
    return Retrieved(turns_of(hits), told)


def turns_of(hits: Iterable[Hit]) -> tuple[str, ...]:
    """The distinct turns that hits cite: each hit spends a place for every turn, in its stated order."""
    ids = (turn_id(message) for hit in hits for message in hit.messages)
    return tuple(dict.fromkeys(found for found in ids if found))


@lru_cache(maxsize=100_000)
def _count(text: str) -> int:
    """The same lines are rendered for many questions."""
    return count_tokens(text)
