"""Messages into claims: what is worth keeping of what a person said, readable alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from memory.cascade.contract import ATOM_TEXT_LIMIT, AtomKind, OfferedMessage
from memory.llm.offline import dates, durable, kinds, referents, subjects, tools, topics
from memory.llm.offline.claims import Claim
from memory.llm.offline.lexicon import Cues, cues_of, language_of
from memory.llm.offline.sentences import clauses, has_verb, sentences
from memory.llm.offline.wording import speaker_name, third_person

TURNS_LOOKED_BACK = 2
"""Fixed, so that a claim does not depend on how a session was cut into batches."""
REASON = re.compile(r",?\s+(?:because|since|as)\s+(?=(?:the|our|my|we|a|an|it|they|[A-Z]))", re.IGNORECASE)


@dataclass(slots=True)
class _Reading:
    """What one message has said so far."""

    message: OfferedMessage
    person: str
    is_peer_talk: bool
    earlier: str
    turn_before: str
    running: str = ""
    belongs: frozenset[str] = frozenset()
    is_separate: bool = False
    before: str = ""
    said: str = ""
    """Everything the message has said before the clause being read."""


def claims_of(message: OfferedMessage, turns_before: Sequence[OfferedMessage]) -> list[Claim]:
    """Claims of one message; `turns_before` are the turns of the session just before it, oldest first."""
    window = turns_before[-TURNS_LOOKED_BACK:]
    if message.role == "tool":
        return tools.tool_claims(message, _spoken_of(window))
    if message.role != "user":
        return []
    person = speaker_name(message.speaker)
    reading = _Reading(
        message, person, _is_peer_talk(message, window), _spoken_of(window), window[-1].text if window else ""
    )
    return [claim for sentence in sentences(message.text) for claim in _sentence_claims(sentence, reading)]


def _sentence_claims(sentence: str, reading: _Reading) -> Iterator[Claim]:
    cues = cues_of(language_of(sentence))
    if durable.is_question(sentence, cues):
        return
    bare, is_separate = topics.without_separation(durable.without_openers(sentence, cues))
    bare = durable.without_openers(bare, cues)
    if is_separate:
        reading.is_separate, reading.running = True, ""
    for clause in clauses(bare, cues):
        reading.running = topics.named_undertaking(clause) or reading.running
        reading.belongs = topics.modifiers_of_parts(clause) or reading.belongs
        if not durable.is_small_talk(clause, cues):
            yield from _clause_claims(clause, cues, reading)
        reading.before = clause
        reading.said = f"{reading.said} {clause}"


def _clause_claims(clause: str, cues: Cues, reading: _Reading) -> Iterator[Claim]:
    clause = durable.without_tail(durable.without_openers(clause, cues), cues)
    clause = durable.with_subject(clause, cues)
    is_rule = not reading.is_peer_talk and kinds.is_rule(clause, cues)
    rule, reason = _without_reason(clause) if is_rule else (clause, "")
    if rule:
        claim = _claim(rule, cues, reading)
        if claim is not None:
            yield claim
    if reason:
        reading.before = rule
        claim = _claim(reason, cues, reading)
        if claim is not None:
            yield claim


def _claim(clause: str, cues: Cues, reading: _Reading) -> Claim | None:
    is_rule = not reading.is_peer_talk and kinds.is_rule(clause, cues)
    named = referents.resolved(clause, reading.before) if cues.language == "en" else clause
    if not is_rule and (
        named is None or not durable.is_worth_keeping(named, cues, is_peer_talk=reading.is_peer_talk)
    ):
        return None
    said_on = reading.message.said_at.date() if reading.message.said_at else None
    dated = dates.resolve(named if named is not None else clause, said_on)
    if (
        durable.is_headless(dated.text)
        or dated.is_unanchored
        or (dates.has_relative_word(dated.text) and not is_rule)
    ):
        return None
    return _written(dated, cues, reading, said_on, is_quoted=named is None)


def _written(
    dated: dates.Dated, cues: Cues, reading: _Reading, said_on: date | None, *, is_quoted: bool
) -> Claim | None:
    clause = dated.text
    judged = kinds.judge(
        clause, cues, is_rule_talk=not reading.is_peer_talk, is_dated=dated.period is not None
    )
    text = _quoted(clause, reading.person) if is_quoted else _readable(clause, cues, reading, judged.kind)
    if not text or len(text) > ATOM_TEXT_LIMIT:
        return None
    claim = Claim(
        text=text,
        kind=judged.kind,
        priority=judged.priority,
        scope=judged.scope,
        subject=subjects.subject_of(clause, reading.person),
        person=reading.person,
        hint=_hint(clause, reading),
        clause=clause,
        message=reading.message.handle,
        said_on=said_on,
    )
    return _with_period(claim, dated)


def _with_period(claim: Claim, dated: dates.Dated) -> Claim:
    period = dated.period
    if period is None:
        return claim
    if dated.is_limit:
        return replace(claim, happened_until=period.last)
    if dated.is_start:
        return replace(claim, happened_from=period.first)
    return replace(claim, happened_from=period.first, happened_until=period.last)


def _readable(clause: str, cues: Cues, reading: _Reading, kind: AtomKind) -> str:
    if cues.language != "en":
        return (
            _ended(clause)
            if kind == "instruction" and not cues.has("first_person", clause)
            else _attributed(clause, reading.person)
        )
    voice = subjects.voice_of(reading.person, clause, reading.said, is_peer_talk=reading.is_peer_talk)
    return _ended(third_person(_expanded(clause, reading), voice))


def _expanded(clause: str, reading: _Reading) -> str:
    """«the migration» becomes «the billing API migration» when the same message names it so."""
    topic = reading.running or reading.earlier
    head = topic.split()[-1:]
    names = [word for word in topic.split() if not word.islower()]
    if not head or any(name not in reading.message.text for name in names):
        return clause
    short = re.compile(rf"\b(?P<article>the)\s+{re.escape(head[0])}\b", re.IGNORECASE)
    return short.sub(lambda match: f"{match.group('article')} {topic}", clause, count=1)


def _hint(clause: str, reading: _Reading) -> topics.Hint:
    return topics.Hint(
        named=topics.named_undertaking(clause),
        belongs=reading.belongs,
        theme=_theme(clause, reading),
        running=reading.running,
        earlier=reading.earlier,
        is_separate=reading.is_separate,
        fallback=""
        if reading.is_peer_talk or cues_of("en").has("first_person", clause)
        else referents.leading_noun(clause).lower(),
    )


def _theme(clause: str, reading: _Reading) -> str:
    """The theme of the clause, of its message, or of the turn it answers, whichever names one first."""
    texts = [clause, reading.message.text, *([reading.turn_before] if reading.is_peer_talk else [])]
    return next((theme for text in texts if (theme := topics.theme_of(text, reading.person))), "")


def _without_reason(clause: str) -> tuple[str, str]:
    """A rule and the reason given for it, apart: the one changes without the other."""
    parts = REASON.split(clause, maxsplit=1)
    if len(parts) == 2 and has_verb(parts[1]) and len(parts[1].split()) >= 4:
        return parts[0], parts[1]
    return clause, ""


def _is_peer_talk(message: OfferedMessage, window: Sequence[OfferedMessage]) -> bool:
    """Whether two people talk: commands between them are not rules for the agent."""
    others = {speaker_name(turn.speaker) for turn in window if turn.role == "user"}
    return bool(others - {speaker_name(message.speaker)})


def _spoken_of(window: Sequence[OfferedMessage]) -> str:
    """The last undertaking that people named in the turns before."""
    found = ""
    for turn in window:
        if turn.role == "user":
            for sentence in sentences(turn.text):
                found = topics.named_undertaking(sentence) or found
    return found


def _quoted(clause: str, person: str) -> str:
    return f'{person} said: "{_ended(clause)}"'


def _attributed(clause: str, person: str) -> str:
    return f"{person}: {_ended(clause)}"


def _ended(text: str) -> str:
    """The text with a capital and a full stop."""
    text = text.strip().rstrip(" ,;:!.…-—–。！")
    if not text:
        return ""
    stop = "。" if re.search(r"[\u4e00-\u9fff]$", text) else "."
    return f"{text[:1].upper()}{text[1:]}{stop}"
