"""Queries that may take so long and no longer: what happens when the server ends one."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection
from psycopg.pq import PipelineStatus

from memory import queries

NAPPING = "/* napping */ SELECT pg_sleep(5)"
ASKING = "/* asking */ SELECT current_setting('statement_timeout'), current_setting({setting})"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries of the tests' own."""
    asking = ASKING.replace("{setting}", "'max_parallel_workers_per_gather'")
    texts = {"napping": NAPPING, "asking": asking}
    known = queries.statement
    monkeypatch.setattr(queries, "statement", lambda name: texts.get(name) or known(name))


def asked() -> list[tuple[Any, ...]] | None:
    return queries.rows_within(1_000, "asking")


def raw() -> Any:
    """The driver's connection."""
    return connection.connection


def test_the_limit_holds_for_the_query_alone_and_it_starts_no_helpers() -> None:
    assert asked() == [("1s", "0")]
    after = queries.rows("asking")
    assert after[0][0] != "1s"
    assert after[0][1] != "0"


def test_a_query_that_was_ended_has_no_rows_and_the_next_one_is_answered() -> None:
    assert queries.rows_within(20, "napping") is None
    assert asked() == [("1s", "0")]


def test_one_that_was_ended_at_its_very_end_leaves_no_connection_that_is_of_no_more_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The driver finds an answer too many then, and can not leave its pipeline."""

    def stuck(pipeline: Any, error: BaseException | None) -> None:
        raise psycopg.OperationalError("cannot exit pipeline mode with uncollected results")

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Pipeline, "_exit", stuck)
        assert queries.rows_within(20, "napping") is None
    assert raw() is None
    assert asked() == [("1s", "0")]
    assert raw().pgconn.pipeline_status == PipelineStatus.OFF


def test_a_connection_that_broke_for_another_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(pipeline: Any, error: BaseException | None) -> None:
        raise psycopg.OperationalError("the connection is lost")

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Pipeline, "_exit", stuck)
        with pytest.raises(OperationalError, match="the connection is lost"):
            asked()
        assert raw().closed
        connection.close()
        with pytest.raises(OperationalError, match="the connection is lost"):
            queries.kept_rows(("asking", {}), ("asking", {}))
        assert raw().closed
    connection.close()
    assert asked() == [("1s", "0")]
