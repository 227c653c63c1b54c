"""Things in a column that would overlap where they would like to be, one right after the other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """Where each begins in it, its length, and where it would have to begin for each to be in its place."""

    offsets: tuple[float, ...]
    length: float
    wishes: tuple[float, ...]

    def top(self, least: float) -> float:
        """The mean of the wishes, but not above `least`; without any it is drawn up to what is above it."""
        return max(least, sum(self.wishes) / len(self.wishes)) if self.wishes else least

    def followed_by(self, other: Run) -> Run:
        """Both as one."""
        return Run(
            (*self.offsets, *(self.length + offset for offset in other.offsets)),
            self.length + other.length,
            (*self.wishes, *(wish - self.length for wish in other.wishes)),
        )
