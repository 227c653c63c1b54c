"""Pages as plain text: a mark and a title, sections indented, lines behind dashes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from memory.recall.hits import Found
from memory.recall.records import (
    AtomRecord,
    LadderStatus,
    MessageRecord,
    RulesPage,
    SceneRecord,
    SectionRecord,
    TraitRecord,
)
from memory.recall.short_ids import short_id
from memory.recall.times import time_text
from memory.walkthrough.access import Answered, Forgetting, Forgotten, Procedures, Rendered, Said, Traced
from memory.walkthrough.commands import (
    DEFAULT_FLOOR,
    Help,
    Memories,
    Page,
    Persona,
    Quit,
    Scenes,
    Transcript,
)
from memory.walkthrough.counting import counted
from memory.walkthrough.rendering_changes import said_lines
from memory.walkthrough.rendering_forgetting import forgetting_lines, forgotten_lines
from memory.walkthrough.rendering_procedures import procedure_lines
from memory.walkthrough.rendering_recall import answer_lines, context_lines, found_lines
from memory.walkthrough.rendering_trace import traced_lines

MARK = "▣"
PROSE_SECTIONS = {"work_context"}
# Stored words must not steer the terminal they are shown in.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def render(page: Page) -> str:
    """The page as text without a line break at its end; empty for the end of the prompt."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", "\n".join(_lines(page)))


def _lines(page: Page) -> Iterable[str]:
    match page:
        case Scenes(scenes):
            return _scenes(scenes)
        case Memories(memories):
            return _memories(memories)
        case RulesPage():
            return _rules(page)
        case Persona(traits):
            return _persona(traits)
        case Transcript():
            return _transcript(page)
        case Traced():
            return traced_lines(page)
        case Found():
            return found_lines(page)
        case Rendered():
            return context_lines(page)
        case Answered():
            return answer_lines(page)
        case Procedures():
            return procedure_lines(page)
        case Forgetting():
            return forgetting_lines(page)
        case Forgotten():
            return forgotten_lines(page)
        case Said():
            return said_lines(page)
        case LadderStatus():
            return _status(page)
        case Help():
            return _help(page)
        case Quit():
            return ()


def _scenes(scenes: tuple[SceneRecord, ...]) -> Iterator[str]:
    if not scenes:
        yield "No scenes yet. A scene opens when somebody tells a durable fact, rule or plan."
    for position, scene in enumerate(scenes):
        if position:
            yield ""
        yield from _scene(scene)


def _scene(scene: SceneRecord) -> Iterator[str]:
    yield f"{MARK} {scene.title}  [{short_id(scene.id)}] version {scene.number}"
    for section in scene.sections:
        yield from _section(section)
    if scene.due:
        yield f"  ({counted(scene.due, 'line')} left out: what it rests on no longer holds, to be rewritten)"


def _section(section: SectionRecord) -> Iterator[str]:
    yield f"  {section.heading}"
    dash = "" if section.section in PROSE_SECTIONS else "- "
    for line in section.lines:
        yield f"    {dash}{line.text}{' (pinned)' if line.is_pinned else ''}"


def _memories(memories: tuple[AtomRecord, ...]) -> Iterator[str]:
    live = [atom for atom in memories if atom.status == "live"]
    history = [atom for atom in memories if atom.status != "live"]
    if not memories:
        yield "No memories yet."
        return
    yield f"Memories: {len(live)} live, {len(history)} in history"
    for atom in live:
        yield from _atom(atom)
    if history:
        yield "History"
    for atom in history:
        yield from _atom(atom)


def _atom(atom: AtomRecord) -> Iterator[str]:
    yield f"  - {atom.text}  [{short_id(atom.id)}]"
    yield f"    {' · '.join(_atom_facts(atom))}"


def _atom_facts(atom: AtomRecord) -> Iterator[str]:
    if atom.superseded_by:
        yield f"{atom.status} by {short_id(atom.superseded_by)}"
    elif atom.status != "live":
        yield atom.status
    yield f"{atom.kind} {atom.priority}"
    if atom.topic:
        yield atom.topic
    if atom.happened_from or atom.happened_until:
        yield _period(atom)
    if atom.scope:
        yield f"only for: {atom.scope}"
    yield counted(atom.receipts, "receipt")
    yield f"said {time_text(atom.said_at)}" if atom.said_at else time_text(None)


def _period(atom: AtomRecord) -> str:
    if atom.happened_from == atom.happened_until:
        return f"on {atom.happened_from}"
    since = f"from {atom.happened_from}" if atom.happened_from else ""
    until = f"until {atom.happened_until}" if atom.happened_until else ""
    return f"{since} {until}".strip()


def _rules(page: RulesPage) -> Iterator[str]:
    if not page.total:
        hint = f" Lower the floor to see more: rules {page.floor // 2}" if page.floor else ""
        yield f"No rules at priority {page.floor} or above.{hint}"
        return
    note = "" if page.floor == DEFAULT_FLOOR else f" (default floor {DEFAULT_FLOOR})"
    yield f"Rules at priority {page.floor} or above: {page.total}{note}"
    for rule in page.rules:
        scope = f" (only for: {rule.scope})" if rule.scope else ""
        yield f"  - {rule.priority:>3}  {rule.text}{scope}  [{short_id(rule.id)}]"
    if len(page.rules) < page.total:
        yield f"  ({page.total - len(page.rules)} more)"


def _persona(traits: tuple[TraitRecord, ...]) -> Iterator[str]:
    if not traits:
        yield "No traits yet. The persona is written from scenes once they have changed."
        return
    yield "Persona"
    for trait in traits:
        yield f"  {trait.slot.replace('_', ' ').capitalize()}"
        facts = f"version {trait.number} · {counted(trait.receipts, 'receipt')}"
        yield f"    {trait.text}  [{short_id(trait.id)}] {facts}"


def _transcript(page: Transcript) -> Iterator[str]:
    if not page.messages:
        yield f"No messages in session {page.session!r}." if page.session else "No messages yet."
    for session, messages in groupby(page.messages, key=lambda message: message.session):
        yield f"Session {session}"
        for message in messages:
            yield from _message(message)


def _message(message: MessageRecord) -> Iterator[str]:
    speaker = message.speaker or message.role
    role = "" if message.role in ("user", speaker.casefold()) else f" ({message.role})"
    yield f"  {time_text(message.said_at)}  {speaker}{role}  [{short_id(message.id)}]"
    for line in message.text.splitlines():
        yield f"    {line}"
    for line in message.attachment_text.splitlines():
        yield f"    (attached) {line}"
    if message.tool_calls:
        yield f"    ({counted(message.tool_calls, 'tool call')})"


def _status(status: LadderStatus) -> Iterator[str]:
    yield status.entity
    yield f"  L0 messages  {status.messages}"
    yield f"  L1 memories  {status.atoms_live} live, {status.atoms_all} with history"
    yield f"  L2 scenes    {status.scenes_live} live, {counted(status.scene_versions, 'version')}"
    yield f"  L3 traits    {status.traits}"
    yield f"  waiting      {_counts(status.pending)}"
    yield f"  parked       {_counts(status.parked)}"
    seen = status.worker_seen_seconds
    yield f"  worker       {'never seen' if seen is None else f'seen {seen:.0f} s ago'}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} for {step}" for step, count in counts.items() if count) or "nothing"


def _help(page: Help) -> Iterator[str]:
    width = max(len(command.usage) for command in page.commands)
    for command in page.commands:
        yield f"  {command.usage:<{width}}  {command.about}"
