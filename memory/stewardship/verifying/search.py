"""What is to be found is found, what is not is not, and what search weighs by is counted right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from memory import queries
from memory.indexing.drafts import draw_drafts
from memory.indexing.languages import known_languages
from memory.indexing.units import make_unit
from memory.models import Entity, Layer, SearchUnit, Unindexed, UnitVector
from memory.stewardship.verifying.checks import ReadingCheck, Rows, RowsCheck, StatementCheck

AT_ONCE = 256
TABLES = {
    Layer.MESSAGE: "memory_message",
    Layer.ATOM: "memory_atom",
    Layer.SECTION: "memory_scene",
    Layer.TRAIT: "memory_trait",
}
_NOWHERE = UUID(int=0)

Candidate = tuple[UUID, int, UUID]
"""Entity, layer and row."""


def _not_found(entity: Entity | None) -> Iterator[tuple[str, str]]:
    """Rows without a unit whose words would give one."""
    after = (_NOWHERE, _NOWHERE)
    while batch := _candidates(entity, after):
        last = batch[-1]
        after = (last[0], last[2])
        by_entity: dict[UUID, list[Candidate]] = defaultdict(list)
        for candidate in batch:
            by_entity[candidate[0]].append(candidate)
        for owner in Entity.objects.filter(pk__in=by_entity).order_by("pk"):
            for layer, row in _with_words(owner, by_entity[owner.pk]):
                yield owner.name, f"{TABLES[layer]} {row}"


def _candidates(entity: Entity | None, after: tuple[UUID, UUID]) -> list[Candidate]:
    return queries.rows(
        "verify_unindexed",
        entity=entity and entity.pk,
        after_entity=after[0],
        after_row=after[1],
        most=AT_ONCE,
    )


def _with_words(entity: Entity, candidates: Sequence[Candidate]) -> list[tuple[Layer, UUID]]:
    """Those that hold words to be found by, whatever languages the entity was known to speak."""
    rows: dict[Layer, list[UUID]] = defaultdict(list)
    for _, layer, row in candidates:
        rows[Layer(layer)].append(row)
    languages = known_languages(entity)
    found = [
        (draft.layer, draft.row)
        for draft in draw_drafts(entity, rows)
        if all(make_unit(entity, draft, spoken).length for spoken in (languages, ()))
    ]
    return list(dict.fromkeys(found))


def _units_of_another_time() -> Rows:
    """Units that tell another time than their atom does, and do not wait to be made anew."""
    waiting = Unindexed.objects.filter(entity=OuterRef("entity"), layer=Layer.ATOM, row=OuterRef("atom"))
    same = Q(occurred_at=F("atom__occurred_at")) | Q(occurred_at__isnull=True, atom__occurred_at__isnull=True)
    # What stands for nothing breaks another rule.
    of_atoms = SearchUnit.objects.filter(layer=Layer.ATOM, atom__created_at__isnull=False)
    return of_atoms.exclude(same).exclude(Exists(waiting))


def _foreign_vectors() -> Rows:
    return UnitVector.objects.exclude(entity_id=F("unit__entity_id"), workspace_id=F("unit__workspace_id"))


CHECKS = (
    ReadingCheck("not_found", "is to be found, has no unit and does not wait for one", _not_found),
    StatementCheck("unit_of_nothing", "stands for what is not to be found", "verify_units"),
    RowsCheck("unit_differs", "tells another time than its atom", _units_of_another_time),
    StatementCheck("layer_count_differs", "is counted wrong", "verify_layer_counts"),
    StatementCheck("record_count_differs", "is counted wrong", "verify_record_counts"),
    StatementCheck("term_count_differs", "is counted wrong", "verify_term_counts"),
    RowsCheck("foreign_vector", "its unit belongs to another entity", _foreign_vectors),
)
