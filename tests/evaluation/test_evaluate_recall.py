"""`manage.py evaluate_recall` from an empty database to its figures."""

import io
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from memory.evaluation.methods import turns_of, windows
from memory.models import Atom, Entity, Message, Unindexed
from memory.recall.hits import CitedMessage, Hit

DEPTHS = ("recall_at_5", "recall_at_10", "recall_at_20", "recall_at_50")
BUDGETS = ("recall_at_500_tokens", "recall_at_1000_tokens", "recall_at_2000_tokens", "recall_at_4000_tokens")


def cited(turn: str, *, session: str = "s1", text: str = "", speaker: str = "Alice") -> CitedMessage:
    return CitedMessage(
        id=UUID(int=hash(turn) % 2**64),
        session=session,
        ordinal=0,
        role="user",
        speaker=speaker,
        text=text,
        attachment_text="",
        said_at=None,
        metadata={"dia_id": turn} if turn else {},
    )


def hit(*turns: str) -> Hit:
    return Hit("atom", UUID(int=1), "", 1.0, {}, tuple(cited(turn) for turn in turns))


def test_a_result_spends_one_place_for_each_turn_it_cites() -> None:
    assert turns_of([hit("D1:04", "D1:2"), hit("D1:2", "D2:1"), hit(), hit("")]) == ("D1:4", "D1:2", "D2:1")


def test_a_window_ends_at_its_session() -> None:
    turns = [cited("D1:1", text="one"), cited("D1:2", text="two"), cited("D2:1", session="s2", text="three")]
    assert [" ".join(text.split()) for text in windows(turns)] == [
        "Alice: one",
        "Alice: one Alice: two",
        "Alice: three",
    ]


def evaluated(file: Path, **options: Any) -> list[str]:
    out = io.StringIO()
    call_command("evaluate_recall", file, stdout=out, **options)
    return out.getvalue().splitlines()


@pytest.mark.django_db
def test_figures_come_from_conversations_that_are_imported_first(locomo: Path) -> None:
    part, whole = map(json.loads, evaluated(locomo, json=True))
    assert Message.objects.count() == 5
    assert Atom.objects.exists()
    assert not Unindexed.objects.exists()
    assert {key: whole[key] for key in ("evaluation", "conversations", "questions")} == {
        "evaluation": "recall",
        "conversations": ["talk-1"],
        "questions": 4,
    }
    assert (whole["questions_without_evidence"], whole["evidence_of_no_turn"]) == (2, 1)
    assert {name: whole[name] for name in (*DEPTHS, *BUDGETS)} == dict.fromkeys((*DEPTHS, *BUDGETS), 1.0)
    assert {name: values["questions"] for name, values in whole["by_category"].items()} == {
        "adversarial": 1,
        "multi_hop": 1,
        "single_hop": 1,
        "temporal": 1,
    }
    assert set(whole["baselines"]) >= {"bm25_words", "bm25_stems_window"}
    assert all(set(values) >= {*DEPTHS, *BUDGETS, "mrr"} for values in whole["baselines"].values())
    assert whole["milliseconds_p95"] >= whole["milliseconds_p50"] > 0
    assert set(whole["versions"]) >= {"memseek", "python", "django", "postgresql", "weights"}
    assert part["by_category"] == whole["by_category"]


@pytest.mark.django_db
def test_a_second_run_imports_nothing_and_finds_the_same(locomo: Path) -> None:
    def told() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(evaluated(locomo, json=True)[-1])
        return {name: value for name, value in found.items() if not name.startswith("milliseconds")}

    first = told()
    rows = (Message.objects.count(), Atom.objects.count(), Entity.objects.count())
    assert told() == first
    assert (Message.objects.count(), Atom.objects.count(), Entity.objects.count()) == rows


@pytest.mark.django_db
def test_the_table_names_every_method_and_category(locomo: Path) -> None:
    lines = evaluated(locomo, workspace="mine", conversation="talk-1")
    assert [line.split()[0] for line in lines[2:-1]] == [
        "recall",
        *("adversarial", "multi_hop", "single_hop", "temporal"),
        *("bm25_words", "bm25_stems_window", "vectors"),
    ]


@pytest.mark.django_db
def test_what_cannot_be_evaluated_is_said(locomo: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no conversation talk-2 in locomo\.json; there are talk-1"):
        evaluated(locomo, conversation="talk-2")
    with pytest.raises(CommandError, match="No such file"):
        evaluated(tmp_path / "missing.json")
