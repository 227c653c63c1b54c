"""Which relation a sentence states: a table of sentences, most of which state none."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from memory.claims.relations import Relation, read_relation

TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("test_relations.toml").read_text("utf-8")
)
STATED = [(text, group["about"], words) for group in TABLE["stated"] for text, words in group["sentences"]]
SILENT = [(text, group["about"]) for group in TABLE["silent"] for text in group["sentences"]]


@pytest.mark.parametrize(("text", "about", "words"), STATED)
def test_a_plain_statement_about_names_is_a_relation(text: str, about: str, words: str) -> None:
    assert read_relation(text, subject=about) == Relation(*words.split(" | "))


@pytest.mark.parametrize(("text", "about"), SILENT)
def test_whatever_is_not_plainly_stated_is_none(text: str, about: str) -> None:
    assert read_relation(text, subject=about) is None


def test_a_long_text_is_read_in_no_time() -> None:
    assert read_relation("Caroline works at " + "Acme " * 20_000, subject="Caroline") is None
    assert read_relation("a " * 50_000 + "works at Acme.", subject="Caroline") is None
