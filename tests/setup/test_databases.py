"""Settings of connections."""

from __future__ import annotations

import psycopg
import pytest
from django.db import connection, connections
from psycopg_pool import ConnectionPool

from memory import queries
from memseek_site.databases import database_at, with_pool
from memseek_site.environment import Environment


@pytest.mark.parametrize(("keeps_plans", "threshold"), [(True, 0), (False, None)])
def test_plans_are_kept_where_connections_are_not_shared(keeps_plans: bool, threshold: int | None) -> None:
    database = with_pool({"OPTIONS": {"sslmode": "require"}}, size=3, keeps_plans=keeps_plans)
    options = database["OPTIONS"]
    assert (options["prepare_threshold"], options["sslmode"], options["pool"]["max_size"]) == (
        threshold,
        "require",
        3,
    )


def test_a_server_that_is_gone_without_a_word_is_noticed() -> None:
    address = "postgresql://memseek@db/memseek?keepalives_idle=5"
    database = database_at(Environment(), "DATABASE_URL", address)
    assert database is not None
    options = with_pool(database, size=3, keeps_plans=False)["OPTIONS"]
    told = [name for name in sorted(options) if name.startswith(("keepalives", "tcp"))]
    assert {name: options[name] for name in told} == {
        "keepalives_count": 3,
        "keepalives_idle": 5,
        "keepalives_interval": 10,
        "tcp_user_timeout": 60_000,
    }


@pytest.mark.django_db
@pytest.mark.parametrize("threshold", [0, None], ids=["kept", "made anew"])
def test_queries_sent_together_answer_in_their_order(threshold: int | None) -> None:
    connection.ensure_connection()
    before = connection.connection.prepare_threshold
    connection.connection.prepare_threshold = threshold
    try:
        owner = {"workspace": None, "entity": None, "rows": "{}"}
        for _ in range(2):
            assert queries.kept_rows(("server_version", {}), ("result_atoms", owner)) == [
                queries.rows("server_version"),
                [],
            ]
    finally:
        connection.connection.prepare_threshold = before


@pytest.mark.django_db
def test_connections_that_were_cut_are_replaced_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("psycopg_pool.pool.sleep", pauses.append)
    own = with_pool(connection.settings_dict, size=6, keeps_plans=False)["OPTIONS"]["pool"]
    told = connection.get_connection_params() | {"autocommit": True}
    with ConnectionPool(kwargs=told, open=True, check=ConnectionPool.check_connection, **own) as pool:
        monkeypatch.setitem(connections["default"]._connection_pools, "default", pool)  # type: ignore[attr-defined]
        taken = [pool.getconn() for _ in range(6)]
        before = {held.info.backend_pid for held in taken}
        for held in taken:
            pool.putconn(held)
        with psycopg.connect(**told) as beside:
            # With a time (milliseconds) it returns when the process has gone; without, when it was told to.
            ended = beside.execute(
                "SELECT bool_and(pg_terminate_backend(pid, 10_000)) FROM unnest(%s) pid", [list(before)]
            ).fetchone()
        taken = [pool.getconn() for _ in range(6)]
        after = {held.info.backend_pid for held in taken}
        for held in taken:
            held.execute("SELECT 1")
            pool.putconn(held)
    # The first pause of a request is none; a second one would be a second.
    assert (ended, len(after), before & after, set(pauses)) == ((True,), 6, set(), {0.0})
