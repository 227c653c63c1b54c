"""Claims promoted, observed and erased at the same time: the graph shows what stands, and nothing else."""

from __future__ import annotations

import pytest

from memory.claims.promotion import PromotionWorker
from memory.models import Atom, GraphEdge
from memory.stewardship.erasing import Scope, erase, plan_erasure
from memory.stewardship.verify import verify
from tests.cascade.story import an_entity, settle
from tests.cases.threads import at_once
from tests.claims.observing import CUSTOMER, decide, event, observation, observe
from tests.stewardship.erasing.planting import BOSS

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 3


def test_promotion_and_erase_of_claims_at_once_leave_edges_of_what_stands_alone() -> None:
    entity = an_entity()
    decide(entity.workspace, "*")
    for number in range(ROUNDS):
        for name in ("kept", "gone"):
            told = observation(f"{name}-{number}", predicate=f"{name}.{number}", evidence=(event(name),))
            observe(entity=entity, observation=told)
        gone = Atom.objects.for_entity(entity).get(predicate=f"gone.{number}")
        plan = plan_erasure(entity=entity, scope=Scope("messages", atoms=(gone.pk,)), actor=BOSS)
        at_once(
            PromotionWorker(entity).run_once,
            lambda plan=plan: erase(erasure=plan, actor=BOSS),  # type: ignore[misc]
            PromotionWorker(entity).run_once,
        )
    settle(entity)
    PromotionWorker(entity).run_once()
    edges = GraphEdge.objects.filter(entity=entity).order_by("predicate")
    assert list(edges.values_list("predicate", "subject__identifier")) == [
        (f"kept.{number}", CUSTOMER.identifier) for number in range(ROUNDS)
    ]
    assert verify(entity, is_settled=True) == []
