"""Hot statements on large tables: which index each is answered from; none is read whole."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.db import connection

from memory import queries
from memory.cascade.sweeping import sweep
from memory.cascade.work import claim, ensure_work, mark_due, pending_counts
from memory.events.places import Place
from memory.events.reading import events_of, next_events
from memory.ingest.access import open_access
from memory.models import Message, Step
from memory.recall.context.standing import read_standing
from memory.recall.record_counts import record_counts
from memory.recall.rules import standing_rules
from memory.recall.timeline import TimelineRequest, read_timeline
from tests.scaling.bounds import kept_plan, nodes_of, plan_of
from tests.scaling.doors import has_plan, sent_by
from tests.scaling.large import LARGE, Large

BEGINNING = Place(0, 0)
WHOLE = "the whole of it"


def claim_step(large: Large) -> None:
    ensure_work(large.entity)
    mark_due(workspace_id=large.entity.workspace_id, entity_id=large.entity.pk, step=Step.L1_EXTRACT)
    assert claim(entity=large.entity, step=Step.L1_EXTRACT, design="memseek@1") is not None


def next_messages(large: Large) -> None:
    waiting = Message.objects.for_entity(large.entity).pending()
    session = waiting.in_event_order().values_list("session", flat=True)[0]
    assert len(waiting.filter(session=session).select_related("session").in_event_order()[:20]) > 1


def owner_of(large: Large) -> dict[str, Any]:
    return {"workspace": large.entity.workspace_id, "entity": large.entity.pk}


HOT: Mapping[str, tuple[Callable[[Large], object], Mapping[str, str]]] = {
    "a page of the timeline": (
        lambda large: read_timeline(large.entity, TimelineRequest(limit=100)),
        {"memory_message": "", "memory_atom": "", "memory_evidence": ""},
    ),
    "counts of the timeline": (
        lambda large: queries.kept_rows(("timeline_counts", owner_of(large))),
        {"memory_recordcount": "record_count_entity"},
    ),
    "how many records there are": (
        lambda large: record_counts(large.entity.workspace_id, [large.entity.pk]),
        {"memory_recordcount": "record_count_entity"},
    ),
    "a key": (lambda large: open_access(large.token), {"memory_key": "memory_key_digest"}),
    "rules": (lambda large: standing_rules(large.entity), {"memory_atom": "atom_rules"}),
    "what stands": (lambda large: read_standing(large.entity, floor=70), {"memory_atom": "atom_rules"}),
    "messages that wait": (next_messages, {"memory_message": "message_pending"}),
    "how much waits": (
        lambda large: pending_counts(large.entity),
        {"memory_message": "message_pending", "memory_atom": "atom_pending"},
    ),
    "a claim": (claim_step, {"memory_work": "work_"}),
    "a sweep": (
        lambda _: sweep(),
        {"memory_work": "work_due", "memory_message": "message_pending", "memory_atom": "atom_pending"},
    ),
    "events": (lambda _: next_events(BEGINNING), {"memory_outbox": "outbox_order"}),
    "events of an entity": (
        lambda large: events_of(large.entity.workspace_id, [large.entity.pk], BEGINNING),
        {"memory_outbox": "outbox_stream"},
    ),
}
"""What is done, and for large tables what the name of an index begins with that must serve it."""


@pytest.mark.django_db
@pytest.mark.parametrize("name", HOT)
def test_a_hot_statement_is_answered_from_an_index(large: Large, name: str) -> None:
    work, wanted = HOT[name]
    read = read_from(lambda: work(large))
    assert {table for table in read if WHOLE in read[table]} == set()
    missing = {
        table: beginning
        for table, beginning in wanted.items()
        if not any(index.startswith(beginning) for index in read.get(table, ()))
    }
    assert missing == {}, read


@pytest.mark.django_db
def test_a_table_that_is_read_whole_is_seen(large: Large) -> None:
    assert large.entity.pk is not None
    read = read_from(lambda: list(Message.objects.filter(text__contains="word 1")))
    assert read == {"memory_message": {WHOLE}}


@pytest.mark.django_db
def test_a_page_is_not_looked_for_among_the_newest_of_all_entities(large: Large) -> None:
    """They would all be passed over, where the entity's own are older."""
    assert large.entity.pk is not None
    plan = kept_plan("timeline_places", literals={"most": 101})
    assert {node["Index Name"] for node in nodes_of(plan) if node.get("Relation Name") in LARGE} == {
        "message_timeline",
        "atom_timeline",
    }


def read_from(work: Callable[[], object]) -> dict[str, set[str]]:
    """By large table: the indexes that statements of some work read it by."""
    read: dict[str, set[str]] = defaultdict(set)
    for text, values in sent_by(work):
        if has_plan(text):
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (FORMAT JSON) {text}", values)
                for table, index in _indexes(plan_of(cursor)):
                    read[table].add(index)
    return {table: read[table] for table in read if table in LARGE}


def _indexes(node: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each table with the index that it is read by."""
    children = node.get("Plans", ())
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"], WHOLE
    elif node["Node Type"] == "Bitmap Heap Scan":
        yield from ((node["Relation Name"], name) for name in _index_names(children))
    elif "Index Name" in node and "Relation Name" in node:
        yield node["Relation Name"], node["Index Name"]
    for child in children:
        yield from _indexes(child)


def _index_names(nodes: Any) -> Iterator[str]:
    for node in nodes:
        if "Index Name" in node:
            yield node["Index Name"]
        yield from _index_names(node.get("Plans", ()))
