"""What changed between two versions: line by line, and word by word inside a line that was reworded.

Both are exact: the new version can be made again from the old one and the difference, and the same two
versions always give the same difference.
"""

import enum
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# From here on two lines are the same thought in other words; below, one went and another came.
REWORDED_FROM = 0.5
# Texts with more words than this are compared as one block: the matcher's worst case is cubic.
MOST_WORDS = 4_000


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A line of a version. Two lines with one id are the same row."""

    id: Hashable
    section: str
    text: str


class Change(enum.StrEnum):
    """What happened to a line."""

    ADDED = "added"
    REMOVED = "removed"
    REWORDED = "reworded"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class LineChange:
    """One line before and after; `before` is None for an added line, `after` for a removed one."""

    change: Change
    before: VersionLine | None
    after: VersionLine | None


@dataclass(frozen=True, slots=True)
class Difference:
    """All lines of both versions in the order of the new one, removed lines where they used to follow."""

    changes: tuple[LineChange, ...]

    @property
    def added(self) -> tuple[VersionLine, ...]:
        """Lines that only the new version has."""
        return tuple(line.after for line in self._of(Change.ADDED) if line.after)

    @property
    def removed(self) -> tuple[VersionLine, ...]:
        """Lines that only the old version has."""
        return tuple(line.before for line in self._of(Change.REMOVED) if line.before)

    @property
    def reworded(self) -> tuple[tuple[VersionLine, VersionLine], ...]:
        """Pairs of an old line and the one that took its place, in other words or another section."""
        return self._pairs(Change.REWORDED)

    @property
    def unchanged(self) -> tuple[tuple[VersionLine, VersionLine], ...]:
        """Pairs with the same section and text; their ids differ when the line was written anew."""
        return self._pairs(Change.UNCHANGED)

    @property
    def is_empty(self) -> bool:
        """Say whether no line came, went or was reworded; lines may stand in another order."""
        return all(line.change is Change.UNCHANGED for line in self.changes)

    def _of(self, change: Change) -> list[LineChange]:
        return [line for line in self.changes if line.change is change]

    def _pairs(self, change: Change) -> tuple[tuple[VersionLine, VersionLine], ...]:
        return tuple((line.before, line.after) for line in self._of(change) if line.before and line.after)


def difference(old: Sequence[VersionLine], new: Sequence[VersionLine]) -> Difference:
    """Compare two versions.

    Lines are paired by id, then by equal section and text, then by equal text, then by how much of
    their words they share, the most alike first.
    """
    pairs = _pair(old, new)
    taken = set(pairs.values())
    changes: list[LineChange] = []
    place = {old_at: new_at for new_at, old_at in pairs.items()}
    leaving = _removed_after(old, place, taken)
    changes.extend(LineChange(Change.REMOVED, line, None) for line in leaving.get(None, ()))
    for at, line in enumerate(new):
        before = old[pairs[at]] if at in pairs else None
        changes.append(LineChange(_change(before, line), before, line))
        changes.extend(LineChange(Change.REMOVED, gone, None) for gone in leaving.get(at, ()))
    return Difference(tuple(changes))


def apply(change: Difference, old: Sequence[VersionLine]) -> tuple[VersionLine, ...]:
    """Return the new version; raise ValueError when the difference was not made from `old`."""
    if Counter(line.before for line in change.changes if line.before) != Counter(old):
        raise ValueError("This difference was made from another version.")
    return tuple(line.after for line in change.changes if line.after)


def _change(before: VersionLine | None, after: VersionLine) -> Change:
    if before is None:
        return Change.ADDED
    is_same = (before.section, before.text) == (after.section, after.text)
    return Change.UNCHANGED if is_same else Change.REWORDED


def _pair(old: Sequence[VersionLine], new: Sequence[VersionLine]) -> dict[int, int]:
    """Return which line of `old` stands behind which line of `new`, by their places."""
    pairs: dict[int, int] = {}
    _pair_by([line.id for line in old], [line.id for line in new], pairs)
    _pair_by([(line.section, line.text) for line in old], [(line.section, line.text) for line in new], pairs)
    _pair_by([line.text for line in old], [line.text for line in new], pairs)
    _pair_alike(old, new, pairs)
    return pairs


def _pair_by(old: Sequence[Hashable], new: Sequence[Hashable], pairs: dict[int, int]) -> None:
    taken = set(pairs.values())
    free: dict[Hashable, list[int]] = {}
    for at in reversed(range(len(old))):
        if at not in taken:
            free.setdefault(old[at], []).append(at)
    for at, key in enumerate(new):
        if at not in pairs and free.get(key):
            pairs[at] = free[key].pop()


def _pair_alike(old: Sequence[VersionLine], new: Sequence[VersionLine], pairs: dict[int, int]) -> None:
    taken = set(pairs.values())
    left = [(at, line) for at, line in enumerate(old) if at not in taken]
    right = [(at, line) for at, line in enumerate(new) if at not in pairs]
    scored = [
        (-similarity(before.text, after.text), before.section != after.section, old_at, new_at)
        for old_at, before in left
        for new_at, after in right
    ]
    for score, _, old_at, new_at in sorted(scored):
        if -score >= REWORDED_FROM and new_at not in pairs and old_at not in taken:
            pairs[new_at] = old_at
            taken.add(old_at)


def _removed_after(
    old: Sequence[VersionLine], place: dict[int, int], taken: set[int]
) -> dict[int | None, list[VersionLine]]:
    """Group removed lines by the place, in the new version, of the last kept line before them."""
    groups: dict[int | None, list[VersionLine]] = {}
    anchor: int | None = None
    for at, line in enumerate(old):
        if at in taken:
            anchor = place[at]
        else:
            groups.setdefault(anchor, []).append(line)
    return groups


# A word, one character of a script written without spaces, white space, or one sign.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w)+|\s+|[^\w\s]")


class Edit(enum.StrEnum):
    """What happened to a piece of text."""

    EQUAL = "equal"
    DELETE = "delete"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A piece of text that stayed, went or came."""

    edit: Edit
    text: str


def tokens(text: str) -> list[str]:
    """Cut a text into words, white space and signs; joined they are the text again."""
    return _TOKEN.findall(text)


def similarity(old: str, new: str) -> float:
    """Return the share of words two texts have in common and in the same order, from 0 to 1."""
    left = [token.casefold() for token in tokens(old) if not token.isspace()]
    right = [token.casefold() for token in tokens(new) if not token.isspace()]
    shared = sum((Counter(left) & Counter(right)).values())
    # The exact ratio can never exceed this one, which costs far less.
    bound = 2 * shared / max(len(left) + len(right), 1)
    if bound < REWORDED_FROM or max(len(left), len(right)) > MOST_WORDS:
        return bound
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


def word_difference(old: str, new: str) -> tuple[TextEdit, ...]:
    """Compare two texts word by word.

    Equal and deleted pieces joined are `old`, equal and inserted pieces joined are `new`.
    """
    left, right = tokens(old), tokens(new)
    if max(len(left), len(right)) > MOST_WORDS:
        return _joined([(Edit.DELETE, old), (Edit.INSERT, new)] if old != new else [(Edit.EQUAL, old)])
    edits: list[tuple[Edit, str]] = []
    for kind, from_, to, start, end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            edits.append((Edit.EQUAL, "".join(left[from_:to])))
            continue
        edits.append((Edit.DELETE, "".join(left[from_:to])))
        edits.append((Edit.INSERT, "".join(right[start:end])))
    return _joined(edits)


def _joined(edits: Iterable[tuple[Edit, str]]) -> tuple[TextEdit, ...]:
    return tuple(TextEdit(edit, text) for edit, text in edits if text)
