"""Forgetting as plain text: what would go, what with it, and what stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memory.recall.short_ids import short_id
from memory.stewardship.forgetting_records import Match
from memory.walkthrough.access import Forgetting, Forgotten

MARK = "▣"
TEXT_SHOWN = 200


def forgetting_lines(page: Forgetting) -> Iterator[str]:
    """What goes, what stays with the reason, and how to go on."""
    if not page.matches:
        yield f"Memory holds nothing about “{page.matter}”."
        return
    going = [match for match in page.matches if match.is_chosen]
    staying = [match for match in page.matches if not match.is_chosen]
    if going:
        yield f"{MARK} Would be erased ({len(going)})"
    for match in going:
        yield from _going(match)
    if staying:
        yield f"{MARK} Stays ({len(staying)})"
    for match in staying:
        yield f"  - [{short_id(match.id)}] {_shown(match.text)}"
        yield f"      {match.reason}"
    if page.token:
        yield f"In all: {_counted(page.counts)}"
        yield "Nothing has been erased yet. To erase it for good, all or without some of it:"
        yield f"forget confirm {page.token} [ids to keep]"


def _going(match: Match) -> Iterator[str]:
    yield f"  - [{short_id(match.id)}] {_shown(match.text)} ({match.status})"
    for words in match.messages:
        if words.id != match.id:
            yield f"      said in {words.session} [{short_id(words.id)}]: {_shown(words.text)}"
    for text in match.also:
        yield f"      goes with it: {_shown(text)}"
    for text in match.lines:
        yield f"      line of a scene: {_shown(text)}"
    for text in match.traits:
        yield f"      trait: {_shown(text)}"
    if match.digests:
        yield f"      summaries written anew: {match.digests}"


def _shown(text: str) -> str:
    """On one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= TEXT_SHOWN else f"{flat[: TEXT_SHOWN - 1]}…"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in counts.items() if count)


def forgotten_lines(page: Forgotten) -> Iterator[str]:
    """What went."""
    yield f"Erased for good: {_counted(page.counts)} (erasure {short_id(page.erasure)})"
