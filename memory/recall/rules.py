"""Standing rules: an exact filter, never a search, so that none is crowded out or silently capped."""

from __future__ import annotations

from django.db.models import Q

from memory.cascade.designs import design_of
from memory.models import Atom, Entity
from memory.recall.atoms import atom_record, with_receipts
from memory.recall.records import RuleCursor, RulesPage

RULES_PAGE_SIZE = 100


def standing_rules(
    entity: Entity, *, floor: int | None = None, after: RuleCursor | None = None, limit: int = RULES_PAGE_SIZE
) -> RulesPage:
    """Live instructions of at least the priority `floor` (0–100; None: the design's), most important first.

    `total` counts all of them, whatever the page holds; rules bound to a situation are among them, with
    their scope. Give `next_after` to the next call until it is None. ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError("A page holds at least one rule.")
    floor = design_of(entity).floors.rules if floor is None else floor
    rules = Atom.objects.for_entity(entity).rules(floor)
    rest = rules if after is None else rules.filter(_comes_after(after))
    found = list(with_receipts(rest)[: limit + 1])
    shown = found[:limit]
    has_more = len(found) > limit
    return RulesPage(
        floor=floor,
        total=rules.count(),
        rules=tuple(atom_record(atom) for atom in shown),
        next_after=RuleCursor(shown[-1].priority, shown[-1].seq) if has_more else None,
    )


def _comes_after(cursor: RuleCursor) -> Q:
    return Q(priority__lt=cursor.priority) | Q(priority=cursor.priority, seq__gt=cursor.seq)
