"""The skill loop as a client goes through it; a worker has to run beside."""

from __future__ import annotations

from memory.client import Memory, NewStep, ProcedureVersion

ENTITY = "agent.alice"
TASK = "Deploy the billing service to production"
STEPS = (
    ("instruction", "Deploy the billing service to production.", ""),
    ("action", "Asked Alice for her written approval.", ""),
    ("result", "Alice approved it in writing.", ""),
    ("action", "Deployed the billing service one route at a time.", "deploy"),
    ("check", "Checked that telemetry shows no errors for ten minutes.", ""),
)


def first_draft(memory: Memory) -> ProcedureVersion:
    """What a worker draws from one trace of the task."""
    steps = [NewStep(kind=kind, text=text, tool_name=tool) for kind, text, tool in STEPS]
    memory.record_trace(entity=ENTITY, task=TASK, outcome="success", steps=steps)
    return memory.next_draft(entity=ENTITY)
