"""What recall found, the context it renders and the answers it gives, as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memory.recall.hits import CitedMessage, Found, Hit
from memory.recall.short_ids import short_id
from memory.recall.times import time_text
from memory.walkthrough.access import Answered, Cited, Rendered
from memory.walkthrough.counting import counted

LAYERS = {"message": "L0 raw", "atom": "L1", "section": "L2", "trait": "L3"}
MESSAGES_SHOWN = 3
TEXT_SHOWN = 160
ARM_NOTES = {
    "late": "search by {arm} did not answer in time",
    "failed": "search by {arm} failed",
    "off": "no search by {arm}",
}


def found_lines(found: Found) -> Iterator[str]:
    """Results in their order, each with what it rests on, and which arms were left out."""
    if not found.hits:
        yield "Nothing found."
    for place, hit in enumerate(found.hits, start=1):
        yield from _hit(place, hit)
    notes = [ARM_NOTES[state].format(arm=arm) for arm, state in found.arms.items() if state in ARM_NOTES]
    if notes:
        yield f"  ({'; '.join(notes)})"


def _hit(place: int, hit: Hit) -> Iterator[str]:
    first, *rest = hit.text.splitlines() or [""]
    yield f"{place:>3}  {_name(hit)}: {first}  [{short_id(hit.id)}] {hit.score:.2f}"
    yield from (f"       {line}" for line in rest)
    if not hit.is_raw:
        for message in hit.messages[:MESSAGES_SHOWN]:
            yield f"       {_source(message)}: {_beginning(message.text or message.attachment_text)}"
        if len(hit.messages) > MESSAGES_SHOWN:
            yield f"       and {counted(len(hit.messages) - MESSAGES_SHOWN, 'more message')}"


def _name(hit: Hit) -> str:
    """Layer, and what there is to say about the row before its text."""
    if hit.layer == "section":
        return f"{LAYERS[hit.layer]} {hit.title}, {hit.section.replace('_', ' ')}"
    if hit.layer == "trait":
        return f"{LAYERS[hit.layer]} {hit.kind.replace('_', ' ')}"
    if hit.layer == "atom":
        return f"{LAYERS[hit.layer]} {hit.kind} {hit.priority}"
    return f"{LAYERS[hit.layer]} {_source(hit.messages[0])}" if hit.messages else LAYERS[hit.layer]


def _source(message: CitedMessage) -> str:
    return f"{message.speaker or message.role}, {time_text(message.said_at)}, {message.session}"


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_SHOWN else f"{line[:TEXT_SHOWN].rstrip()} …"


def context_lines(rendered: Rendered) -> Iterator[str]:
    """The text as an agent gets it, then its size, and what was left out of each block."""
    yield from rendered.text.splitlines()
    yield ""
    blocks = rendered.manifest.get("blocks", ())
    spent = ", ".join(f"{block['name']} {block['tokens']}" for block in blocks if block["tokens"])
    yield f"{counted(rendered.tokens, 'token')}: {spent or 'nothing remembered'}"
    yield f"sha256 {rendered.sha256}; the first {counted(rendered.stable_prefix_bytes, 'byte')} are stable"
    yield from (f"left out of {block['name']}: {_reasons(block)}" for block in blocks if block["left_out"])


def _reasons(block: Mapping[str, Any]) -> str:
    reasons = Counter(row["reason"] for row in block["left_out"])
    return ", ".join(f"{count} ({reason})" for reason, count in reasons.items())


def answer_lines(answered: Answered) -> Iterator[str]:
    """The reply, its citations, and what it does not know."""
    yield from answered.text.splitlines()
    if answered.citations:
        yield "rests on"
    for cited in answered.citations:
        yield from _cited(cited)
    yield from (f"not known: {gap}" for gap in answered.gaps if gap != answered.text)
    if answered.problem:
        yield f"({answered.problem})"


def _cited(cited: Cited) -> Iterator[str]:
    who = f"{cited.speaker}, " if cited.speaker else ""
    session = f", {cited.session}" if cited.session else ""
    yield f"  {cited.handle}  {cited.kind} [{short_id(cited.id)}]  {who}{time_text(cited.said_at)}{session}"
    yield f"      {_beginning(cited.text)}"
