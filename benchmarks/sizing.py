"""`python -m benchmarks.sizing`: how much disk a stored message takes, with everything that is made of it.

Made-up talk of an entity goes through the whole ladder with the offline model and into the index; then the
tables are measured, indexes and all. What a real model makes of real talk differs.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from typing import Any

from benchmarks.installation import installation, machine, note

PEOPLE = ("Ann", "Ben", "Chen", "Dora", "Emil", "Fatma", "Goran", "Hana")
PLACES = ("Oslo", "Bergen", "Turin", "Lyon", "Kyoto", "Accra", "Lima", "Riga")
THINGS = ("billing service", "search index", "import job", "landing page", "data pipeline", "mobile client")
SAYINGS = (
    "{person} lives in {place} and works on the {thing}.",
    "The {thing} has to be ready on June {day}, {person} will check it.",
    "Never deploy the {thing} without the approval of {person}.",
    "I prefer short answers when we talk about the {thing}.",
    "{person} moved from {place} to another office last week.",
    "We talked with {person} about the {thing} for an hour, and nothing was decided in the end.",
    "Thanks, that helps. Let us go on with the {thing} tomorrow morning.",
)
TURNS_A_SESSION = 40
ENTITIES = 4
MEASURE = """
    SELECT relname, n_live_tup, pg_table_size(relid), pg_indexes_size(relid)
    FROM pg_stat_user_tables WHERE relname LIKE 'memory\\_%' ORDER BY pg_total_relation_size(relid) DESC
"""
SHOWN = 10


def main() -> None:
    """Store, settle, index, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizing", description=__doc__)
    parser.add_argument("--messages", type=int, default=2_000)
    count = parser.parse_args().messages
    with installation():
        empty = sum(size for _, _, size in _sizes())
        for number in range(ENTITIES):
            _fill(f"agent.{number}", count // ENTITIES, seed=number)
            note(f"entity {number + 1} of {ENTITIES} is settled")
        rows = _sizes()
        told = {"benchmark": "sizing", "messages": count, **_report(rows, count, empty), **machine()}
    print(json.dumps(told))


def _fill(name: str, count: int, *, seed: int) -> None:
    from memory.cascade.engine import settle_entity
    from memory.indexing.step import index_entity
    from memory.ingest.entities import ensure_entity
    from memory.ingest.incoming import read_messages
    from memory.ingest.messages import append_messages
    from memory.ingest.workspaces import create_workspace
    from memory.models import Workspace

    workspace = Workspace.objects.filter(name="sizing").first() or create_workspace(name="sizing").workspace
    entity = ensure_entity(workspace=workspace, name=name)
    messages = list(_talk(count, seed))
    for start in range(0, count, TURNS_A_SESSION):
        append_messages(entity=entity, messages=read_messages(messages[start : start + TURNS_A_SESSION]))
        settle_entity(entity)
    while index_entity(entity_id=entity.pk):
        pass


def _talk(count: int, seed: int) -> Iterator[dict[str, Any]]:
    chosen = random.Random(seed)  # noqa: S311 - made-up talk, the same each time
    for number in range(count):
        yield {
            "session": f"s{number // TURNS_A_SESSION}",
            "role": "user" if number % 2 == 0 else "assistant",
            "speaker": "Ann" if number % 2 == 0 else "",
            "text": chosen.choice(SAYINGS).format(
                person=chosen.choice(PEOPLE),
                place=chosen.choice(PLACES),
                thing=chosen.choice(THINGS),
                day=chosen.randrange(1, 29),
            ),
        }


def _sizes() -> list[tuple[str, int, int]]:
    from django.db import connection

    from memseek_site.databases import connected_as_owner

    with connected_as_owner(), connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute(MEASURE)
        return [(name, rows, table + indexes) for name, rows, table, indexes in cursor.fetchall()]


def _report(rows: list[tuple[str, int, int]], count: int, empty: int) -> dict[str, Any]:
    total = sum(size for _, _, size in rows) - empty
    for name, held, size in rows[:SHOWN]:
        print(f"{name:<28} {held:>8} rows {size / 1024:>10.0f} kB {size / count:>8.0f} bytes a message")
    print(f"{'all':<28} {'':>13} {total / 1024:>10.0f} kB {total / count:>8.0f} bytes a message")
    return {"bytes_a_message": round(total / count), "bytes": total}


if __name__ == "__main__":
    main()
