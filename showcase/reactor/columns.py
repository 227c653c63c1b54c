"""The four layers at a stage, each with its figure and the newest of what stood there."""

from __future__ import annotations

from django.utils.text import Truncator

from memory.models import Atom, Message, SceneVersion, TraitVersion
from showcase.cards import SLOTS
from showcase.links import persona_url, record_url, version_url
from showcase.parts import Counter, Layer
from showcase.reactor.gathering import Gathered
from showcase.reactor.records import Column, Item

TEXT_SHOWN = 160
ITEMS_SHOWN = 24
ERASED = "erased since"


def columns_of(given: Gathered) -> tuple[Column, ...]:
    """Words, atoms, scenes and persona, in this order."""
    totals = given.totals
    return (
        _column(given, "L0", "messages", totals.messages, "", _messages(given), "Nobody has said anything."),
        _column(
            given, "L1", "atoms", totals.atoms, _past(totals.superseded), _atoms(given), "No claims yet."
        ),
        _column(
            given,
            "L2",
            "scenes",
            len(given.scenes),
            _versions(totals.versions),
            _scenes(given),
            "No scenes yet.",
        ),
        _column(given, "L3", "traits", len(given.traits), "", _traits(given), "No traits yet."),
    )


def _column(
    given: Gathered, layer: Layer, title: str, count: int, note: str, items: tuple[Item, ...], nothing: str
) -> Column:
    new = sum(item.is_new for item in items) if given.stage.layer == layer else 0
    said = [f"{new} {'new' if layer in ('L0', 'L1') else 'written'}"] if new else []
    counter = Counter(title, count, layer, ", ".join([*said, *([note] if note else [])]))
    # Words stand in the order in which they were said, everything else begins with the newest.
    shown = items[-ITEMS_SHOWN:] if layer == "L0" else items[:ITEMS_SHOWN]
    return Column(layer, title.capitalize(), counter, shown, max(0, count - len(shown)), nothing)


def _past(count: int) -> str:
    return f"{count} no longer hold{'s' if count == 1 else ''}" if count else ""


def _versions(count: int) -> str:
    return f"{count} version{'' if count == 1 else 's'}" if count else ""


def short(text: str) -> str:
    """The beginning of a text, for columns and lists."""
    # Django looks at each character of a text, however short it is.
    return text if len(text) <= TEXT_SHOWN else Truncator(text).chars(TEXT_SHOWN)


def message_item(given: Gathered, row: Message) -> Item:
    """Words and who said them; new until claims were taken from them."""
    text = row.text or row.attachment_text or f"calls {row.tool_name or 'a tool'}"
    is_new = row.pk in given.fresh and given.stage.layer in ("L0", "L1")
    return Item(short(text), record_url(given.scope, "message", row.pk), row.speaker or row.role, is_new)


def atom_item(given: Gathered, row: Atom) -> Item:
    """A claim and its kind."""
    note = f"{row.kind} {row.priority}"
    return Item(row.text, record_url(given.scope, "atom", row.pk), note, _is_made_now(given, row))


def version_item(given: Gathered, row: SceneVersion) -> Item:
    """A scene as one version of it has it."""
    count: int = row.line_count  # type: ignore[attr-defined]
    note = f"version {row.number}, {count} line{'' if count == 1 else 's'}"
    url = version_url(given.scope, row.scene_id, row.number)
    return Item(row.title or ERASED, url, note, _is_made_now(given, row))


def trait_item(given: Gathered, row: TraitVersion) -> Item:
    """A slot as one wording of it has it."""
    return Item(row.text or ERASED, persona_url(given.scope), SLOTS[row.trait.slot], _is_made_now(given, row))


def _is_made_now(given: Gathered, row: Atom | SceneVersion | TraitVersion) -> bool:
    return given.run is not None and row.run_id == given.run.pk


def _messages(given: Gathered) -> tuple[Item, ...]:
    return tuple(message_item(given, row) for row in given.messages.values())


def _atoms(given: Gathered) -> tuple[Item, ...]:
    """What held, the newest first."""
    held = [row for row in given.atoms.values() if row.holds_then]  # type: ignore[attr-defined]
    return tuple(atom_item(given, row) for row in reversed(held))


def _scenes(given: Gathered) -> tuple[Item, ...]:
    return tuple(version_item(given, row) for row in given.scenes)


def _traits(given: Gathered) -> tuple[Item, ...]:
    return tuple(trait_item(given, row) for row in given.traits)
