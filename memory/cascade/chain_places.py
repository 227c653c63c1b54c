"""The members of a chain as rows: how they are placed, and in which order their places are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from memory.cascade.rules.chains import Link, settle_chain
from memory.models import Atom

AFTER_ALL = 1 << 62
"""Order of a row that has no number yet: it comes after all that stand."""


def said_last(atom: Atom) -> datetime:
    """When the words of an atom were said last, as its chain is ordered."""
    return atom.last_seen_at or atom.created_at


def see_again(atom: Atom, *, authority: int, said_at: datetime | None) -> None:
    """Move when an atom was said last: a repeat by somebody of less authority does not make it later.

    Otherwise an agent that repeats what an application said once would keep the application's next word out.
    """
    times = [time for time in (atom.last_seen_at, said_at) if time is not None]
    if authority >= atom.authority:
        atom.last_seen_at = max(times, default=None)


def holds_from(atom: Atom) -> datetime:
    """Since when the last words of an atom count: as it says itself, but not before they were said."""
    said = said_last(atom)
    return max(said, atom.valid_from or said)


def settle(members: Iterable[Atom], *, new: Sequence[Atom] = ()) -> None:
    """Give every member its place as of now, on the rows alone.

    What a person retracted stays retracted, and what it had replaced stays replaced. `members` are read
    `with_rulings`; `new` are those among them that are not stored yet, in the order of their making.
    """
    order = {row.pk: AFTER_ALL + place for place, row in enumerate(new)}
    known = {row.pk: row for row in members}
    rows = [row for row in known.values() if not _is_out(row, known)]
    places = settle_chain([_link(row, order.get(row.pk, row.seq)) for row in rows], present=timezone.now())
    for row in rows:
        row.status, row.superseded_by_id = places[row.pk].state, places[row.pk].superseded_by


def _is_out(row: Atom, known: Mapping[UUID, Atom]) -> bool:
    """Whether it was taken back, or replaced by what was taken back or erased, and not said again since."""
    later: Atom | None = row
    seen: set[UUID] = set()
    while later is not None and later.pk not in seen:
        if later.status == Atom.Status.RETRACTED or _has_lost_successor(later):
            return later is row or said_last(row) <= said_last(later)
        seen.add(later.pk)
        later = known.get(later.superseded_by_id) if later.superseded_by_id else None
    return False


def _has_lost_successor(row: Atom) -> bool:
    """Whether what had replaced it was erased: what is neither over nor a plan is replaced by something."""
    if row.status != Atom.Status.SUPERSEDED or row.superseded_by_id is not None:
        return False
    is_over = row.valid_until is not None and row.valid_until <= timezone.now()
    return not is_over and not (row.valid_from is not None and row.valid_from > said_last(row))


def _link(row: Atom, order: int) -> Link:
    return Link(
        row.pk,
        row.authority,
        said_last(row),
        order,
        says=row.text,
        begins=row.valid_from,
        until=row.valid_until,
        is_ruling=row.is_ruling,
    )


def write_places(changed: Sequence[Atom], new: Sequence[Atom], *, fields: Sequence[str]) -> None:
    """Write members of chains: first what makes room in the unique indexes, then what takes it.

    What comes to hold waits to be placed in scenes again. `fields` are those of the stored rows that may have
    changed.
    """
    live = [row for row in changed if row.status == Atom.Status.LIVE]
    dead = Atom.objects.filter(pk__in=[row.pk for row in live]).dead()
    dead.update(consumed_by=None, parked_by=None, parked_at=None)
    Atom.objects.bulk_update([row for row in changed if row.status != Atom.Status.LIVE], fields)
    Atom.objects.bulk_create(new)
    Atom.objects.bulk_update(live, fields)
