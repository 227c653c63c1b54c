"""What the client gives back as the records that the terminal shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from memory.cascade.rules.scene_text import SECTION_ORDER
from memory.client import (
    Answer,
    Atom,
    Changes,
    Forgetting,
    Hit,
    Message,
    Recalled,
    Scene,
    SceneLine,
    TaskContext,
    TraceNode,
)
from memory.client.results import Result
from memory.recall import hits, records
from memory.recall.hits import ArmState
from memory.recall.records import Assertion, OutsideReceipt
from memory.stewardship.forgetting_records import Match, Words
from memory.walkthrough import access

Made = TypeVar("Made")


def record(kind: type[Made], value: Result, **more: Any) -> Made:
    """A record out of a result that bears the same names; `more` stands for those that differ."""
    names = [field.name for field in fields(cast(Any, kind)) if field.name not in more]
    return kind(**{name: getattr(value, name) for name in names}, **more)


def scene_record(read: Scene) -> records.SceneRecord:
    """A live scene; what waits to be rewritten is counted and left out."""
    standing = [line for line in read.version.lines if not line.is_due]
    return records.SceneRecord(
        id=read.scene.id,
        version_id=read.version.id,
        slot=read.scene.slot or 0,
        title=read.version.title,
        number=read.version.number,
        summary=read.version.summary,
        sections=_sections(standing),
        due=len(read.version.lines) - len(standing),
        updated_at=read.version.created_at,
    )


def _sections(lines: list[SceneLine]) -> tuple[records.SectionRecord, ...]:
    told = {
        section: tuple(record(records.LineRecord, line) for line in lines if line.section == section.value)
        for section in SECTION_ORDER
    }
    return tuple(
        records.SectionRecord(section.value, section.heading, found)
        for section, found in told.items()
        if found
    )


def atom_record(atom: Atom) -> records.AtomRecord:
    """A claim."""
    return record(records.AtomRecord, atom, assertion=_assertion(atom.assertion))


def _assertion(told: Mapping[str, Any] | None) -> Assertion | None:
    return None if told is None else Assertion(**{name: told.get(name) for name in Assertion.__slots__})  # type: ignore[arg-type]


def message_record(message: Message) -> records.MessageRecord:
    """A message word for word; calls of tools are counted."""
    return record(records.MessageRecord, message, tool_calls=len(message.tool_calls))


def changes_record(told: Changes) -> records.Changes:
    """What messages did to every layer."""
    return records.Changes(
        messages=told.messages,
        stored=tuple(map(atom_record, told.stored)),
        merged=tuple(
            records.Merge(atom_record(merge.new), tuple(map(atom_record, merge.old)), merge.reason)
            for merge in told.merged
        ),
        skipped=tuple(record(records.Skip, skip) for skip in told.skipped),
        dropped=told.dropped,
        parked=tuple(record(records.ParkedInput, parked) for parked in told.parked),
        scenes=tuple(
            record(
                records.SceneChange,
                scene,
                lines=tuple(record(records.LineDifference, line) for line in scene.lines),
            )
            for scene in told.scenes
        ),
        traits=tuple(record(records.TraitRecord, trait) for trait in told.traits),
        reasons=told.reasons,
    )


def trace_node(node: TraceNode) -> records.TraceNode:
    """A row on the way down or up, with those behind it."""
    return record(records.TraceNode, node, children=tuple(map(trace_node, node.children)))


def found_record(recalled: Recalled) -> hits.Found:
    """Results in their order."""
    arms = cast(Mapping[str, ArmState], recalled.arms)
    return record(hits.Found, recalled, hits=tuple(map(_hit, recalled.hits)), arms=arms)


def _hit(hit: Hit) -> hits.Hit:
    return record(
        hits.Hit,
        hit,
        messages=tuple(record(hits.CitedMessage, message) for message in hit.citations),
        assertion=_assertion(hit.assertion),
        outside=tuple(OutsideReceipt(**receipt) for receipt in hit.outside),
    )


def rendered_record(context: TaskContext) -> access.Rendered:
    """The context for a task."""
    return record(access.Rendered, context)


def answered_record(answer: Answer) -> access.Answered:
    """A cited answer."""
    cited = tuple(record(access.Cited, citation) for citation in answer.citations)
    return record(access.Answered, answer, citations=cited)


def forgetting_record(told: Forgetting) -> access.Forgetting:
    """What a request to forget means."""
    return access.Forgetting(
        matter=told.matter,
        wants_old=told.wants_old,
        matches=tuple(
            record(Match, match, messages=tuple(record(Words, words) for words in match.messages))
            for match in told.matches
        ),
        counts=told.erasure.counts if told.erasure else {},
        token=told.token or "",
    )
