"""What somebody said in a turn, and how a digest quotes it."""

from __future__ import annotations

import re

from memory.cascade.compaction_contract import OfferedTurn
from memory.cascade.rules.digest_text import shortened
from memory.llm.offline.confidential import holds_secret
from memory.llm.offline.dates import has_relative_word
from memory.llm.offline.digest_worth import ASSISTANT
from memory.llm.offline.sentences import sentences
from memory.llm.offline.wording import speaker_name

QUOTE_CHARACTERS = 180
ITEM_NUMBER = re.compile(r"\d{1,2}[.)]")


def said_in(turn: OfferedTurn) -> list[str]:
    """The sentences of a turn, without those that tell a secret and without the numbers of a list."""
    said = [sentence for sentence in sentences(turn.text) if not holds_secret(sentence)]
    return [sentence for sentence in said if len(said) == 1 or not ITEM_NUMBER.fullmatch(sentence)]


def speaker_of(turn: OfferedTurn) -> str:
    """The name to write for whoever speaks."""
    if turn.role == "assistant" and not turn.speaker:
        return ASSISTANT
    return speaker_name(turn.speaker)


def quoted(sentence: str, turn: OfferedTurn) -> str:
    """Words as they were said; with their day where they mean another one a day later."""
    words = shortened(" ".join(sentence.split()).replace('"', "'"), QUOTE_CHARACTERS)
    is_relative = turn.said_at is not None and has_relative_word(sentence)
    return f'"{words}"' + (f" ({turn.said_at:%Y-%m-%d})" if is_relative else "")
