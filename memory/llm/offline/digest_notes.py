"""Notes of a session: who wanted what, what was decided, promised and found out, and what is still open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.cascade.compaction_contract import OfferedTurn
from memory.cascade.contract import AtomDecision, ExtractPayload, OfferedAtom, OfferedMessage
from memory.cascade.rules.digest_text import shortened
from memory.llm.offline import durable, kinds
from memory.llm.offline.confidential import holds_secret
from memory.llm.offline.dates import has_relative_word
from memory.llm.offline.extract import extract
from memory.llm.offline.lexicon import cues_of, language_of
from memory.llm.offline.sentences import sentences
from memory.llm.offline.wording import speaker_name

Section = Literal["before", "wanted", "decided", "rules", "told", "promised", "results", "open"]
LABELS: Mapping[Section, str] = {
    "before": "Before",
    "wanted": "Wanted",
    "decided": "Decided",
    "rules": "Rules",
    "told": "Told",
    "promised": "Promised",
    "results": "Results",
    "open": "Open",
}
WORTH: Mapping[Section, int] = {
    "before": 70,
    "wanted": 60,
    "decided": 85,
    "rules": 80,
    "told": 40,
    "promised": 65,
    "results": 55,
    "open": 90,
}
"""How much a note of a section matters, where its own words do not say."""
QUOTE_CHARACTERS, ARGUMENT_CHARACTERS = 180, 60
ASSISTANT = "The assistant"
DECIDED = re.compile(
    r"\b(?:decid\w+|agree[ds]?|settl\w+ (?:on|for)|chose|choose[sn]?|go(?:es|ing)? with|opt\w* for|"
    r"confirm\w*|approv\w+|picked|entschieden|beschlossen|decidi\w+|décid\w+)\b|决定",
    re.IGNORECASE,
)
PROMISED = re.compile(
    r"^(?:ok(?:ay)?,? |sure,? |done[:,.]? ?)?(?:I|we)(?:'ll| will|'ve| have|'m going to| am going to) "
    r"(?!be happy|be glad|been happy|look into)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a digest."""

    section: Section
    text: str
    worth: int


def notes_of(turns: Sequence[OfferedTurn], before: Sequence[Note]) -> list[Note]:
    """The notes before with those of some turns; what was changed or answered stands as it is now."""
    kept, claims = _claims(turns, before)
    kept, answered = _answered(turns, kept)
    found = [*kept, *answered, *_wanted(turns), *claims, *_promised(turns), *_results(turns)]
    unique = {note.text.casefold(): note for note in found}
    return list(unique.values())


def _claims(turns: Sequence[OfferedTurn], before: Sequence[Note]) -> tuple[list[Note], list[Note]]:
    """What of the notes before still holds, and what people stated, read as claims are."""
    known = {f"a{place + 1}": note for place, note in enumerate(before) if note.section in CLAIMED}
    payload = ExtractPayload(
        entity="",
        time_zone="UTC",
        messages=tuple(_message(turn) for turn in turns if turn.role in ("user", "assistant")),
        context=(),
        atoms=tuple(_atom(handle, note) for handle, note in known.items()),
        topics=(),
    )
    items = extract(payload).items
    gone = {target for item in items if item.action == "merge" for target in item.targets}
    claims = [
        _claim(item)
        for place, item in enumerate(items)
        if item.action != "skip" and f"n{place + 1}" not in gone
    ]
    dead = {id(note) for handle, note in known.items() if handle in gone}
    return [note for note in before if id(note) not in dead], claims


CLAIMED: frozenset[Section] = frozenset({"decided", "rules", "told"})


def _claim(item: AtomDecision) -> Note:
    section: Section = "rules" if item.kind == "instruction" else "told"
    if section == "told" and DECIDED.search(item.text):
        section = "decided"
    return Note(section, item.text, WORTH[section] + item.priority // 3)


def _message(turn: OfferedTurn) -> OfferedMessage:
    return OfferedMessage(
        handle=turn.handle,
        role=turn.role,
        speaker=turn.speaker,
        session="",
        said_at=turn.said_at,
        text=turn.text,
        attachment_text=turn.attachment_text,
    )


def _atom(handle: str, note: Note) -> OfferedAtom:
    return OfferedAtom(
        handle=handle,
        text=note.text,
        kind="instruction" if note.section == "rules" else "episodic",
        priority=50,
        topic="",
        subject="",
        authority="user",
        state="live",
        said_at=None,
    )


def _wanted(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """Questions and requests of people, each with the answer it got; without one it is open."""
    for place, turn in enumerate(turns):
        if turn.role != "user":
            continue
        asked = [sentence for sentence in said_in(turn) if _is_wish(sentence)]
        answer = _answer(turns[place + 1 :]) if asked else ""
        for number, sentence in enumerate(asked):
            words = f"{speaker_name(turn.speaker)} asked: {_quoted(sentence, turn)}"
            if answer and number == len(asked) - 1:
                words = f"{words}, answer: {answer}"
            yield Note("wanted", words, WORTH["wanted"]) if answer else Note("open", words, WORTH["open"])
    last = turns[-1] if turns else None
    if last is not None and last.role == "assistant":
        for sentence in said_in(last)[-1:]:
            if durable.is_question(sentence, cues_of(language_of(sentence))):
                yield Note("open", f"{ASSISTANT} asked: {_quoted(sentence, last)}", WORTH["open"])


def _answered(turns: Sequence[OfferedTurn], before: Sequence[Note]) -> tuple[list[Note], list[Note]]:
    """The last open question of the notes before becomes a wish where these turns begin with its answer."""
    open_ones = [note for note in before if note.section == "open"]
    answer = _answer(turns) if open_ones and turns and turns[0].role != "user" else ""
    if open_ones and open_ones[-1].text.startswith(f"{ASSISTANT} asked:") and turns:
        # What the people say next is read for itself.
        return [note for note in before if note is not open_ones[-1]], []
    if not answer:
        return list(before), []
    question = open_ones[-1]
    rest = [note for note in before if note is not question]
    return rest, [Note("wanted", f"{question.text}, answer: {answer}", WORTH["wanted"])]


def _answer(later: Sequence[OfferedTurn]) -> str:
    """What the assistant says last before a person speaks again, in quotation marks."""
    found = ""
    for turn in later:
        if turn.role == "user":
            break
        said = said_in(turn) if turn.role == "assistant" else []
        telling = (
            sentence for sentence in said if durable.without_openers(sentence, cues_of(language_of(sentence)))
        )
        first = next(telling, None)
        found = _quoted(first, turn) if first else found
    return found


def said_in(turn: OfferedTurn) -> list[str]:
    """The sentences of a turn, without those that tell a secret."""
    return [sentence for sentence in sentences(turn.text) if not holds_secret(sentence)]


def _is_wish(sentence: str) -> bool:
    cues = cues_of(language_of(sentence))
    bare = durable.without_openers(sentence, cues)
    return bool(bare) and (
        durable.is_question(sentence, cues)
        or (kinds.is_one_off(bare, cues) and not kinds.is_rule(bare, cues))
    )


def _promised(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    for turn in turns:
        if turn.role == "assistant":
            for sentence in said_in(turn):
                if PROMISED.match(sentence) and not sentence.endswith("?"):
                    words = f"{speaker_of(turn)}: {_quoted(sentence, turn)}"
                    yield Note("promised", words, WORTH["promised"])


def _results(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """What tools returned; with the arguments where they are short and the tool was called once."""
    called = Counter(call.name for turn in turns for call in turn.calls)
    arguments = {call.name: call.arguments for turn in turns for call in turn.calls if called[call.name] == 1}
    for turn in turns:
        text = " ".join(turn.text.split())
        if turn.role != "tool" or not text or holds_secret(text):
            continue
        given = arguments.get(turn.tool_name, "")
        is_shown = 2 < len(given) <= ARGUMENT_CHARACTERS and not holds_secret(given)
        call = f"{turn.tool_name or 'A tool'}{f' {given}' if is_shown else ''}"
        yield Note("results", f"{call}: {shortened(text, QUOTE_CHARACTERS)}", WORTH["results"])


def speaker_of(turn: OfferedTurn) -> str:
    """The name to write for whoever speaks."""
    if turn.role == "assistant":
        return speaker_name(turn.speaker) if turn.speaker else ASSISTANT
    return speaker_name(turn.speaker)


def _quoted(sentence: str, turn: OfferedTurn) -> str:
    """Words as they were said; with their day where they mean another one a day later."""
    words = shortened(" ".join(sentence.split()).replace('"', "'"), QUOTE_CHARACTERS)
    is_relative = turn.said_at is not None and has_relative_word(sentence)
    return f'"{words}"' + (f" ({turn.said_at:%Y-%m-%d})" if is_relative else "")
