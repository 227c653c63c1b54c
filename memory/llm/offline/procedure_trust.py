"""Words of a trace that speak to the model instead of telling what was done: they teach nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory.llm.offline.commands import arguments_of
from memory.llm.offline.pasted import OTHER_ROLE, TAGGED
from memory.llm.offline.sentences import BREAK
from memory.skills.contract import OfferedStep, OfferedTrace

ADDRESSED = "its words speak to the agent that reads them and tell no step; they were left out"
_ORDERS = r"(?:instructions?|prompts?|rules?|messages?|guidelines?|directions?|directives?|orders?|context)"
OVERRIDES = re.compile(
    rf"\b(?:ignore|disregard|forget|override|bypass)\b[^.!?]{{0,30}}\b(?:previous|prior|above|earlier|preceding|"
    rf"existing|other|your|system|safety)\b[^.!?]{{0,20}}\b{_ORDERS}|\byou are now\b|"
    rf"\bnew (?:system )?{_ORDERS}\s*:|\b(?:your|the) system prompt\b|"
    r"\b(?:dear|attention|hey|note to(?: the)?|message for(?: the)?|as an?)\s+(?:AI|LLM|assistant|agent|"
    r"model|chatbot|bot)\b(?=\s*[,:!])|"
    r"\bignorier\w*\b[^.!?]{0,30}\b(?:vorherig|bisherig|obig|früher)\w*\b[^.!?]{0,20}\b(?:anweisung|regel|vorgabe)|"
    r"\bignor[ae]\w*\b[^.!?]{0,30}\b(?:instrucciones|reglas|órdenes)\b[^.!?]{0,20}\b(?:anteriores|previas)|"
    r"\b(?:ignore|oublie)[zr]?\b[^.!?]{0,30}\b(?:instructions|consignes|règles)\b[^.!?]{0,20}\b(?:précéd|antér)|"
    r"(?:忽略|无视|忘记).{0,8}(?:指令|指示|提示|规则|说明)",
    re.IGNORECASE,
)
"""Words that want to take the place of what the agent was told before."""
STANDING_ORDER = re.compile(
    r"^\W*(?:from now on|from this point on|henceforth|you (?:must|should|shall|have to|need to)|"
    r"(?:the |dear )?(?:agents?|assistants?|models?) (?:must|should|shall|have to|needs? to)|"
    r"ab (?:jetzt|sofort)|von nun an|a partir de ahora|de ahora en adelante|désormais|dorénavant|"
    r"à partir de maintenant)\b|^\W*(?:从现在起|从今以后)",
    re.IGNORECASE,
)
"""A rule for all times: a person may give it, a report of what was done holds none."""
HEADING_MARKS = re.compile(r"^[\s#>*+=~|-]+|[\s#=~|]+$")
EMPHASIS = re.compile(r"\*\*|__|`{2,}")


@dataclass(frozen=True, slots=True)
class Read:
    """A trace without the words that speak to the model, and the handles of the steps that held some."""

    trace: OfferedTrace
    addressed: tuple[str, ...]


def read(trace: OfferedTrace) -> Read:
    """The trace as it may be learnt from; its task is one line without the marks of a heading."""
    steps: list[OfferedStep] = []
    addressed: list[str] = []
    for step in trace.steps:
        text = own_words_of(step.text, may_rule=step.kind == "instruction")
        addressed += [step.handle] if text != step.text else []
        if text or step.tool_name:
            steps.append(step if text == step.text else replace(step, text=text or step.tool_name))
    task = own_words_of(trace.task)
    if task != trace.task and trace.steps:
        addressed.append(trace.steps[0].handle)
    return Read(replace(trace, task=one_line(task), steps=tuple(steps)), tuple(dict.fromkeys(addressed)))


def own_words_of(text: str, *, may_rule: bool = False) -> str:
    """The text without what speaks to the model; each of its lines ends where that begins."""
    if arguments_of(text) is not None:
        return text
    left = OTHER_ROLE.sub("", TAGGED.sub("", text))
    lines = [_before_orders(line, may_rule=may_rule) for line in left.splitlines()]
    kept = "\n".join(line for line in lines if line.strip())
    return text if kept.split() == text.split() else kept.strip()


def speaks_to_model(text: str, *, may_rule: bool = False) -> bool:
    """Whether a text, or a value of a call, gives the model orders."""
    is_role = OTHER_ROLE.search(text) is not None or OVERRIDES.search(text) is not None
    return is_role or (not may_rule and STANDING_ORDER.search(text) is not None)


def one_line(text: str) -> str:
    """The first line that says something, without the marks of headings, lists and emphasis."""
    lines = (" ".join(HEADING_MARKS.sub("", EMPHASIS.sub("", line)).split()) for line in text.splitlines())
    return next((line for line in lines if line), "")


def _before_orders(line: str, *, may_rule: bool) -> str:
    pieces: Sequence[str] = BREAK.split(line)
    return " ".join(_until_orders(pieces, may_rule=may_rule))


def _until_orders(pieces: Sequence[str], *, may_rule: bool) -> Iterator[str]:
    for piece in pieces:
        if speaks_to_model(piece.strip(), may_rule=may_rule):
            return
        yield piece
