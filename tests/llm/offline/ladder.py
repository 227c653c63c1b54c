"""A memory in plain objects that applies the offline model's answers as the cascade does."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from memory.cascade.contract import (
    AtomDecision,
    ExtractAnswer,
    ExtractPayload,
    OfferedAtom,
    OfferedLine,
    OfferedMessage,
    OfferedScene,
    OfferedTrait,
    PersonaAnswer,
    PersonaPayload,
    SceneEdit,
    SynthesisAnswer,
    SynthesisPayload,
)
from memory.llm.offline import OfflineModel
from memory.llm.protocol import ModelRequest

TOUR = Path(__file__).parents[3] / "memory" / "walkthrough" / "tour.toml"
PAYMENTS = (
    "The payments migration is under way. We must finish it before September 10, "
    "but the new webhook contract is unapproved."
)
OFFICE = (
    "This is separate from payments: the office move is blocked until the new lease is signed, "
    "and it must happen by September 20."
)
CONTEXT_TURNS = 4


def message(
    text: str,
    *,
    speaker: str = "Alice",
    role: Any = "user",
    at: datetime | None = None,
    tool: str = "",
    handle: str = "m1",
) -> OfferedMessage:
    """One message of a person in July 2026 unless told otherwise."""
    return OfferedMessage(
        handle, role, speaker, "s1", at or datetime(2026, 7, 22, 9, tzinfo=UTC), text, tool_name=tool
    )


def tour_sessions() -> list[list[OfferedMessage]]:
    """The scripted sessions of the walkthrough."""
    return [
        [
            OfferedMessage(
                f"m{index}",
                raw["role"],
                raw["speaker"],
                session["external_id"],
                raw["occurred_at"],
                raw["text"],
            )
            for index, raw in enumerate(session["messages"], 1)
        ]
        for session in tomllib.loads(TOUR.read_text(encoding="utf-8"))["sessions"]
    ]


@dataclass
class StoredLine:
    """A line of a scene."""

    handle: str
    section: Any
    text: str
    atoms: tuple[str, ...]


@dataclass
class StoredScene:
    """A scene with its lines in order."""

    handle: str
    title: str
    lines: list[StoredLine] = field(default_factory=list)


@dataclass
class Ladder:
    """Atoms, scenes and traits of one entity, and the answers that made them."""

    atoms: dict[str, OfferedAtom] = field(default_factory=dict)
    receipts: Counter[str] = field(default_factory=Counter)
    scenes: list[StoredScene] = field(default_factory=list)
    traits: dict[str, OfferedTrait] = field(default_factory=dict)
    decisions: list[AtomDecision] = field(default_factory=list)
    model: OfflineModel = field(default_factory=OfflineModel)
    lines_made: int = 0
    scenes_made: int = 0

    def say(self, *texts: str, at: datetime | None = None, speaker: str = "Alice") -> list[AtomDecision]:
        """Read texts as one session of one person."""
        return self.read(
            [message(text, at=at, speaker=speaker, handle=f"m{index}") for index, text in enumerate(texts, 1)]
        )

    def read(self, session: Sequence[OfferedMessage], cuts: Iterable[int] = ()) -> list[AtomDecision]:
        """Read a session in one batch, or in several cut at the given positions."""
        edges = sorted({0, len(session), *(cut for cut in cuts if 0 < cut < len(session))})
        made: list[AtomDecision] = []
        for first, last in pairwise(edges):
            made += self._extract(session[first:last], session[max(0, first - CONTEXT_TURNS) : first])
        return made

    def _extract(
        self, batch: Sequence[OfferedMessage], context: Sequence[OfferedMessage]
    ) -> list[AtomDecision]:
        live = tuple(self.live())
        payload = ExtractPayload(
            "agent.alice", "UTC", tuple(batch), tuple(context), live, tuple({atom.topic for atom in live})
        )
        answer = ExtractAnswer.model_validate_json(self.ask("l1_extract", ExtractAnswer, payload))
        said = {message.handle: message.said_at for message in (*context, *batch)}
        names: dict[str, str] = {}
        for number, item in enumerate(answer.items, 1):
            targets = [names.get(target, target) for target in item.targets]
            names[f"n{number}"] = self._apply(item, targets, said[item.messages[-1]])
        self.decisions += answer.items
        return answer.items

    def _apply(self, item: AtomDecision, targets: list[str], said_at: datetime | None) -> str:
        if item.action == "skip":
            self.receipts.update(targets)
            return targets[0] if targets else ""
        handle = f"a{len(self.atoms) + 1}"
        earlier = [self.atoms[target] for target in targets]
        texts = tuple(text for atom in earlier for text in (atom.text, *atom.supersedes))
        for atom in earlier:
            self.atoms[atom.handle] = replace(atom, state="superseded")
        self.atoms[handle] = OfferedAtom(
            handle, item.text, item.kind, item.priority, item.topic, item.subject, "user", "live", said_at,
            item.happened_from, item.happened_until, item.scope, texts, is_new=True,
        )  # fmt: skip
        self.receipts[handle] += 1
        return handle

    def live(self) -> list[OfferedAtom]:
        """Atoms that stand."""
        return [atom for atom in self.atoms.values() if atom.state == "live"]

    def rules(self, floor: int = 70) -> list[str]:
        """Texts of standing instructions, most important first."""
        found = [
            atom
            for atom in self.live()
            if atom.kind == "instruction" and atom.priority >= floor and not atom.scope
        ]
        return [atom.text for atom in sorted(found, key=lambda atom: -atom.priority)]

    def synthesize(self, cap: int = 15) -> SynthesisAnswer:
        """Place what is new and settle what is due."""
        offered = tuple(self._offered_scene(scene) for scene in self.scenes)
        payload = SynthesisPayload("agent.alice", "UTC", tuple(self._offered_atoms()), offered, cap)
        answer = SynthesisAnswer.model_validate_json(self.ask("scene_synthesis", SynthesisAnswer, payload))
        for edit in answer.items:
            self._edit(edit)
        self.atoms = {handle: replace(atom, is_new=False) for handle, atom in self.atoms.items()}
        return answer

    def characterize(self) -> PersonaAnswer:
        """Set the traits from all scenes."""
        payload = PersonaPayload(
            "agent.alice", "UTC", tuple(self._offered_scene(scene, is_full=True) for scene in self.scenes),
            tuple(self.atoms.values()), tuple(self.traits.values()),
        )  # fmt: skip
        answer = PersonaAnswer.model_validate_json(self.ask("persona", PersonaAnswer, payload))
        for edit in answer.items:
            if edit.action == "retract":
                self.traits.pop(edit.slot)
            else:
                self.traits[edit.slot] = OfferedTrait(
                    f"t.{edit.slot}", edit.slot, edit.text, tuple(edit.lines)
                )
        return answer

    def ask(self, task: str, schema: Any, payload: object) -> str:
        """The model's words for a payload."""
        return self.model.answer(ModelRequest(task, "", "", schema, payload)).text

    def scene(self, title: str) -> dict[str, list[str]]:
        """A scene's lines by section."""
        [found] = [scene for scene in self.scenes if scene.title == title]
        sections: dict[str, list[str]] = {}
        for line in found.lines:
            sections.setdefault(line.section, []).append(line.text)
        return sections

    def titles(self) -> list[str]:
        """Titles of the scenes in alphabetical order."""
        return sorted(scene.title for scene in self.scenes)

    def _is_dead(self, handle: str) -> bool:
        return self.atoms[handle].state != "live"

    def _is_due(self, line: StoredLine) -> bool:
        return line.section != "evolution_record" and any(self._is_dead(handle) for handle in line.atoms)

    def _offered_atoms(self) -> list[OfferedAtom]:
        under_lines = {handle for scene in self.scenes for line in scene.lines for handle in line.atoms}
        return [
            atom
            for atom in self.atoms.values()
            if (atom.is_new and atom.state == "live") or atom.handle in under_lines
        ]

    def _offered_scene(self, scene: StoredScene, *, is_full: bool = False) -> OfferedScene:
        cited = dict.fromkeys(handle for line in scene.lines for handle in line.atoms)
        topics = Counter(self.atoms[handle].topic for handle in cited)
        full = is_full or any(self._is_due(line) for line in scene.lines)
        lines = tuple(
            OfferedLine(line.handle, line.section, line.text, line.atoms, is_due=self._is_due(line))
            for line in scene.lines
        )
        names = tuple(sorted(topics, key=lambda topic: (-topics[topic], topic)))
        return OfferedScene(
            scene.handle, scene.title, "", names, len(cited), full, lines if full else (),
            characters=sum(len(line.text) for line in scene.lines),
            topic_counts=tuple(topics[name] for name in names),
        )  # fmt: skip

    def _edit(self, edit: SceneEdit) -> None:
        scene = self._edited(edit)
        scene.title = edit.title or scene.title
        for merged in [old for old in self.scenes if old.handle in edit.merged]:
            scene.lines += merged.lines
            self.scenes.remove(merged)
        for change in edit.lines:
            place = next(
                (index for index, line in enumerate(scene.lines) if line.handle == change.line),
                len(scene.lines),
            )
            self.lines_made += 1
            made = StoredLine(
                f"{scene.handle}.l{self.lines_made}", change.section, change.text, tuple(change.atoms)
            )
            scene.lines[place : place + (change.op != "add")] = [] if change.op == "remove" else [made]

    def _edited(self, edit: SceneEdit) -> StoredScene:
        if edit.action != "create":
            return next(old for old in self.scenes if old.handle == edit.scene)
        self.scenes_made += 1
        self.scenes.append(StoredScene(f"s{self.scenes_made}", edit.title))
        return self.scenes[-1]
