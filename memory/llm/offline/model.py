"""The offline model behind the same seam as every other."""

from __future__ import annotations

from pydantic import BaseModel

from memory.cascade.compaction_contract import CompactionPayload
from memory.cascade.contract import ExtractPayload, PersonaPayload, SynthesisPayload
from memory.llm.offline.digests import digest
from memory.llm.offline.extract import extract
from memory.llm.offline.procedures import draft
from memory.llm.offline.scenes import synthesize
from memory.llm.offline.traits import characterize
from memory.llm.protocol import ModelReply, ModelRequest, PermanentModelError
from memory.skills.contract import SkillPayload

OFFLINE_MODEL_NAME = "offline@1"


class OfflineModel:
    """Answers the cascade's requests by deterministic rules, from the payload alone."""

    @property
    def name(self) -> str:
        """What runs and versions say wrote them."""
        return OFFLINE_MODEL_NAME

    def answer(self, request: ModelRequest) -> ModelReply:
        """The JSON of the task's answer; a payload of another kind is a PermanentModelError."""
        if request.is_correction:
            # Rules give the same items again; what was refused of them stays refused.
            return ModelReply(text='{"items": []}', model=self.name)
        return ModelReply(text=_answered(request.payload).model_dump_json(), model=self.name)


def _answered(payload: object) -> BaseModel:
    if isinstance(payload, ExtractPayload):
        return extract(payload)
    if isinstance(payload, SynthesisPayload):
        return synthesize(payload)
    if isinstance(payload, PersonaPayload):
        return characterize(payload)
    if isinstance(payload, CompactionPayload):
        return digest(payload)
    if isinstance(payload, SkillPayload):
        return draft(payload)
    raise PermanentModelError(
        "unsupported_task", f"the offline model has no rules for {type(payload).__name__}"
    )
