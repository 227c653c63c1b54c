"""What of an answer was taken, and the version that it comes to together with the active one's lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory.models.skills import ProcedureSection
from memory.skills.version_writing import LineText, Receipts, VersionText

SECTION_ORDER = {section: place for place, section in enumerate(ProcedureSection.values)}


@dataclass(frozen=True, slots=True)
class Described:
    """What the task is called, where it begins and ends, and what of single tasks must not survive."""

    title: str
    boundary: str
    incidental: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TakenLine:
    """A line of the answer: carried over, in the place of others, or new.

    `carried` and `replaces` are places of lines of the active version.
    """

    line: LineText
    carried: int | None = None
    replaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """Lines of the active version that go, by place, and why."""

    places: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Declined:
    """Feedback that changes nothing, or steps of which something was left out, and why."""

    feedback: tuple[UUID, ...]
    reason: str
    steps: tuple[UUID, ...] = ()


Taken = Described | TakenLine | Removed | Declined


def assembled(base: VersionText | None, taken: Sequence[Taken]) -> VersionText:
    """The whole draft: the active version's lines in their order, without those that go, and the new ones.

    A new line stands behind the line that the answer puts before it, else before the one that comes next,
    else at the end of its section. Lines that the answer does not name stay. The title is empty where neither
    the answer nor the active version has one.
    """
    described = next((one for one in taken if isinstance(one, Described)), None)
    sheet = _Sheet(base.lines if base else ())
    for removed in (one for one in taken if isinstance(one, Removed)):
        sheet.remove(removed.places)
    for section in SECTION_ORDER:
        sheet.write([one for one in taken if isinstance(one, TakenLine) and one.line.section == section])
    title = (described.title if described else "") or (base.title if base else "")
    boundary = (described.boundary if described else "") or (base.boundary if base else "")
    kept = base.incidental if base else ()
    incidental = tuple(dict.fromkeys((*kept, *(described.incidental if described else ()))))
    return VersionText(title, boundary, sheet.lines, incidental)


class _Sheet:
    """Lines in the making: each stands under a key, a place of the active version or a new one."""

    def __init__(self, base: Sequence[LineText]) -> None:
        self._rows: dict[int, LineText] = dict(enumerate(base))
        self._order: list[int] = list(self._rows)
        self._next = len(base)

    @property
    def lines(self) -> tuple[LineText, ...]:
        """By section, in their order; the same words twice are one line that rests on both."""
        merged: dict[tuple[str, str], LineText] = {}
        for row in (self._rows[key] for key in self._order):
            words = (row.section, row.text.casefold())
            merged[words] = _joined(merged[words], row) if words in merged else row
        return tuple(sorted(merged.values(), key=lambda line: SECTION_ORDER[line.section]))

    def remove(self, places: Sequence[int]) -> None:
        """Take lines out."""
        self._order = [key for key in self._order if key not in places]

    def write(self, taken: Sequence[TakenLine]) -> None:
        """Put the lines of one section in."""
        anchor: int | None = None
        for at, one in enumerate(taken):
            if one.carried is not None:
                anchor = one.carried
            elif one.replaces:
                anchor = self._replace(one)
            else:
                following = next(
                    (stands for later in taken[at:] if (stands := _standing(later)) is not None), None
                )
                anchor = self._insert(one.line, anchor, following)

    def _replace(self, one: TakenLine) -> int:
        first, *others = one.replaces
        self._rows[first] = one.line
        self.remove(others)
        return first

    def _insert(self, line: LineText, behind: int | None, before: int | None) -> int:
        key, self._next = self._next, self._next + 1
        self._rows[key] = line
        if behind is not None and behind in self._order:
            self._order.insert(self._order.index(behind) + 1, key)
        elif before is not None and before in self._order:
            self._order.insert(self._order.index(before), key)
        else:
            self._order.append(key)
        return key


def _joined(one: LineText, other: LineText) -> LineText:
    """One line of two with the same words; as a person wrote them, if one did."""
    written = other if other.receipts.corrections and not one.receipts.corrections else one
    return replace(written, receipts=one.receipts.joined(other.receipts))


def _standing(one: TakenLine) -> int | None:
    return one.carried if one.carried is not None else next(iter(one.replaces), None)


def receipts_within(text: VersionText) -> Receipts:
    """Everything that some lines rest on."""
    found = Receipts()
    for line in text.lines:
        found = found.joined(line.receipts)
    return found
