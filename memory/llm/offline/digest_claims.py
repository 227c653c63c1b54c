"""What people stated in a session: their goals, decisions, rules and facts, read as claims are."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.cascade.compaction_contract import OfferedTurn
from memory.cascade.contract import AtomDecision, ExtractPayload, OfferedAtom, OfferedMessage
from memory.llm.offline import durable
from memory.llm.offline.digest_quoting import quoted, said_in, speaker_of
from memory.llm.offline.digest_worth import Note, Section, concreteness
from memory.llm.offline.extract import extract
from memory.llm.offline.lexicon import cues_of, language_of
from memory.llm.offline.sentences import has_verb
from memory.llm.offline.words import content_words, tokens, values

DECIDED = re.compile(
    r"\b(?:decid\w+|agree[ds]?|settl\w+ (?:on|for)|chose|choose[sn]?|go(?:es|ing)? with|opt\w* for|"
    r"confirm\w*|approv\w+|picked|entschieden|beschlossen|decidi\w+|décid\w+)\b|决定",
    re.IGNORECASE,
)
_CHOOSE = r"(?:take|use|go|keep|do|book|pick|choose|start|stay|stick|have|buy|order|make)\b"
CHOSEN = re.compile(
    rf"""
    (?:(?:ok(?:ay)?|alright|all\ right|fine|good|great|perfect|yes|deal)\b[,.!:;\ –—-]+)+
        (?:then\ |so\ )*(?:let's|let\ us|(?:I|we)(?:'ll|\ will|'d|\ would)?)\ (?:then\ |just\ )?{_CHOOSE}
  | then\ (?:let's|let\ us|we|(?:I|we)(?:'ll|\ will))\ {_CHOOSE}
  | (?:let's|let\ us|(?:I|we)(?:'ll|\ will))\ (?:take|go\ (?:for|with)|stick\ (?:to|with)|stay\ with|keep)\b
  | dann\ (?:nehmen|machen|bleiben|nehme|mache)\ (?:wir|ich)\b | alors\ (?:on|nous|je)\ pren\w+
  | entonces\ (?:tomamos|elegimos|nos\ quedamos)\b | 那就
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Somebody takes one of the things that were spoken of."""
GOAL = re.compile(
    r"(?:'s (?:\w+ )?team| and \w+)? (?:also |now |really |still )?"
    r"(?:wants?|needs?|hopes?|plans?|intends?|aims?|would like|"
    r"(?:is|are) (?:trying|planning|hoping|aiming|looking))(?: to| for| an?)\b"
    r"|'s (?:\w+ )?(?:goal|aim|objective)\b"
    r"|: (?:(?:Ich|Wir) (?:möchten?|will|wollen)|(?:Je|Nous|On) (?:veux|veut|voulons|voudr\w+)"
    r"|(?:Quiero|Queremos|Quisiera\w*)|我们?(?:想|要|希望))",
)
FILLER = re.compile(
    r",? (?:(?:so|and) that(?:'s| is) (?:settled|done|decided|final|clear|agreed|fixed|it|that|all)|"
    r"just saying|to be honest|tbh|by the way|btw|you know|as I said|for what it's worth|fwiw|sorry|lol|haha)"
    r"(?P<end>[.!]*)$",
    re.IGNORECASE,
)
REFLEXIVE = frozenset({"myself", "ourselves"})
LEADING = re.compile(r"^(?:then|so|okay|ok|well),? (?=\w)", re.IGNORECASE)
SUPPOSED = re.compile(r"(?:suppose|imagine|pretend|assume|let's say|what if|if I were)\b", re.IGNORECASE)
LEANS = re.compile(r"(?:he|she|it|they|his|her|its|their|that|this|these|those)\b", re.IGNORECASE)
CLAIMED: frozenset[Section] = frozenset({"wanted", "decided", "rules", "told"})
LEAST_TOKENS, LEAST_CONTENT_WORDS, COVERED_PART = 4, 2, 0.5


def claims_of(turns: Sequence[OfferedTurn], before: Sequence[Note]) -> tuple[list[Note], list[Note]]:
    """What of the notes before still holds, and what people stated, in the order of the turns."""
    known = {
        f"a{place + 1}": note
        for place, note in enumerate(before)
        if note.section in CLAIMED and not note.is_asked
    }
    items = extract(_payload(turns, known)).items
    gone = {target for item in items if item.action == "merge" for target in item.targets}
    standing = [
        item for place, item in enumerate(items) if item.action != "skip" and f"n{place + 1}" not in gone
    ]
    dead = {id(note) for handle, note in known.items() if handle in gone}
    known_again = {handle for item in items if item.targets for handle in item.messages}
    return [note for note in before if id(note) not in dead], _told(turns, standing, known_again)


def _told(
    turns: Sequence[OfferedTurn], items: Sequence[AtomDecision], repeated: Collection[str]
) -> list[Note]:
    """The notes of the turns; a sentence whose «it» the one before names stands in the note of that one."""
    told: list[Note] = []
    near: OfferedTurn | None = None
    for turn in (turn for turn in turns if turn.role == "user"):
        is_near = near is not None and near.speaker == turn.speaker
        own = _claims(turn, items)
        for unsaid in [] if turn.handle in repeated else _unsaid(turn, items):
            place = _place_of(unsaid, own)
            if place is not None:
                own[place] = _joined(own[place], unsaid, turn)
            elif unsaid.leans and not unsaid.after and is_near and told:
                told[-1] = _joined(told[-1], unsaid, turn)
            else:
                own.append(_quotation(unsaid.words, turn))
        told += own
        near = turn if own else None
    return told


@dataclass(frozen=True, slots=True)
class _Unsaid:
    """Words that no claim holds, and the sentence just before them in their turn."""

    words: str
    after: str

    @property
    def leans(self) -> bool:
        return LEANS.match(self.words) is not None


def _place_of(unsaid: _Unsaid, notes: Sequence[Note]) -> int | None:
    """The note that holds what the words lean on."""
    places = range(len(notes)) if unsaid.leans and unsaid.after else ()
    return next((place for place in reversed(places) if covers(notes[place].text, unsaid.after)), None)


def _joined(note: Note, unsaid: _Unsaid, turn: OfferedTurn) -> Note:
    return Note(note.section, f"{note.text} {quoted(unsaid.words, turn)}")


def _payload(turns: Sequence[OfferedTurn], known: dict[str, Note]) -> ExtractPayload:
    return ExtractPayload(
        entity="",
        time_zone="UTC",
        messages=tuple(_message(turn) for turn in turns if turn.role in ("user", "assistant")),
        context=(),
        atoms=tuple(_atom(handle, note) for handle, note in known.items()),
        topics=(),
    )


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


def _claims(turn: OfferedTurn, items: Sequence[AtomDecision]) -> list[Note]:
    """The claims that rest on a turn, and on none after it."""
    said = said_in(turn)
    own = [item for item in items if item.messages and item.messages[-1] == turn.handle]
    return [Note(_section(item, said, turn), _tidy(item.text)) for item in own]


def _unsaid(turn: OfferedTurn, items: Sequence[AtomDecision]) -> list[_Unsaid]:
    """Choices and facts of a turn that no claim covers; with the sentence before where they lean on it."""
    told = " ".join(item.text for item in items if turn.handle in item.messages)
    found: list[_Unsaid] = []
    after = lost = ""
    for sentence in said_in(turn):
        is_missing = not covers(told, sentence) and _is_statement(sentence)
        is_kept = is_missing and (_names_choice(sentence) or _is_fact(sentence))
        if is_kept:
            words = f"{lost} {sentence}" if lost and LEANS.match(sentence) else sentence
            found.append(_Unsaid(words, after))
        lost = sentence if is_missing and not is_kept else ""
        after = sentence
    return found


def _names_choice(sentence: str) -> bool:
    """Whether somebody takes something that is named: not so in «okay, let's do it»."""
    match = CHOSEN.match(sentence)
    cues = cues_of(language_of(sentence))
    rest = tokens(sentence[match.end() :]) if match else []
    return any(word not in cues.function_words | cues.empty_words | REFLEXIVE for word in rest)


def _quotation(words: str, turn: OfferedTurn) -> Note:
    is_choice = CHOSEN.match(words) is not None
    return Note("decided" if is_choice else "told", f"{speaker_of(turn)}: {quoted(words, turn)}")


def _section(item: AtomDecision, said: Sequence[str], turn: OfferedTurn) -> Section:
    if item.kind == "instruction":
        return "rules"
    is_chosen = any(CHOSEN.match(sentence) and covers(item.text, sentence) for sentence in said)
    if is_chosen or DECIDED.search(item.text):
        return "decided"
    name = speaker_of(turn)
    rest = item.text.removeprefix(name)
    return "wanted" if rest != item.text and GOAL.match(rest) else "told"


def covers(told: str, sentence: str) -> bool:
    """Whether a text says at least half of what a sentence says."""
    words = content_words(sentence) | values(sentence)
    return len(words & (content_words(told) | values(told))) >= max(1, COVERED_PART * len(words))


def _is_statement(sentence: str) -> bool:
    return not durable.is_question(sentence, cues_of(language_of(sentence)))


def _is_fact(sentence: str) -> bool:
    """A statement with a name or a figure in it that says enough to be worth its words."""
    cues = cues_of(language_of(sentence))
    bare = durable.without_openers(sentence, cues)
    is_idle = any(cues.has(name, bare) for name in ("greeting", "thanks", "one_off", "second_person"))
    return (
        cues.language == "en"
        and concreteness(bare) > 0
        and not is_idle
        and SUPPOSED.match(bare) is None
        and len(tokens(bare)) >= LEAST_TOKENS
        and len(content_words(bare) | values(bare)) >= LEAST_CONTENT_WORDS
        and has_verb(bare)
    )


def _tidy(text: str) -> str:
    """A claim without words that only lead to it or close it."""
    shorter = FILLER.sub(lambda match: match.group("end"), LEADING.sub("", text))
    return shorter[:1].upper() + shorter[1:]
