"""The stored evidence between nodes: row by row where both ends are shown, counted where they are grouped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, Q, QuerySet, TextField, UUIDField, Value, When

from memory.fixed_queries import FixedQuery, one_of
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
    owned = {"workspace": entity.workspace_id, "entity": entity.pk}
    shown = {"messages": messages, "atoms": atoms, "sessions": sessions, "topics": topics}
    shown |= {"lines": lines, "traits": traits}
    given: dict[str, Any] = {**owned, **{name: list(values) for name, values in shown.items()}}
    counted = _ALL.rows(**given) if followed is None else _FOLLOWED.rows(**given, followed=list(followed))
    # As the server counts them they come in any order.
    return tuple(sorted(map(_receipts, counted), key=lambda one: (one.upper, one.lower)))


def _counted(
    *,
    workspace: UUID,
    entity: UUID,
    messages: list[UUID],
    atoms: list[UUID],
    sessions: list[UUID],
    topics: list[str],
    lines: list[UUID],
    traits: list[UUID],
    followed: list[UUID] | None = None,
) -> QuerySet[Any, Any]:
    """Rows of `ENDS` and their counts."""
    rows = Evidence.objects.filter(workspace=workspace, entity=entity)
    rows = rows.filter(_derived(followed, lines, traits)).filter(_target(followed, lines))
    ends = {**_upper_ends(atoms, topics), **_lower_ends(messages, atoms, sessions, topics), "beside": BESIDE}
    counted: QuerySet[Any, Any] = (
        rows.annotate(**ends).values_list(*ENDS).annotate(count=Count("pk")).order_by()
    )
    return counted


_KINDS = {
    "workspace": UUID,
    "entity": UUID,
    "messages": list[UUID],
    "atoms": list[UUID],
    "sessions": list[UUID],
    "topics": list[str],
    "lines": list[UUID],
    "traits": list[UUID],
}
_ALL = FixedQuery(_counted, **_KINDS)
_FOLLOWED = FixedQuery(_counted, **_KINDS, followed=list[UUID])


def _upper_ends(atoms: Collection[UUID], topics: Collection[str]) -> dict[str, Case]:
    return {
        "upper_atom": Case(When(one_of("of_atom", atoms), then=F("of_atom"))),
        "upper_topic": _topic("of_atom", atoms, topics),
    }


def _lower_ends(
    messages: Collection[UUID],
    atoms: Collection[UUID],
    sessions: Collection[UUID],
    topics: Collection[str],
) -> dict[str, Case]:
    said = ~one_of("message", messages) & Q(message__isnull=False)
    return {
        "lower_message": Case(When(one_of("message", messages), then=F("message"))),
        "lower_session": Case(
            When(said & one_of("message__session", sessions), then=F("message__session")),
            When(said, then=Value(OTHER_SESSION)),
            output_field=UUIDField(),
        ),
        "lower_atom": Case(When(one_of("atom", atoms), then=F("atom"))),
        "lower_topic": _topic("atom", atoms, topics),
    }


def _topic(column: str, atoms: Collection[UUID], topics: Collection[str]) -> Case:
    """The topic of atoms that do not stand for themselves."""
    grouped = ~one_of(column, atoms) & Q(**{f"{column}__isnull": False})
    return Case(
        When(grouped & one_of(f"{column}__topic", topics, TextField), then=F(f"{column}__topic")),
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
    atoms = Q(of_atom__isnull=False) if followed is None else one_of("of_atom", followed)
    return atoms | one_of("of_line", lines) | one_of("of_trait_version", traits)


def _target(followed: Collection[UUID] | None, lines: Collection[UUID]) -> Q:
    beside = Q(correction__isnull=False) | Q(outside_kind__isnull=False) | one_of("line", lines)
    if followed is None:
        return Q(message__isnull=False) | Q(atom__isnull=False) | beside
    return one_of("message", followed) | one_of("atom", followed) | beside


def _key(*named: tuple[str, Any]) -> str:
    """The name of the one end that is set; nothing where none is."""
    for kind, found in named:
        if found is not None:
            return topic_key(found) if kind == "topic" else key(kind, found)
    return ""
