"""Claims whose time is over leave scenes and the index by themselves."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from memory.cascade.engine import settle_entity
from memory.claims.ending import end_claims, forget_live_values
from memory.models import Atom, Entity, GraphEdge, Line, LiveValue, Step, Work, Workspace
from memory.recall.search import Request, search
from memory.stewardship.verify import verify
from tests.claims.observing import APPLICATION, decide, say, standing

NOW = timezone.now()


def offered(entity: Entity, value: Any = "trial", **fields: Any) -> Any:
    return say(entity, value, **{"predicate": "offer.kind", "said_at": NOW - timedelta(days=2), **fields})


def test_a_claim_whose_time_is_over_becomes_history(alice: Entity, bob: Entity) -> None:
    offered(alice, valid_until=NOW + timedelta(days=1))
    offered(bob)
    assert end_claims() == 0
    Atom.objects.for_entity(alice).update(valid_until=NOW - timedelta(seconds=1))
    assert (end_claims(), end_claims()) == (1, 0)
    assert standing(alice) == [("trial", APPLICATION, "superseded")]
    assert standing(bob) == [("trial", APPLICATION, "live")]
    due = Work.objects.filter(entity=alice, due_at__isnull=False).values_list("step", flat=True)
    assert set(due) >= {Step.SCENE_SYNTHESIS, Step.PROMOTION}


def test_scenes_and_search_follow(alice: Entity) -> None:
    offered(alice, valid_until=NOW + timedelta(days=1))
    offered(alice, "Lund", predicate="offer.city")
    settle_entity(alice)
    Atom.objects.for_entity(alice).filter(value="trial").update(valid_until=NOW - timedelta(seconds=1))
    end_claims()
    settle_entity(alice)
    heads = Line.objects.for_entity(alice).filter(places__version__is_head=True)
    assert [line.text for line in heads if "trial" in line.text and line.section != "evolution_record"] == []
    assert [
        hit for hit in search(alice, Request("offer trial", uses_meaning=False)).hits if "trial" in hit.text
    ] == []
    assert verify(alice, is_settled=True) == []


def test_the_graph_knows_until_when_it_held(alice: Entity) -> None:
    offered(alice, valid_until=NOW - timedelta(days=1))
    end_claims()
    settle_entity(alice)
    edge = GraphEdge.objects.get(entity=alice)
    assert (edge.value, edge.valid_until) == ("trial", NOW - timedelta(days=1))
    assert verify(alice, is_settled=True) == []


def test_what_is_said_again_after_its_end_holds_again(alice: Entity) -> None:
    offered(alice, valid_until=NOW - timedelta(days=1))
    end_claims()
    assert offered(alice, said_at=NOW).holds.status == "live"
    assert standing(alice) == [("trial", APPLICATION, "live")]
    assert end_claims() == 0


def test_what_a_source_said_is_not_kept_for_ever(alice: Entity, workspace: Workspace) -> None:
    decide(workspace, "offer.*", "live")
    for days, predicate in enumerate(("offer.kind", "offer.city", "offer.price")):
        atom = offered(alice, predicate=predicate).atom
        moment = NOW - timedelta(days=days)
        times = {"fetched_at": moment, "known_at": moment, "expires_at": moment}
        LiveValue.objects.create(workspace=workspace, entity=alice, atom=atom, value=1, **times)
    assert forget_live_values() == 2
    assert LiveValue.objects.get().fetched_at == NOW
