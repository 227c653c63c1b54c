"""Settings of connections."""

from __future__ import annotations

import pytest
from django.db import connection

from memory import queries
from memseek_site.databases import with_pool


@pytest.mark.parametrize(("keeps_plans", "threshold"), [(True, 0), (False, None)])
def test_plans_are_kept_where_connections_are_not_shared(keeps_plans: bool, threshold: int | None) -> None:
    database = with_pool({"OPTIONS": {"sslmode": "require"}}, size=3, keeps_plans=keeps_plans)
    options = database["OPTIONS"]
    assert (options["prepare_threshold"], options["sslmode"], options["pool"]["max_size"]) == (
        threshold,
        "require",
        3,
    )


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
