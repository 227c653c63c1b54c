"""The stored evidence between nodes: row by row where both ends are shown, counted where they are grouped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, Q, Value, When

from memory.models import Entity, Evidence
from showcase.graph.rows import Receipts, key, topic_key

UPPER_KINDS = ("atom", "topic", "line", "trait")
LOWER_KINDS = ("message", "session", "atom", "topic", "line")
ENDS = (
    *("upper_atom", "upper_topic", "of_line", "of_trait_version"),
    *("lower_message", "lower_session", "lower_atom", "lower_topic", "line"),
    "beside",
)
"""The columns of both ends, in the order of their kinds."""
BESIDE = Case(
    When(correction__isnull=False, then=Value("correction")),
    When(outside_kind__isnull=False, then=Value("outside")),
    default=Value(""),
)


def read_receipts(
    entity: Entity,
    followed: Collection[UUID] | None,
    *,
    messages: Collection[UUID],
    atoms: Collection[UUID],
    lines: Collection[UUID],
    traits: Collection[UUID],
) -> tuple[Receipts, ...]:
    """One statement. Messages and atoms that are not among those given are told by session and by topic.

    `lines` and `traits` (versions) are all that there are; `followed` narrows both ends.
    """
    rows = Evidence.objects.filter(workspace_id=entity.workspace_id, entity=entity)
    rows = rows.filter(_derived(followed, lines, traits)).filter(_target(followed, lines))
    ends = {**_upper_ends(atoms), **_lower_ends(messages, atoms), "beside": BESIDE}
    counted = rows.annotate(**ends).values_list(*ENDS).annotate(count=Count("pk")).order_by()
    return tuple(_receipts(row) for row in counted)


def _upper_ends(atoms: Collection[UUID]) -> dict[str, Case]:
    grouped = ~Q(of_atom__in=atoms) & Q(of_atom__isnull=False)
    return {
        "upper_atom": Case(When(of_atom__in=atoms, then=F("of_atom"))),
        "upper_topic": Case(When(grouped, then=F("of_atom__topic"))),
    }


def _lower_ends(messages: Collection[UUID], atoms: Collection[UUID]) -> dict[str, Case]:
    said = ~Q(message__in=messages) & Q(message__isnull=False)
    claimed = ~Q(atom__in=atoms) & Q(atom__isnull=False)
    return {
        "lower_message": Case(When(message__in=messages, then=F("message"))),
        "lower_session": Case(When(said, then=F("message__session"))),
        "lower_atom": Case(When(atom__in=atoms, then=F("atom"))),
        "lower_topic": Case(When(claimed, then=F("atom__topic"))),
    }


def _receipts(row: Sequence[Any]) -> Receipts:
    """A row of `ENDS` and its count."""
    *ends, beside, count = row
    return Receipts(
        _key(*zip(UPPER_KINDS, ends[: len(UPPER_KINDS)], strict=True)),
        _key(*zip(LOWER_KINDS, ends[len(UPPER_KINDS) :], strict=True)),
        count,
        beside,
    )


def _derived(followed: Collection[UUID] | None, lines: Collection[UUID], traits: Collection[UUID]) -> Q:
    atoms = Q(of_atom__isnull=False) if followed is None else Q(of_atom__in=followed)
    return atoms | Q(of_line__in=lines) | Q(of_trait_version__in=traits)


def _target(followed: Collection[UUID] | None, lines: Collection[UUID]) -> Q:
    beside = Q(correction__isnull=False) | Q(outside_kind__isnull=False)
    if followed is None:
        return Q(message__isnull=False) | Q(atom__isnull=False) | Q(line__in=lines) | beside
    return Q(message__in=followed) | Q(atom__in=followed) | Q(line__in=lines) | beside


def _key(*named: tuple[str, Any]) -> str:
    """The name of the one end that is set; nothing where none is."""
    for kind, found in named:
        if found is not None:
            return topic_key(found) if kind == "topic" else key(kind, found)
    return ""
