"""What a tool returned, as the tool's words: short plain facts, never a command."""

from __future__ import annotations

import re

from memory.cascade.contract import OfferedMessage
from memory.llm.offline.claims import Claim
from memory.llm.offline.lexicon import cues_of, language_of
from memory.llm.offline.sentences import has_verb, sentences
from memory.llm.offline.topics import Hint, named_undertaking

LEAST_CHARACTERS, MOST_CHARACTERS, MOST_SENTENCES = 8, 240, 2
PRIORITY = 35
MARKUP = re.compile(r"[{}\[\]<>`|\\]")
INJECTED = re.compile(r"\b(?:ignore|password|key|token|secret)\b", re.IGNORECASE)
COMMANDS = ("imperative", "standing", "one_off", "question", "second_person")


def tool_claims(message: OfferedMessage, spoken_of: str) -> list[Claim]:
    """At most one claim; `spoken_of` is the undertaking that people named before."""
    text = " ".join(message.text.split())
    if not _is_plain_fact(text):
        return []
    tool = message.tool_name or "A tool"
    claim = Claim(
        text=f'{tool} said: "{text}"',
        kind="episodic",
        priority=PRIORITY,
        scope="",
        subject=tool,
        person=tool,
        hint=Hint(named=named_undertaking(text), earlier=spoken_of, fallback=f"results of {tool}"),
        clause=text,
        messages=(message.handle,),
        said_on=message.said_at.date() if message.said_at else None,
    )
    return [claim]


def _is_plain_fact(text: str) -> bool:
    cues = cues_of(language_of(text))
    is_short = LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS and len(sentences(text)) <= MOST_SENTENCES
    is_safe = not MARKUP.search(text) and not INJECTED.search(text)
    return is_short and is_safe and has_verb(text) and not any(cues.has(name, text) for name in COMMANDS)
