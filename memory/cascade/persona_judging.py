"""What of a portrayal may become a trait: slots, lines, stability, grounding, one item at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.cascade.chain_places import said_last
from memory.cascade.contract import Refusal, TraitEdit
from memory.cascade.persona_writing import PersonaEdit
from memory.cascade.rules.grounding import ungrounded
from memory.cascade.rules.handles import Handles, Kind, NotOfferedError
from memory.cascade.sameness import SAID_AGAIN, rewords, states
from memory.cascade.scene_state import LineState
from memory.cascade.stage import Judged, RefusedError
from memory.cascade.trait_state import TraitRuling, TraitState
from memory.models import Atom

HALF = 0.5
MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
PASSING = re.compile(
    rf"\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b(?:19|20)\d{{2}}\b|\b(?:{MONTHS})\.?\s+\d{{1,2}}\b|\b\d{{1,2}}\.?\s+(?:{MONTHS})\b"
    r"|\bv\d+(?:\.\d+)*\b|\b\d+\.\d+(?:\.\d+)+\b|(?<!\w)#\d+\b"
    # A ticket is written in capitals; names of standards look like one and last.
    r"|(?-i:\b(?!(?:UTF|SHA|ISO|RFC|AES|GPT|CVE)-)[A-Z][A-Z0-9]+-\d+\b)"
    r"|\b(?:today|tonight|yesterday|tomorrow|(?:last|next|this) (?:week|weekend|month|year))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PersonaJudge:
    """Judges the trait edits of one answer against what was offered."""

    handles: Handles
    lines: Mapping[UUID, LineState]
    atoms: Mapping[UUID, Atom]
    traits: Mapping[str, TraitState]
    markers: tuple[str, ...]
    rulings: Mapping[str, TraitRuling]
    """What people decided about slots."""

    def judge(self, items: Sequence[tuple[int, TraitEdit]], is_last: bool) -> Judged[PersonaEdit]:
        """Take what stands, refuse the rest with a reason each."""
        taken: dict[str, PersonaEdit] = {}
        refused: list[Refusal] = []
        for index, item in items:
            try:
                if item.slot in taken:
                    raise RefusedError(f"{item.slot} was set by an earlier item of this answer.")
                taken[item.slot] = self._take(index, item)
            except (RefusedError, NotOfferedError) as error:
                refused.append(Refusal(index, str(error), item.model_dump(mode="json")))
        return Judged(tuple(taken.values()), tuple(refused))

    def _take(self, index: int, item: TraitEdit) -> PersonaEdit:
        current = self.traits.get(item.slot)
        ruling = self.rulings.get(item.slot)
        if item.action == "retract":
            if current is None:
                raise RefusedError(f"There is no trait in {item.slot} to retract.")
            if ruling is not None:
                raise RefusedError(f"{item.slot} was written by a person.")
            return PersonaEdit(index, "retract", item.slot, "", (), item.reason)
        if not item.text:
            raise RefusedError("The text is empty.")
        if any(marker.casefold() in item.text.casefold() for marker in self.markers):
            raise RefusedError("It repeats an example of the prompt.")
        if found := PASSING.search(item.text):
            raise RefusedError(f"«{found[0]}» passes: dates, versions and tickets belong to scenes.")
        lines = self._lines(item)
        if ruling is not None:
            lines = self._newer(item, lines, ruling, is_live=current is not None)
        missing = ungrounded(item.text, [self._evidence(line) for line in lines])
        if missing:
            raise RefusedError(f"The lines it rests on do not hold: {', '.join(missing)}.")
        return PersonaEdit(index, "set", item.slot, item.text, tuple(line.id for line in lines), item.reason)

    def _lines(self, item: TraitEdit) -> list[LineState]:
        ids = dict.fromkeys(self.handles.resolve(said, kinds=(Kind.LINE,)) for said in item.lines)
        if not ids:
            raise RefusedError("A trait names the lines it rests on.")
        lines = [self.lines[line_id] for line_id in ids]
        if any(line.is_due for line in lines):
            raise RefusedError("A trait does not rest on a line that is due.")
        return lines

    def _newer(
        self, item: TraitEdit, lines: Sequence[LineState], ruling: TraitRuling, *, is_live: bool
    ) -> list[LineState]:
        """The lines that rest on words said after a person's decision, if they say the text by themselves.

        Other words need less of the text than those that the person wrote or took back.
        """
        newer = [line for line in lines if self._is_newer(line, ruling)]
        least = SAID_AGAIN if rewords(item.text, ruling.text) else HALF
        if not states(item.text, [self._evidence(line) for line in newer], least=least):
            decided = "written" if is_live else "taken back"
            raise RefusedError(f"{item.slot} was {decided} by a person.")
        return newer

    def _is_newer(self, line: LineState, ruling: TraitRuling) -> bool:
        times = [said_last(self.atoms[atom_id]) for atom_id in line.atoms]
        times += [line.decided_at] if line.decided_at is not None else []
        return any(time > ruling.decided_at for time in times)

    def _evidence(self, line: LineState) -> str:
        return " ".join((line.text, *(self.atoms[atom_id].subject for atom_id in line.atoms)))
