"""What happened at a stage, in words, decisions and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from memory.models import Run
from memory.recall.ladder import message_record
from showcase.cards import message_card
from showcase.reactor.decisions import decisions_of, quiet_of
from showcase.reactor.facts import bar_of, facts_of, readings_of
from showcase.reactor.gathering import Gathered, ids
from showcase.reactor.records import Decision, Told

BEFORE_ANYTHING = Told(
    "Before anything is said",
    "An empty memory. Step on and watch it fill: words come in, single claims are taken from them, scenes "
    "are written from the claims, and a persona is drawn from the scenes. Every figure and every reason on "
    "these pages is what the run recorded when it happened.",
)
LEADS: Mapping[str, str] = {
    "l1_extract": "One call reads the words beside the claims that memory holds already, and decides for "
    "each whether it is new, takes the place of an older one, or only repeats it.",
    "scene_synthesis": "Claims are placed in documents, one per topic. A version names only the lines that "
    "change; the others are carried over with what they rest on.",
    "persona": "What lasts across topics is drawn from the scenes that changed, one wording per slot. Dates, "
    "versions and tickets are refused here.",
}

ACCOUNT_ERASED = "What this run decided is erased"
READ_AGAIN = (
    "Nothing new was said: words were read again, for what had been made of them was erased, taken back or "
    "made anew."
)
WRITTEN: Mapping[str, tuple[str, str]] = {
    "l1_extract": ("atoms", "claim"),
    "scene_synthesis": ("scene_versions", "version"),
    "persona": ("trait_versions", "wording"),
}


def told_of(given: Gathered) -> Told:
    """What a stage tells."""
    if given.stage.run is None:
        return BEFORE_ANYTHING
    return _run(given, given.run) if given.run else _words(given)


def _words(given: Gathered) -> Told:
    scope = given.scope
    rows = list(given.messages.values())
    new = [row for row in rows if row.pk in given.fresh]
    talk = [row for row in rows if row.pk not in given.fresh] + new
    return Told(
        headline=_said(len(given.fresh), len(given.fresh) - len(new)),
        lead="Kept word for word, with speaker, session and time, and never edited. Nothing has been made of "
        "the new ones yet.",
        talk=tuple(message_card(scope, message_record(row, scope.entity)) for row in talk),
        new_from=len(talk) - len(new),
    )


def _said(count: int, gone: int) -> str:
    headline = f"{_count(count, 'message')} {_is(count)} said"
    return f"{headline}, {gone} of {'it' if count == 1 else 'them'} erased since" if gone else headline


def _run(given: Gathered, run: Run) -> Told:
    decisions = decisions_of(given, run)
    mark = given.stage.run
    return Told(
        headline=ACCOUNT_ERASED if run.is_account_erased else _headline(run, decisions),
        lead=f"{READ_AGAIN} {LEADS[run.step]}" if mark and mark.is_again else LEADS[run.step],
        erased=_left_of(given, run) if run.is_account_erased else "",
        decisions=decisions,
        quiet=quiet_of(given, run) if run.step == "l1_extract" else (),
        readings=readings_of(given, run),
        facts=facts_of(given, run),
        bar=bar_of(run),
        failures=given.stage.run.failures if given.stage.run else (),
    )


def _left_of(given: Gathered, run: Run) -> str:
    """What still stands of what a run wrote, for it tells no more itself."""
    kind, name = WRITTEN[run.step]
    wrote = ids(run.outputs, kind)
    if not wrote:
        return "It wrote nothing."
    rows: Mapping[UUID, object] = {
        "atoms": given.atoms,
        "scene_versions": given.versions,
        "trait_versions": given.wordings,
    }[kind]
    left = sum(id in rows and getattr(rows[id], "erased_at", None) is None for id in wrote)
    return f"Of {_count(len(wrote), name)} that it wrote, {left or 'none'} {_is(left)} still there."


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _headline(run: Run, decisions: Iterable[Decision]) -> str:
    """What came of it, outcome by outcome in the order in which they first came."""
    counts: dict[str, int] = {}
    for decision in decisions:
        counts[decision.said] = counts.get(decision.said, 0) + 1
    if not counts or run.noop_reason:
        return run.noop_reason.rstrip(".") or "Nothing is changed"
    subject = {"l1_extract": "claim", "scene_synthesis": "scene", "persona": "trait"}[run.step]
    first, *others = counts.items()
    told = [f"{_count(first[1], subject)} {first[0]}", *(f"{count} {said}" for said, count in others)]
    return ", ".join(told)


def _count(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
