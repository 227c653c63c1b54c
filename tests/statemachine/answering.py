"""A model for the machine: good or bad answers for each step, and something that happens while it thinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory.cascade.compaction_contract import CompactionPayload
from memory.cascade.contract import ExtractPayload, PersonaPayload, SynthesisPayload
from memory.llm.guard import refuse_inside_transaction
from memory.llm.protocol import ModelReply, ModelRequest
from tests.cascade.chaos import ChaoticModel, GoodModel, _reply

LADDER = (ExtractPayload, SynthesisPayload, PersonaPayload)


class ThinkingModel:
    """Answers in its moods, for ever; `meanwhile` is called once, while the first answer is awaited."""

    name = "thinking@1"

    def __init__(
        self,
        moods: Sequence[str] = (),
        seed: int = 0,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        self._ladder = ChaoticModel(moods, seed) if moods else GoodModel()
        self._meanwhile: Callable[[], object] | None = meanwhile

    def answer(self, request: ModelRequest) -> ModelReply:
        refuse_inside_transaction()
        reply = self._answer(request)
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return reply

    def _answer(self, request: ModelRequest) -> ModelReply:
        if isinstance(request.payload, LADDER):
            return self._ladder.answer(request)
        if isinstance(request.payload, CompactionPayload):
            return _reply([_digest(request.payload)])
        return _reply([])


def _digest(payload: CompactionPayload) -> dict[str, str]:
    """All that was said, as far as it fits."""
    told = " ".join((payload.summary, *(turn.text for turn in payload.turns)))
    return {"action": payload.action, "text": told[: payload.limit].strip() or "Nothing was said."}
