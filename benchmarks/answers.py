"""Answers of a model that thinks for no time at all: computed from the prompt, and the same each time.

Every sentence of a user that is not a question becomes a claim in its own words, every claim a line of one
scene, and the first line without a number becomes the one trait. Every action of a trace without a figure
becomes a step of the procedure, and all feedback another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

Answer = dict[str, Any]

QUOTED = r'"(?:[^"\\]|\\.)*"'
MESSAGE = re.compile(rf"^(m\d+) (\w+)\b.*?: ({QUOTED})(?: \[attachment: .*\])?$")
ATOM = re.compile(rf"^(a\d+) \[([^\]]*)\] ({QUOTED})")
SCENE = re.compile(rf"^(s\d+) ({QUOTED})")
LINE = re.compile(rf"^  (s\d+\.l\d+) (\w+)( DUE)?( PINNED)? \[([^\]]*)\] ({QUOTED})")
TRACE_STEP = re.compile(rf"^  (t\d+\.s\d+) action.*?: ({QUOTED})$")
FEEDBACK = re.compile(rf"^(f\d+) .*?comment: ({QUOTED})")
TRAIT = re.compile(r"^(t\d+) (\w+)( DUE)? ")
# Words that a claim may not repeat, for they mean another day later.
PASSING_WORDS = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|(?:last|next|this) [a-z]+)\b", re.IGNORECASE
)
CLAIM_LIMIT = 500
TITLE = "What was said"
NOTHING: Answer = {"items": [], "nothing_reason": "nothing in it changes memory"}


def answer_to(body: Mapping[str, Any]) -> Answer:
    """The answer to a chat completion's body in which one of the steps asks."""
    return ANSWERS[task_of(body)](body["messages"][-1]["content"])


def task_of(body: Mapping[str, Any]) -> str:
    """The step that asks, told by what its prompt shows; in whatever JSON mode it asks."""
    prompt = body["messages"][-1]["content"]
    return next(task for task, heading in HEADINGS.items() if f"\n{heading}" in prompt)


def extract(prompt: str) -> Answer:
    """A store for each new sentence, a skip for one that is held in the same words."""
    held = {json.loads(found[3]): found[1] for found in _lines(prompt, "Claims that memory holds", ATOM)}
    items = []
    for found in _lines(prompt, "Messages to read", MESSAGE):
        text = str(json.loads(found[3]))[:CLAIM_LIMIT]
        if found[2] != "user" or "?" in text or PASSING_WORDS.search(text):
            continue
        items.append(_decision(text, found[1], held.get(text)))
    return {"items": items, "nothing_reason": None} if items else NOTHING


def _decision(text: str, message: str, held: str | None) -> Answer:
    if held is not None:
        return {"action": "skip", "messages": [message], "targets": [held], "reason": "said before"}
    return {"action": "store", "text": text, "messages": [message], "topic": TITLE}


def synthesise(prompt: str) -> Answer:
    """A line for each claim that waits; lines whose claim no longer holds are left to the code."""
    new = [found for found in _lines(prompt, "Claims (", ATOM) if found[2].startswith("new")]
    if not new:
        return NOTHING
    scenes = [found[1] for found in _lines(prompt, "Scenes:", SCENE)]
    lines = [
        {"op": "add", "section": "work_context", "text": json.loads(found[3]), "atoms": [found[1]]}
        for found in new
    ]
    where = {"action": "update", "scene": scenes[0]} if scenes else {"action": "create", "title": TITLE}
    return {"items": [{**where, "lines": lines}], "nothing_reason": None}


def portray(prompt: str) -> Answer:
    """One trait from a line without a number, once; again when it has lost its line."""
    traits = _lines(prompt, "Traits now", TRAIT)
    lines = [
        found for found in _lines(prompt, "Scenes (", LINE) if not found[3] and not re.search(r"\d", found[6])
    ]
    if not lines or any(not found[3] for found in traits):
        return NOTHING
    text = json.loads(lines[0][6])
    item = {"action": "set", "slot": "decision_pattern", "text": text, "lines": [lines[0][1]]}
    return {"items": [item], "nothing_reason": None}


def write_down(prompt: str) -> Answer:
    """A line for each action without a figure and for each comment; the same words twice are one line."""
    steps = [found for found in _lines(prompt, "Traces:", TRACE_STEP) if not re.search(r"\d", found[2])]
    cited: dict[str, list[str]] = {}
    for found in [*steps, *_lines(prompt, "Feedback:", FEEDBACK)]:
        cited.setdefault(json.loads(found[2]), []).append(found[1])
    items: list[Answer] = [
        {"action": "line", "section": "procedure", "text": text, "sources": sources}
        for text, sources in cited.items()
    ]
    return {"items": items, "nothing_reason": None} if items else NOTHING


ANSWERS: Mapping[str, Callable[[str], Answer]] = {
    "l1_extract": extract,
    "scene_synthesis": synthesise,
    "persona": portray,
    "skill_extract": write_down,
}
HEADINGS = {
    "l1_extract": "Messages to read:",
    "persona": "Traits now:",
    "skill_extract": "Procedure as it stands:",
    "scene_synthesis": "Claims (",
}


def _lines(prompt: str, heading: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """The rows under a heading of the prompt that the pattern fits."""
    _, _, block = prompt.partition(f"\n{heading}")
    end = re.search(r"\n[A-Z][^\n]*:\n", block)
    rows = block[: end.start() if end else None].split("\n")
    return [found for row in rows if (found := pattern.match(row))]
