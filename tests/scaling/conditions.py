"""Conditions as the server writes them into a plan: which columns are held equal to what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LITERAL = re.compile(r"'(?:[^']|'')*'")
EQUAL = re.compile(r'^\(*(?:"?(\w+)"?\.)?"?(\w+)"?\)?(?:::\w+)? = (.*)$', re.DOTALL)
COLUMN = re.compile(r'^\(*"?(\w+)"?\."?(\w+)"?\)*$')
BARE_COLUMN = re.compile(r'^"?[a-z_]\w*"?$')
OF_A_TABLE = re.compile(r'"?(\w+)"?\."?\w+"?')


@dataclass(frozen=True, slots=True)
class Equality:
    """A column of a table (by its alias) that is held to a value, or to columns of the `others`."""

    alias: str
    column: str
    others: frozenset[str]


def equalities(condition: str, *, own: str, is_key: Callable[[str], bool]) -> Iterator[Equality]:
    """All that hold whichever way the condition is met. Columns without a table are of `own`.

    Where cases are open (OR), each of them has to hold a key, or the entity, of the same table.
    """
    condition = _bare(LITERAL.sub("''", condition))
    if len(cases := split(condition, " OR ")) > 1:
        yield from _in_every([list(equalities(case, own=own, is_key=is_key)) for case in cases], own, is_key)
    elif len(parts := split(condition, " AND ")) > 1:
        for part in parts:
            yield from equalities(part, own=own, is_key=is_key)
    elif found := EQUAL.match(condition):
        yield from _both_ways(found[1] or own, found[2], found[3])


def _both_ways(alias: str, column: str, value: str) -> Iterator[Equality]:
    others = frozenset(OF_A_TABLE.findall(value))
    # One column of a row held to another one of the same row says nothing of which row it is.
    if alias not in others:
        yield Equality(alias, column, others)
    if other := COLUMN.match(value):
        yield Equality(other[1], other[2], frozenset({alias}))


def _in_every(cases: list[list[Equality]], own: str, is_key: Callable[[str], bool]) -> Iterator[Equality]:
    columns = set.intersection(*({one.column for one in case if one.alias == own} for case in cases))
    for column in columns:
        found = [one for case in cases for one in case if (one.alias, one.column) == (own, column)]
        yield Equality(own, column, frozenset().union(*(one.others for one in found)))
    keyed = [[one for one in case if one.alias == own and is_key(one.column)] for case in cases]
    if all(keyed):
        yield Equality(own, "id", frozenset().union(*(one.others for case in keyed for one in case)))


def without_own_columns(condition: str) -> str:
    """A filter less what compares columns of one row; conditions of an index hold none of that."""
    parts = split(_bare(LITERAL.sub("''", condition)), " AND ")
    return " AND ".join(part for part in parts if not _compares_own(part))


def _compares_own(part: str) -> bool:
    found = EQUAL.match(_bare(part))
    return found is not None and BARE_COLUMN.match(found[3]) is not None


def _bare(condition: str) -> str:
    """Without the parentheses around the whole of it."""
    while condition.startswith("(") and _closing(condition) == len(condition) - 1:
        condition = condition[1:-1]
    return condition


def _closing(condition: str) -> int:
    depth = 0
    for place, character in enumerate(condition):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place
    return -1


def split(condition: str, word: str) -> list[str]:
    """At the places of a word that stand in no parentheses."""
    parts, depth, begin = [], 0, 0
    for place, character in enumerate(condition):
        depth += (character == "(") - (character == ")")
        if depth == 0 and condition.startswith(word, place):
            parts.append(condition[begin:place])
            begin = place + len(word)
    return [*parts, condition[begin:]]
