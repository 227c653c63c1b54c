"""Rows as nodes of a trace: their text, and the facts that a reader needs beside it."""

from __future__ import annotations

from collections.abc import Iterable

from memory.models import Atom, Correction, Digest, Entity, Evidence, Line, Message, Section, TraitVersion
from memory.recall.records import TraceNode
from memory.recall.short_ids import short_id
from memory.recall.times import time_text

Children = tuple[TraceNode, ...]


def message_node(entity: Entity, message: Message, *, is_repeat: bool = False) -> TraceNode:
    """The words, with who said them and when; the row's session is loaded."""
    facts = {
        "speaker": message.speaker or message.role,
        "said": time_text(message.occurred_at and message.occurred_at.astimezone(entity.zone)),
        "session": message.session.external_id,
    }
    if is_repeat:
        facts["receipt"] = "repeats it"
    text = message.text or message.attachment_text or f"call of {message.tool_name or 'a tool'}"
    return TraceNode("L0", "message", message.pk, text, facts)


def atom_node(atom: Atom, children: Children = (), *, replaced: Iterable[Atom] = ()) -> TraceNode:
    """The claim, with its place in its chain."""
    facts = {"kind": atom.kind, "priority": str(atom.priority), "status": atom.status}
    facts |= _assertion_facts(atom)
    if atom.superseded_by_id:
        facts["superseded by"] = short_id(atom.superseded_by_id)
    if atom.merge_reason:
        facts["merged for"] = atom.merge_reason
    replaced_ids = [short_id(old.pk) for old in replaced]
    if replaced_ids:
        facts["in place of"] = ", ".join(replaced_ids)
    return TraceNode("L1", "atom", atom.pk, atom.text, facts, children)


def _assertion_facts(atom: Atom) -> dict[str, str]:
    """Of an observed claim: what it is about, who stands behind it and how long it holds."""
    if not atom.predicate:
        return {}
    facts = {
        "subject": f"{atom.subject_kind} {atom.subject_id}",
        "predicate": atom.predicate,
        "authority": atom.get_authority_display(),
    }
    if atom.live_source:
        facts["fetched from"] = atom.live_source
    if atom.valid_until is not None:
        facts["valid until"] = time_text(atom.valid_until)
    return facts


def line_node(line: Line, children: Children = (), *, scene: str = "") -> TraceNode:
    """A line; `scene` says in which scene it stands now."""
    facts = {"section": Section(line.section).label}
    if scene:
        facts["scene"] = scene
    text = "(erased)" if line.erased_at else line.text
    return TraceNode("L2", "line", line.pk, text, facts, children)


def trait_node(version: TraitVersion, children: Children = ()) -> TraceNode:
    """One wording of a trait; the row's trait is loaded."""
    facts = {"slot": version.trait.get_slot_display(), "version": str(version.number)}
    if not version.is_head:
        facts["status"] = "earlier version"
    elif version.trait.status != "live":
        facts["status"] = version.trait.status
    return TraceNode("L3", "trait", version.trait_id, version.text, facts, children)


def digest_node(digest: Digest, children: Children = ()) -> TraceNode:
    """What a session came to; the row's session is loaded."""
    facts = {"kind": digest.kind, "session": digest.session.external_id, "version": str(digest.number)}
    if not digest.is_head:
        facts["status"] = "earlier version"
    return TraceNode(None, "digest", digest.pk, digest.text, facts, children)


def correction_node(correction: Correction) -> TraceNode:
    """What a person changed, and why; the row's user is loaded."""
    text = correction.reason or correction.kind
    return TraceNode(None, "correction", correction.pk, text, {"made": str(correction)})


def outside_node(receipt: Evidence) -> TraceNode:
    """Something that is not stored here."""
    facts = {"kind": receipt.outside_kind or "", "authority": str(receipt.get_outside_authority_display())}
    return TraceNode(None, "outside", None, receipt.outside_reference or "", facts)
