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
}


@cache
def stage_of(step: Step) -> Stage:
    """The one instance of a step's stage; stages keep no state."""
    stage: Stage = import_string(STAGES[step])()
    return stage
