"""Which section of a scene a claim belongs to, by what its sentence does."""

from __future__ import annotations

from memory.cascade.contract import OfferedAtom, SectionSlug
from memory.llm.offline.kinds import CONDITION_THEN_COMMAND
from memory.llm.offline.lexicon import Cues, cues_of, language_of
from memory.llm.offline.words import is_value, tokens


def section_of(atom: OfferedAtom) -> SectionSlug:
    """The section for a claim's line; the claim alone decides, not when it is placed."""
    cues = cues_of(language_of(atom.text))
    return _rule_section(atom, cues) if atom.kind == "instruction" else _statement_section(atom, cues)


def _rule_section(atom: OfferedAtom, cues: Cues) -> SectionSlug:
    if cues.has("never", atom.text):
        return "prohibitions"
    is_only_condition = cues.has("condition", atom.text) and not CONDITION_THEN_COMMAND.match(atom.text)
    if (
        atom.scope
        or cues.has("scoped", atom.text)
        or (is_only_condition and not cues.has("procedure", atom.text))
    ):
        return "applies_when" if not cues.has("imperative", atom.text) else "core_sop"
    return "core_sop"


def _statement_section(atom: OfferedAtom, cues: Cues) -> SectionSlug:
    text = atom.text
    if cues.has("failure", text) and atom.kind == "episodic":
        return "prohibitions"
    if cues.has("open_state", text):
        return "open_questions"
    if cues.has("change", text) and atom.kind == "episodic":
        return "evolution_record"
    if atom.kind == "persona":
        return "decision_logic" if cues.has("decision", text) else "work_context"
    return _event_section(atom, cues)


def _event_section(atom: OfferedAtom, cues: Cues) -> SectionSlug:
    text = atom.text
    is_past = cues.has("past", text)
    if cues.has("task", text) or (cues.has("future", text) and not is_past):
        return "related_tasks"
    if cues.has("scoped", text):
        return "applies_when"
    if cues.has("reason", text) and not is_past:
        return "decision_logic"
    is_dated = atom.happened_from is not None or atom.happened_until is not None
    has_figures = any(is_value(word) for word in tokens(text))
    return "key_evidence" if is_dated or (is_past and has_figures) or is_past else "work_context"
