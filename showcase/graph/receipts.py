"""The stored evidence between nodes: row by row where both ends are shown, counted where they are grouped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, Q, UUIDField, Value, When

from memory.models import Entity, Evidence
from showcase.graph.rows import Receipts, key, topic_key

OTHER_SESSION, OTHER_TOPIC = UUID(int=0), "\x1f"
"""Stand for all sessions and topics that have no place of their own; no row has such an id or topic."""
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
    sessions: Collection[UUID],
    topics: Collection[str],
    lines: Collection[UUID],
    traits: Collection[UUID],
) -> tuple[Receipts, ...]:
    """One statement. Messages and atoms that are not among those given are told by session and by topic.

    Of sessions and topics those given are told apart, all others as one, so that what is read does not grow
    with their number. `lines` and `traits` (versions) are all that there are; `followed` narrows both ends.
    """
    rows = Evidence.objects.filter(workspace_id=entity.workspace_id, entity=entity)
    rows = rows.filter(_derived(followed, lines, traits)).filter(_target(followed, lines))
    ends = {**_upper_ends(atoms, topics), **_lower_ends(messages, atoms, sessions, topics), "beside": BESIDE}
    counted = rows.annotate(**ends).values_list(*ENDS).annotate(count=Count("pk")).order_by()
    return tuple(_receipts(row) for row in counted)


def _upper_ends(atoms: Collection[UUID], topics: Collection[str]) -> dict[str, Case]:
    return {
        "upper_atom": Case(When(of_atom__in=atoms, then=F("of_atom"))),
        "upper_topic": _topic("of_atom", atoms, topics),
    }


def _lower_ends(
    messages: Collection[UUID],
    atoms: Collection[UUID],
    sessions: Collection[UUID],
    topics: Collection[str],
) -> dict[str, Case]:
    said = ~Q(message__in=messages) & Q(message__isnull=False)
    return {
        "lower_message": Case(When(message__in=messages, then=F("message"))),
        "lower_session": Case(
            When(said & Q(message__session__in=sessions), then=F("message__session")),
            When(said, then=Value(OTHER_SESSION)),
            output_field=UUIDField(),
        ),
        "lower_atom": Case(When(atom__in=atoms, then=F("atom"))),
        "lower_topic": _topic("atom", atoms, topics),
    }


def _topic(column: str, atoms: Collection[UUID], topics: Collection[str]) -> Case:
    """The topic of atoms that do not stand for themselves."""
    grouped = ~Q(**{f"{column}__in": atoms}) & Q(**{f"{column}__isnull": False})
    return Case(
        When(grouped & Q(**{f"{column}__topic__in": topics}), then=F(f"{column}__topic")),
        When(grouped, then=Value(OTHER_TOPIC)),
    )


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
