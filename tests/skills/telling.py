"""A fixed story of one procedure, up to the question for its next draft."""

from __future__ import annotations

from memory.llm.protocol import ModelRequest
from memory.models import Entity
from memory.skills.review import approve, edit_and_approve, reject
from memory.skills.versions import rendered
from tests.skills.skilled import PERSON, described, draft_of, feedback, learn, line, trace


def drafted_again(entity: Entity) -> ModelRequest:
    """A version that a person edited, a draft that was turned down, feedback, and a trace of a failure."""
    trace(entity)
    learn(
        entity,
        {
            "items": [
                described("Deploy a service", boundary="From the merge to the dashboard."),
                line("when", "A service is to be deployed.", "t1.s1"),
                line("procedure", "Run the tests.", "t1.s2"),
                line("procedure", "Deploy the canary.", "t1.s3"),
            ]
        },
    )
    first = draft_of(entity)
    markdown = rendered(first).replace("Deploy the canary.", 'Deploy the canary to "one" host.')
    version = edit_and_approve(draft=first, markdown=markdown, actor=PERSON, base=None)
    feedback(version, "attach a rollback plan", score="0.25", label="missing", expected="a plan")
    learn(entity, {"items": [line("procedure", "Attach a plan.", "f1")]})
    reject(draft=draft_of(entity), actor=PERSON, reason="say which plan")
    steps = [
        ("instruction", "Deploy the search service to production."),
        ("action", '{"service": "search"}', "deploy_canary"),
        ("result", "connection refused\nretry later", "deploy_canary"),
    ]
    trace(
        entity, "Deploy the search service to production", steps, outcome="failure", note="It never came up."
    )
    model = learn(entity, {"items": [line("procedure", "Attach a rollback plan.", "f1")]})
    approve(draft=draft_of(entity), actor=PERSON, base=2)
    return model.requests[0]
