"""A model that gives every kind of answer, good and bad, from a seed; and one that answers well.

Both speak about numbered matters: a message says «Matter 3 has value 7.», and the claim about a matter
replaces the one before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from memory.cascade.contract import ExtractPayload, PersonaPayload, SynthesisPayload
from memory.llm.guard import refuse_inside_transaction
from memory.llm.protocol import ModelReply, ModelRequest, PermanentModelError, TransientModelError

Items = list[dict[str, Any]]
SECTIONS = ("work_context", "core_sop", "key_evidence", "evolution_record", "open_questions")
SLOTS = ("archetype", "role", "technical_preferences", "interaction_protocol", "decision_pattern")


class Killed(BaseException):
    """The worker died: nothing may catch it."""


class GoodModel:
    """Reads every message, places every claim, keeps one scene a matter and draws the persona."""

    name = "good@1"

    def answer(self, request: ModelRequest) -> ModelReply:
        refuse_inside_transaction()
        return _reply(_good_items(request.payload))


class ChaoticModel:
    """Answers each request in the next mood of the list, for ever; the seed decides the rest."""

    name = "chaotic@1"

    def __init__(self, moods: Sequence[str], seed: int) -> None:
        self._moods = moods
        self._random = Random(seed)
        self._calls = 0

    def answer(self, request: ModelRequest) -> ModelReply:
        refuse_inside_transaction()
        mood = self._moods[self._calls % len(self._moods)]
        self._calls += 1
        return MOODS[mood](request, self._random)


def _reply(items: Items, **values: Any) -> ModelReply:
    return ModelReply(text=json.dumps({"items": items, "nothing_reason": None}), model="chaotic", **values)


def _text(text: str, **values: Any) -> ModelReply:
    return ModelReply(text=text, model="chaotic", **values)


# Good answers


def _good_items(payload: object) -> Items:
    if isinstance(payload, ExtractPayload):
        return _claims(payload)
    if isinstance(payload, SynthesisPayload):
        return _edits(payload)
    assert isinstance(payload, PersonaPayload)
    return _traits(payload)


def _claims(payload: ExtractPayload) -> Items:
    latest = {_matter(atom.text): atom.handle for atom in payload.atoms}
    items: Items = []
    for message in payload.messages:
        matter = _matter(message.text)
        if matter is None:
            continue
        item = {"action": "store", "text": message.text, "messages": [message.handle], "topic": matter}
        if matter in latest:
            item |= {"action": "merge", "targets": [latest[matter]], "reason": "value"}
        items.append(item)
        latest[matter] = f"n{len(items)}"
    return items


def _matter(text: str) -> str | None:
    found = re.match(r"Matter \d+", text)
    return found[0] if found else None


def _edits(payload: SynthesisPayload) -> Items:
    scenes = {scene.title: scene for scene in payload.scenes}
    lines: dict[str, Items] = {}
    for atom in payload.atoms:
        if atom.is_new and atom.state == "live":
            line = {"op": "add", "section": "work_context", "text": atom.text, "atoms": [atom.handle]}
            lines.setdefault(atom.topic or "Notes", []).append(line)
    return [
        {"action": "update", "scene": scenes[title].handle, "lines": added}
        if title in scenes
        else {"action": "create", "title": title, "lines": added}
        for title, added in lines.items()
    ]


def _traits(payload: PersonaPayload) -> Items:
    standing = [line for scene in payload.scenes for line in scene.lines if not line.is_due]
    if not standing:
        return []
    return [{"action": "set", "slot": "role", "text": standing[0].text, "lines": [standing[0].handle]}]


# Moods


def _good(request: ModelRequest, random: Random) -> ModelReply:
    return _reply(_good_items(request.payload))


def _nothing(request: ModelRequest, random: Random) -> ModelReply:
    return _reply([])


def _cut(request: ModelRequest, random: Random) -> ModelReply:
    whole = _reply(_good_items(request.payload)).text
    return _text(whole[: random.randrange(len(whole))], finish_reason=random.choice(("length", "stop")))


def _prose(request: ModelRequest, random: Random) -> ModelReply:
    return _text(
        f"Looking at {{the matter}}, I propose:\n```json\n{_good(request, random).text}\n```\nGood luck!"
    )


def _thinking(request: ModelRequest, random: Random) -> ModelReply:
    answer = _good(request, random).text if random.random() < 0.5 else ""
    return _text(f"<think>It may be {{this}} or that.</think>{answer}")


def _duplicate_keys(request: ModelRequest, random: Random) -> ModelReply:
    items = json.dumps(_good_items(request.payload))
    return _text(f'{{"items": [], "items": {items}}}')


def _refusal(request: ModelRequest, random: Random) -> ModelReply:
    return _text("I cannot help with that.", finish_reason="refusal")


def _transient(request: ModelRequest, random: Random) -> ModelReply:
    raise TransientModelError(random.choice(("http_429", "http_503", "timeout")), "try later")


def _permanent(request: ModelRequest, random: Random) -> ModelReply:
    raise PermanentModelError(random.choice(("http_401", "http_400", "context_length")), "it will not do")


def _death(request: ModelRequest, random: Random) -> ModelReply:
    raise Killed


def _damaged(request: ModelRequest, random: Random) -> ModelReply:
    """Good items, each with something wrong in it."""
    items = [_spoilt(item, random) for item in _good_items(request.payload)]
    return _reply([*items, _spoilt({"action": "store"}, random)])


def _spoilt(item: dict[str, Any], random: Random) -> dict[str, Any]:
    wrong: Mapping[str, Any] = random.choice(
        (
            {"messages": ["m99"]},
            {"targets": ["a99", "n7"]},
            {"text": "Zorblatt said so."},
            {"text": "Bertrand from Lyon paid 4711."},
            {"text": ""},
            {"action": "destroy"},
            {"priority": 1_000},
            {"lines": "s1.l1"},
            {"scene": "s99"},
            {"title": ""},
            {"unknown": True},
            {"happened_from": "1999-01-01", "happened_until": "1998-01-01"},
            {"text": "x" * 5_000},
        )
    )
    return {**item, **wrong}


def _many(request: ModelRequest, random: Random) -> ModelReply:
    return _reply(_good_items(request.payload) * random.choice((3, 30)))


def _shuffled(request: ModelRequest, random: Random) -> ModelReply:
    items = _good_items(request.payload)
    random.shuffle(items)
    return _reply(items)


def _wild(request: ModelRequest, random: Random) -> ModelReply:
    """Well-formed items over what was offered, whether they make sense or not."""
    payload = request.payload
    if isinstance(payload, ExtractPayload):
        return _reply([_wild_claim(payload, random) for _ in range(random.randrange(6))])
    if isinstance(payload, SynthesisPayload):
        return _reply([_wild_edit(payload, random) for _ in range(random.randrange(6))])
    assert isinstance(payload, PersonaPayload)
    return _reply([_wild_trait(payload, random) for _ in range(random.randrange(4))])


def _some(random: Random, names: Sequence[str], most: int = 3) -> list[str]:
    return random.sample(names, min(len(names), random.randrange(most + 1)))


def _wild_claim(payload: ExtractPayload, random: Random) -> dict[str, Any]:
    offered = [message.handle for message in (*payload.messages, *payload.context)]
    texts = [row.text for row in (*payload.messages, *payload.context)]
    said = random.choice([*texts, *(atom.text for atom in payload.atoms)])
    return {
        "action": random.choice(("store", "merge", "skip")),
        "text": said[:500],
        "kind": random.choice(("persona", "episodic", "instruction")),
        "priority": random.randrange(101),
        "messages": _some(random, offered) or offered[:1],
        "targets": _some(random, [*(atom.handle for atom in payload.atoms), "n1", "n2", "n3"]),
        "reason": random.choice(("value", "contradiction", "said already")),
    }


def _wild_edit(payload: SynthesisPayload, random: Random) -> dict[str, Any]:
    scenes = [scene.handle for scene in payload.scenes]
    return {
        "action": random.choice(("create", "create", "update", "merge", "retire")),
        "scene": random.choice(scenes or ["s1"]),
        "merged": _some(random, scenes, 2),
        "title": random.choice(("", f"Title {random.randrange(40)}")),
        "summary": random.choice(("", "Bertrand was here. " * 30)),
        "lines": [_wild_line(payload, random) for _ in range(random.randrange(4))],
        "reason": random.choice(("", "for good")),
    }


def _wild_line(payload: SynthesisPayload, random: Random) -> dict[str, Any]:
    lines = [line.handle for scene in payload.scenes for line in scene.lines]
    atom = random.choice(payload.atoms) if payload.atoms else None
    return {
        "op": random.choice(("add", "replace", "remove")),
        "line": random.choice(lines or ["s1.l1"]),
        "section": random.choice(SECTIONS),
        "text": atom.text if atom else "Nothing.",
        "atoms": [atom.handle] if atom else [],
    }


def _wild_trait(payload: PersonaPayload, random: Random) -> dict[str, Any]:
    lines = [line for scene in payload.scenes for line in scene.lines]
    line = random.choice(lines) if lines else None
    return {
        "action": random.choice(("set", "set", "retract")),
        "slot": random.choice(SLOTS),
        "text": line.text[:600] if line else "Nothing.",
        "lines": [line.handle] if line else [],
    }


MOODS = {
    "good": _good,
    "nothing": _nothing,
    "cut": _cut,
    "prose": _prose,
    "thinking": _thinking,
    "duplicate keys": _duplicate_keys,
    "refusal": _refusal,
    "transient": _transient,
    "permanent": _permanent,
    "death": _death,
    "damaged": _damaged,
    "many": _many,
    "shuffled": _shuffled,
    "wild": _wild,
}
