"""Observations for tests, and what stands after them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from memory.claims.observation import Observation, OutsideEvidence, Subject
from memory.claims.observing import Observed, observe
from memory.models import Atom, Authority, Entity, LiveSource, Policy, Workspace

NOON = datetime(2026, 6, 2, 12, 0, tzinfo=UTC)
CUSTOMER = Subject("customer", "customer-123")
ANNUAL = {"cycle": "annual", "price": 1_200}
MONTHLY = {"cycle": "monthly", "price": 120}
FAR = datetime(2099, 6, 2, 22, 0, tzinfo=UTC)
"""A time that no clock has reached."""
INFERENCE, USER, TOOL, APPLICATION = Authority


def at(minute: float) -> datetime:
    return NOON + timedelta(minutes=minute)


def event(reference: str = "billing.plan_selected", **fields: Any) -> OutsideEvidence:
    return OutsideEvidence(**{"kind": "tool_event", "reference": reference, **fields})


def observation(value: Any, **fields: Any) -> Observation:
    """The application says it at noon, unless the fields say something else; `minute` is one after noon."""
    told = {
        "subject": CUSTOMER,
        "predicate": "billing.plan",
        "authority": APPLICATION,
        "evidence": (event(),),
        "said_at": at(fields.pop("minute", 0)),
    }
    return Observation(value=value, **{**told, **fields})


def say(entity: Entity, value: Any, **fields: Any) -> Observed:
    return observe(entity=entity, observation=observation(value, **fields))


def standing(entity: Entity) -> list[tuple[Any, int, str]]:
    """Value, authority and state of every claim, in the order of their making."""
    rows = Atom.objects.for_entity(entity).claims().order_by("seq")
    return list(rows.values_list("value", "authority", "status"))


def decide(workspace: Workspace, pattern: str, action: str = "graph", **fields: Any) -> Policy:
    """A policy; `live` ones get a source of their own."""
    if action == "live":
        fields["source"] = LiveSource.objects.create(
            workspace=workspace, name=f"source-{pattern}"[:64], kind="callable", address="plan"
        )
    return Policy.objects.create(workspace=workspace, pattern=pattern, action=action, **fields)
