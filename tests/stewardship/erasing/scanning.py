"""Looking for a word in every column of every table, and in what the planner keeps of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import connection

from memory.indexing.analyser import fold
from memory.models import Entity
from memseek_site.databases import connected_as_owner


def places_of(word: str) -> list[str]:
    """The tables, and the statistics of columns, that hold a word in any case or folded form."""
    with connected_as_owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        names = [*_tables(cursor), "pg_stats"]
        return [name for name in names if _held(cursor, name, {fold(word)})]


def words_found(words: Iterable[str]) -> set[str]:
    """Those of some words that any table holds, in any case or folded form."""
    with connection.cursor() as cursor:
        sought = set(map(fold, words))
        return {word for name in _tables(cursor) for word in _held(cursor, name, sought)}


def _tables(cursor: Any) -> list[str]:
    cursor.execute(
        "SELECT table_name FROM information_schema.tables"
        " WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name"
    )
    return [name for (name,) in cursor.fetchall()]


def _held(cursor: Any, table: str, sought: set[str]) -> set[str]:
    cursor.execute(f"SELECT row_::text FROM {table} row_")
    told = [fold(row) for (row,) in cursor.fetchall()]
    return {word for word in sought if any(word in row for row in told)}


def everything_of(entity: Entity) -> dict[str, list[str]]:
    """Every row of an entity as text, by table, but for the rows of erases."""
    found: dict[str, list[str]] = {}
    for model in apps.get_app_config("memory").get_models():
        names = {field.attname for field in model._meta.concrete_fields}
        if "entity_id" in names and model._meta.model_name != "erasure":
            rows = model._base_manager.filter(entity_id=entity.pk).order_by("pk").values_list()
            found[model._meta.db_table] = [str(row) for row in rows]
    return found
