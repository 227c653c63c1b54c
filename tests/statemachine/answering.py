"""A model for the machine: good or bad answers for each step, and something that happens while it thinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from memory.cascade.compaction_contract import CompactionPayload
from memory.cascade.contract import ExtractPayload, PersonaPayload, SynthesisPayload
from memory.llm.guard import refuse_inside_transaction
from memory.llm.protocol import ModelReply, ModelRequest
from tests.cascade import chaos
from tests.cascade.chaos import Items, _claims, _edits, _good, _matter, _reply

LADDER = (ExtractPayload, SynthesisPayload, PersonaPayload)


def _joint(request: ModelRequest, random: Random) -> ModelReply:
    """One claim on two messages, in the place of all that were said of matters; a line on two claims."""
    payload = request.payload
    if isinstance(payload, SynthesisPayload):
        return _reply(_with_a_joint_line(_edits(payload)))
    if not isinstance(payload, ExtractPayload):
        return _good(request, random)
    first, *_ = payload.messages
    item = {
        "action": "store",
        "text": first.text,
        "topic": _matter(first.text),
        "messages": [message.handle for message in payload.messages[:2]],
    }
    if targets := [atom.handle for atom in payload.atoms if _matter(atom.text)]:
        item |= {"action": "merge", "targets": targets, "reason": "value"}
    return _reply([item])


def _with_a_joint_line(edits: Items) -> Items:
    """The last line rests on the claim of the one before too."""
    lines = [line for edit in edits for line in edit["lines"]]
    if len(lines) > 1:
        lines[-1]["atoms"] = [*lines[-1]["atoms"], *lines[-2]["atoms"]]
    return edits


def _repeating(request: ModelRequest, random: Random) -> ModelReply:
    """What was said about a matter before is taken for said again: a receipt, and no claim."""
    payload = request.payload
    if not isinstance(payload, ExtractPayload):
        return _good(request, random)
    return _reply(
        [
            {**item, "action": "skip", "text": "", "reason": "said already"}
            if item["action"] == "merge"
            else item
            for item in _claims(payload)
        ]
    )


MOODS = {**chaos.MOODS, "joint": _joint, "repeating": _repeating}


class ThinkingModel:
    """Answers in its moods, for ever; `meanwhile` is called once, while the first answer is awaited."""

    name = "thinking@1"

    def __init__(
        self,
        moods: Sequence[str] = ("good",),
        seed: int = 0,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        self._moods = moods
        self._random = Random(seed)
        self._calls = 0
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
            mood = self._moods[self._calls % len(self._moods)]
            self._calls += 1
            return MOODS[mood](request, self._random)
        if isinstance(request.payload, CompactionPayload):
            return _reply([_digest(request.payload)])
        return _reply([])


def _digest(payload: CompactionPayload) -> dict[str, str]:
    """All that was said, as far as it fits."""
    told = " ".join((payload.summary, *(turn.text for turn in payload.turns)))
    return {"action": payload.action, "text": told[: payload.limit].strip() or "Nothing was said."}
