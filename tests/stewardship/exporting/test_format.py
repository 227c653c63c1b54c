"""What an export holds is written down: another column or table is another version of the format."""

from __future__ import annotations

import json
from pathlib import Path

from django.apps import apps

from memory.stewardship.exporting.kinds import KINDS
from memory.stewardship.exporting.lines import MARK, VERSION

DERIVED = {
    *("SearchUnit", "UnitVector", "TermCount", "LayerCount", "RecordCount", "Unindexed", "LanguageSample"),
    *("GraphNode", "GraphEdge", "Unpromoted", "LiveValue"),
}
"""Made anew by the steps that always make them."""
LOCAL = {"Work", "Outbox", "Rebuild", "Erasure", "Share", "IdempotentReply"}
"""How this installation works on a memory, what it told streams and clients, what it did to it, who may
read it."""


def test_the_columns_are_those_of_the_format() -> None:
    golden = Path(__file__).with_name(f"format_{VERSION}.json")
    assert {kind.name: list(kind.names) for kind in KINDS} == json.loads(golden.read_text())


def test_every_table_of_an_entity_is_exported_or_known_not_to_be() -> None:
    owned = {
        model.__name__
        for model in apps.get_app_config("memory").get_models()
        if any(field.name == "entity" for field in model._meta.concrete_fields)
    }
    exported = {kind.model.__name__ for kind in KINDS} - {"Entity"}
    assert exported | DERIVED | LOCAL == owned
    assert exported & (DERIVED | LOCAL) == set()


def test_what_is_left_out_is_there_to_be_left_out() -> None:
    columns = {kind.name: {field.attname for field in kind.model._meta.concrete_fields} for kind in KINDS}
    assert {kind.name: kind.left_out - columns[kind.name] for kind in KINDS if kind.left_out} == {
        kind.name: set() for kind in KINDS if kind.left_out
    }


def test_no_column_is_called_as_the_mark_of_a_line() -> None:
    assert [kind.name for kind in KINDS if MARK in kind.names] == []
