"""What of long scenes a prompt shows: the lines that matter to what is asked, and each claim once.

A model that adds line after line makes scenes of thousands of characters. Prompts with all of them would grow
with every message; what is left out is counted there, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from memory.cascade.contract import OfferedAtom, OfferedLine, OfferedScene, OfferedTrait
from memory.recall.terms import terms_of

Weigh = Callable[[OfferedLine], float]
"""How much a line matters."""


def concerning(texts: Iterable[str]) -> Weigh:
    """Lines by the words that they share with some texts."""
    wanted = frozenset(term for text in texts for term in terms_of(text))
    return lambda line: len(wanted.intersection(terms_of(line.text)))


def under(traits: Sequence[OfferedTrait]) -> Weigh:
    """Lines that traits rest on."""
    held = frozenset(line for trait in traits for line in trait.lines)
    return lambda line: float(line.handle in held)


def shortened(scene: OfferedScene, most_characters: int, weigh: Weigh) -> OfferedScene:
    """The scene with no more lines than fit, in their order.

    What is due or pinned is always shown; then what matters most, of equal weight the newest.
    """
    if sum(len(line.text) for line in scene.lines) <= most_characters:
        return scene
    places = range(len(scene.lines))
    weights = [weigh(line) for line in scene.lines]
    # A line's handle tells nothing of its age, its place does: lines are added at the end of their section.
    ordered = sorted(places, key=lambda place: (-weights[place], -place))
    kept = {place for place in places if scene.lines[place].is_due or scene.lines[place].is_pinned}
    room = most_characters - sum(len(scene.lines[place].text) for place in kept)
    for place in ordered:
        length = len(scene.lines[place].text)
        if place not in kept and length <= room:
            kept.add(place)
            room -= length
    lines = tuple(scene.lines[place] for place in sorted(kept))
    return replace(scene, lines=lines, lines_left_out=len(scene.lines) - len(lines))


def listed(atoms: Sequence[OfferedAtom], scenes: Sequence[OfferedScene]) -> list[OfferedAtom]:
    """The atoms that a prompt has to list beside these scenes: new ones, and those whose words no line tells.

    One that stands under lines which are not shown is of no use there, nor are the same words twice.
    """
    lines = [line for scene in scenes for line in scene.lines]
    cited = {handle for line in lines for handle in line.atoms}
    told = {(handle, line.text) for line in lines for handle in line.atoms if not line.is_due}
    return [
        atom
        for atom in atoms
        if atom.is_new or (atom.handle in cited and (atom.handle, atom.text) not in told)
    ]
