"""L2: claims into scenes, line by line; what rests on a dead claim is replaced or taken out."""

from __future__ import annotations

from dataclasses import replace

from memory.cascade.contract import (
    LINE_TEXT_LIMIT,
    LineEdit,
    OfferedAtom,
    OfferedLine,
    SceneEdit,
    SynthesisAnswer,
    SynthesisPayload,
)
from memory.llm.offline.date_rules import MONTHS
from memory.llm.offline.desks import NO_TOPIC, Desk, desk_of, merge, new_desk, titles_apart
from memory.llm.offline.placing import closest_pair, fitting_desk, nearest_desk
from memory.llm.offline.sections import section_of

ALREADY_THERE = "Every offered atom already stands in a scene."


def synthesize(payload: SynthesisPayload) -> SynthesisAnswer:
    """Scene edits that place every new live atom and settle every due line."""
    run = _Synthesis(payload)
    for atom in payload.atoms:
        if atom.is_new and atom.state == "live":
            run.place(atom)
    run.clear_due_lines()
    titles = titles_apart(run.desks)
    items = [edit for place, desk in enumerate(run.desks) if (edit := _edit(desk, titles[place])) is not None]
    return SynthesisAnswer(items=items, nothing_reason=None if items else ALREADY_THERE)


class _Synthesis:
    """One run over the offered scenes and those it creates."""

    def __init__(self, payload: SynthesisPayload) -> None:
        self.payload = payload
        self.desks = [desk_of(scene) for scene in payload.scenes]
        self.atoms = {atom.handle: atom for atom in payload.atoms}
        self.settled: set[str] = set()

    def place(self, atom: OfferedAtom) -> None:
        """Put an atom into its scene: in the place of what it superseded, else as a line of its own.

        Where no scene has room for another line, the claim stands alone.
        """
        replaced = self._lines_of_predecessors(atom)
        desk = replaced[0][0] if replaced else self._desk_for(atom)
        if desk is None:
            return
        current = [line for _, line in replaced if line.section != "evolution_record"]
        edit = LineEdit(op="add", section=section_of(atom), text=atom.text, atoms=[atom.handle])
        self._set(desk, atom, current[:1], edit)
        if atom.supersedes:
            history = [line for _, line in replaced if line.section == "evolution_record"]
            self._set(desk, atom, history[:1], _evolution(atom))

    def clear_due_lines(self) -> None:
        """Take out due lines that no new atom replaced; what still holds of their evidence stands again."""
        for desk in self.desks:
            for line in desk.lines:
                if line.is_due and not line.is_pinned and line.handle not in self.settled:
                    desk.edits.extend(self._settlement(line))

    def _settlement(self, line: OfferedLine) -> list[LineEdit]:
        """Without its dead evidence a line says only what its living atoms say."""
        living = [
            self.atoms[handle]
            for handle in line.atoms
            if handle in self.atoms and self.atoms[handle].state == "live"
        ]
        if not living:
            return [LineEdit(op="remove", line=line.handle, section=line.section)]
        text = " ".join(atom.text for atom in living)
        return [
            LineEdit(
                op="replace",
                line=line.handle,
                section=line.section,
                text=text[:LINE_TEXT_LIMIT],
                atoms=[atom.handle for atom in living],
            )
        ]

    def _desk_for(self, atom: OfferedAtom) -> Desk | None:
        atom = atom if atom.topic else replace(atom, topic=NO_TOPIC)
        return fitting_desk(atom, self.desks) or self._opened(atom)

    def _opened(self, atom: OfferedAtom) -> Desk | None:
        """A new scene; at the cap two related ones become one first, or the claim joins the nearest."""
        opened = new_desk(atom)
        if len(self.desks) < self.payload.scene_cap:
            self.desks.append(opened)
            return opened
        pair = closest_pair([*self.desks, opened], len(atom.text))
        if pair is None:
            return nearest_desk(atom, self.desks)
        merged = merge(*pair, [known.handle for known in self.payload.atoms])
        self.desks = [desk for desk in (*self.desks, opened) if desk is merged or desk not in pair]
        return merged if opened in pair else opened

    def _lines_of_predecessors(self, atom: OfferedAtom) -> list[tuple[Desk, OfferedLine]]:
        """Unpinned lines, not yet settled, that rest on an atom this one superseded."""
        dead = {
            handle
            for handle, other in self.atoms.items()
            if other.state != "live" and other.text in atom.supersedes
        }
        return [
            (desk, line)
            for desk in self.desks
            for line in desk.lines
            if dead & set(line.atoms) and not line.is_pinned and line.handle not in self.settled
        ]

    def _set(self, desk: Desk, atom: OfferedAtom, lines: list[OfferedLine], edit: LineEdit) -> None:
        """Replace the line when there is one, else add."""
        if lines:
            edit = edit.model_copy(update={"op": "replace", "line": lines[0].handle})
            self.settled.add(lines[0].handle)
        desk.take(atom, edit, instead_of=lines[0] if lines else None)


def _evolution(atom: OfferedAtom) -> LineEdit:
    """One line a chain: what holds, since when, and what held before, newest first."""
    earlier = "; before that: ".join(text.rstrip(".。") for text in atom.supersedes)
    since = (
        f"On {atom.said_at.day} {MONTHS[atom.said_at.month - 1]} {atom.said_at.year}: "
        if atom.said_at
        else "Later: "
    )
    text = f"{since}{atom.text.rstrip('.。')} (before: {earlier})."
    return LineEdit(op="add", section="evolution_record", text=text[:LINE_TEXT_LIMIT], atoms=[atom.handle])


def _edit(desk: Desk, title: str) -> SceneEdit | None:
    if desk.scene is None:
        reason = f"a context of its own: {title}"
        return SceneEdit(action="create", title=title, lines=desk.edits, reason=reason)
    if not (desk.edits or desk.absorbed):
        return None
    return SceneEdit(
        action="merge" if desk.absorbed else "update",
        scene=desk.scene.handle,
        merged=[scene.handle for scene in desk.absorbed],
        title="" if title == desk.scene.title else title,
        lines=desk.edits,
        reason=_reason(desk),
    )


def _reason(desk: Desk) -> str:
    added = sum(edit.op == "add" for edit in desk.edits)
    replaced = sum(edit.op == "replace" for edit in desk.edits)
    removed = sum(edit.op == "remove" for edit in desk.edits)
    return f"lines added {added}, replaced {replaced}, removed {removed}"
