"""A table of sentences and what a person would want to be remembered of them, one file per theme.

A row has `name`, `said` (texts of Alice, or tables with `text`, `role`, `speaker`, `tool`, `said_at`,
`undated`), perhaps `known` (atoms), and `expect` (the decisions in order; of each only the named fields are
compared, a list is a choice, `messages` are the numbers of the turns cited) or `nothing = true`, then perhaps
with the `reason` that a message left unread is given.
What the model gets wrong stands in `misses.toml` by file and name, so that every change of it is seen.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.cascade.contract import AtomDecision, OfferedAtom, OfferedMessage
from tests.llm.offline.ladder import Ladder, message

TABLE = Path(__file__).with_name("table")
SAID_AT = datetime(2026, 7, 22, 9, tzinfo=UTC)
LEAST_SHARE_RIGHT = 0.95
Row = dict[str, Any]


def rows() -> dict[str, Row]:
    """Every row by `file/name`."""
    return {
        f"{path.stem}/{row['name']}": row
        for path in sorted(TABLE.glob("*.toml"))
        if path.stem != "misses"
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["row"]
    }


def misses() -> set[str]:
    """Names of the rows that the model is known to get wrong."""
    path = TABLE / "misses.toml"
    return set(tomllib.loads(path.read_text(encoding="utf-8"))["misses"])


def decided(row: Row, *, is_cut: bool) -> list[AtomDecision]:
    """What the model decides over the turns of a row, read at once or turn by turn."""
    ladder = Ladder()
    for number, known in enumerate(row.get("known", []), 1):
        ladder.atoms[f"a{number}"] = _atom(f"a{number}", known)
    turns = [_turn(said, number) for number, said in enumerate(row["said"], 1)]
    return ladder.read(turns, range(len(turns)) if is_cut else ())


def is_right(row: Row, items: list[AtomDecision]) -> bool:
    """Whether the decisions are the expected ones, in order."""
    expected = [] if row.get("nothing") else row["expect"]
    told = [item for item in items if not _is_left(item)]
    reasons = [item.reason for item in items if _is_left(item)]
    is_reasoned = any(row["reason"] in reason for reason in reasons) if "reason" in row else True
    return is_reasoned and len(told) == len(expected) and all(map(_is_as_expected, told, expected))


def _is_left(item: AtomDecision) -> bool:
    """Whether a message was left unread, which is told by a skip that repeats nothing."""
    return item.action == "skip" and not item.targets


def outcome(items: list[AtomDecision]) -> list[tuple[str, str, str]]:
    """Decisions in short, for showing and comparing."""
    return [(item.action, item.text, item.kind) for item in items]


def _turn(said: str | dict[str, Any], number: int) -> OfferedMessage:
    told = {"text": said} if isinstance(said, str) else said
    turn = message(
        told["text"],
        speaker=told.get("speaker", "Alice"),
        role=told.get("role", "user"),
        at=_moment(told.get("said_at")),
        tool=told.get("tool", ""),
        handle=f"m{number}",
    )
    return replace(turn, said_at=None) if told.get("undated") else turn


def _atom(handle: str, known: dict[str, Any]) -> OfferedAtom:
    return OfferedAtom(
        handle,
        known["text"],
        known.get("kind", "episodic"),
        known.get("priority", 50),
        known.get("topic", ""),
        known.get("subject", "Alice"),
        "user",
        "live",
        _moment(known.get("said_at")),
        scope=known.get("scope", ""),
    )


def _moment(said_at: str | datetime | None) -> datetime:
    return datetime.fromisoformat(said_at) if isinstance(said_at, str) else said_at or SAID_AT


def _is_as_expected(item: AtomDecision, expected: dict[str, Any]) -> bool:
    found = item.model_dump() | {"messages": [int(handle[1:]) for handle in item.messages]}
    return all(_fits(name, found[name], value) for name, value in expected.items())


def _fits(name: str, found: Any, value: Any) -> bool:
    if name == "priority":
        low, high = value if isinstance(value, list) else (value, value)
        return bool(low <= found <= high)
    if name == "messages":
        return bool(found == value)
    if name.startswith("happened"):
        return bool(found == _day(value))
    return found in value if isinstance(value, list) else bool(found == value)


def _day(value: str | date) -> date | None:
    if isinstance(value, date):
        return value
    return date.fromisoformat(value) if value not in ("", "none") else None


ROWS = rows()
WRONG = {name for name, row in ROWS.items() if not is_right(row, decided(row, is_cut=False))}


def test_at_least_the_promised_share_is_right() -> None:
    assert 1 - len(WRONG) / len(ROWS) >= LEAST_SHARE_RIGHT


def test_what_is_wrong_is_known() -> None:
    assert misses() == WRONG


@pytest.mark.parametrize("name", ROWS)
def test_a_row_comes_out_alike_turn_by_turn(name: str) -> None:
    row = ROWS[name]
    assert outcome(decided(row, is_cut=True)) == outcome(decided(row, is_cut=False))
