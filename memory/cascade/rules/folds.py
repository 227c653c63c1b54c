"""Where a session may be cut: the oldest turns go into the summary, and what belongs together stays together.

A call of a tool stays with its results, and with the turns below it in the execution tree. A call without a
result holds the turns behind it back while its result may still come: until a person speaks again, or the
session has ended.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class FoldTurn:
    """What of a turn decides where to cut. `characters` is how much of it would be shown."""

    id: Hashable
    parent: Hashable | None = None
    calls: tuple[str, ...] = ()
    """Ids of the calls that it makes."""
    result_of: str = ""
    """The id of the call whose result it is."""
    is_person: bool = False
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Fold:
    """The first `turns` turns go, in `groups` that cannot be cut further; `has_more` could go after them."""

    turns: int
    groups: int
    has_more: bool


def places_to_cut(turns: Sequence[FoldTurn], *, is_sealed: bool = False) -> list[int]:
    """Every number of first turns that can be cut off without parting what belongs together, in order.

    The whole is a place too, unless a result may still come.
    """
    begun = [0] * (len(turns) + 2)
    for first, last in _spans(turns, is_sealed=is_sealed):
        begun[first + 1] += 1
        begun[last + 1] -= 1
    inside = list(accumulate(begun))
    return [place for place in range(1, len(turns) + 1) if not inside[place]]


def choose_fold(
    turns: Sequence[FoldTurn],
    *,
    kept: int,
    most_turns: int,
    most_characters: int,
    most_groups: int | None = None,
    is_sealed: bool = False,
) -> Fold:
    """The longest beginning to fold that leaves at least `kept` turns and stays within the limits.

    What cannot be cut goes whole, though it is beyond a limit. No turns where there is no place to cut.
    """
    places = [place for place in places_to_cut(turns, is_sealed=is_sealed) if 0 < place <= len(turns) - kept]
    sizes = [0, *accumulate(turn.characters for turn in turns)]
    fitting = [place for place in places if place <= most_turns and sizes[place] <= most_characters]
    groups = max(1, min(len(fitting), most_groups or len(fitting)))
    if not places:
        return Fold(0, 0, has_more=False)
    return Fold(places[groups - 1], groups, has_more=groups < len(places))


def _spans(turns: Sequence[FoldTurn], *, is_sealed: bool) -> list[tuple[int, int]]:
    """First and last place of what belongs together; the last is behind the end while a call is open."""
    spans: list[tuple[int, int]] = []
    waiting: dict[str, int] = {}
    callers: dict[Hashable, int] = {}
    for place, turn in enumerate(turns):
        if turn.parent in callers:
            spans.append((callers[turn.parent], place))
        if turn.result_of in waiting:
            spans.append((waiting.pop(turn.result_of), place))
        if turn.is_person and turn.parent is None:
            waiting.clear()
        if turn.calls:
            callers[turn.id] = place
            waiting |= dict.fromkeys(turn.calls, place)
    return spans if is_sealed else [*spans, *((place, len(turns)) for place in waiting.values())]
