"""Which module is which step."""

from __future__ import annotations

from functools import cache

from django.utils.module_loading import import_string

from memory.cascade.stage import Stage
from memory.models import Step

STAGES = {
    Step.L1_EXTRACT: "memory.cascade.l1_extract.Extraction",
    Step.SCENE_SYNTHESIS: "memory.cascade.scene_synthesis.Synthesis",
    Step.PERSONA: "memory.cascade.persona.Portrayal",
    Step.COMPACTION: "memory.cascade.compaction.Compaction",
    Step.PROMOTION: "memory.claims.promotion.Promotion",
    Step.SKILL_EXTRACT: "memory.skills.skill_extract.SkillExtraction",
}
LADDER = (Step.L1_EXTRACT, Step.SCENE_SYNTHESIS, Step.PERSONA)
"""The steps from words to traits, from below; the others lie beside it."""
WITHOUT_MODEL = frozenset({Step.PROMOTION})
"""The steps that code alone does: no budget holds them up, and they run where no model is configured."""


@cache
def stage_of(step: Step) -> Stage:
    """The one instance of a step's stage; stages keep no state."""
    stage: Stage = import_string(STAGES[step])()
    return stage
