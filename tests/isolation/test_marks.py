"""The words that the walks look for are where words can be."""

from __future__ import annotations

from tests.isolation.marking import SAME, columns_of_words
from tests.isolation.world import World

REFUSED = {
    "memory_atom.scope",
    "memory_erasure.entity_mark",
    "memory_erasure.selection",
    "memory_installeddesign.digest",
    "memory_installeddesign.name",
    "memory_key.prefix",
    "memory_livevalue.error",
    "memory_use.sha256",
}
"""Columns that a constraint keeps from holding a word."""


def test_every_column_of_words_bears_its_owners_word(world: World) -> None:
    there = {f"{model._meta.db_table}.{field.column}" for model, field in columns_of_words()}
    assert set(SAME) <= there
    assert world.unmarked == REFUSED
