"""One clause into a claim: readable alone, dated, with its kind, subject and matter."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from memory.cascade.contract import ATOM_TEXT_LIMIT, AtomKind, OfferedMessage
from memory.llm.offline import dates, durable, foreign_dates, kinds, referents, subjects, topics
from memory.llm.offline.claims import Claim
from memory.llm.offline.foreign_subjects import foreign_subject
from memory.llm.offline.lexicon import Cues, cues_of, language_of
from memory.llm.offline.wording import third_person


@dataclass(slots=True)
class Spoken:
    """What one message has said so far, and what the turns before it speak of."""

    message: OfferedMessage
    person: str
    is_peer_talk: bool
    earlier: str
    """The undertaking that the turns before named last."""
    turns_before: tuple[str, ...]
    """What was said just before, the newest first."""
    addressee: str = ""
    """Whom «you» means in a talk between two people."""
    addressed_in: str = ""
    """The handle of the turn in which that one spoke last: it tells who «you» is."""
    question: str = ""
    """What the turn before asked, until a claim of this message has answered it."""
    asked_in: str = ""
    """The handle of that turn."""
    running: str = ""
    """The undertaking that this message named last."""
    belongs: frozenset[str] = frozenset()
    is_separate: bool = False
    before: str = ""
    """The clause before this one."""
    said: str = ""
    """Everything the message has said before the clause being read."""
    follows_claim: bool = False
    """The clause before became a claim, so that «it» may speak of that."""


def clause_claim(clause: str, cues: Cues, spoken: Spoken) -> Claim | None:
    """The claim of a clause, or None when it states nothing that would be understood and matter later."""
    is_rule = not spoken.is_peer_talk and kinds.is_rule(clause, cues)
    named = referents.resolved(clause, spoken.before) if cues.language == "en" else clause
    if not is_rule and not _is_kept(named, cues, spoken):
        return _leaning(clause, named, cues, spoken) if spoken.is_peer_talk else None
    return _dated_claim(named if named is not None else clause, cues, spoken, is_quoted=named is None)


def answered_claim(clause: str, cues: Cues, spoken: Spoken) -> Claim | None:
    """The claim of a clause that answers a question: somebody wanted to know, so it is worth keeping."""
    return _dated_claim(clause, cues, spoken, is_quoted=False)


def _is_kept(named: str | None, cues: Cues, spoken: Spoken) -> bool:
    return named is not None and durable.is_worth_keeping(named, cues, is_peer_talk=spoken.is_peer_talk)


def _leaning(clause: str, named: str | None, cues: Cues, spoken: Spoken) -> Claim | None:
    """What cannot stand by itself: the rest of a claim, an answer, or what somebody thinks in general."""
    claim = _continuation(clause, cues, spoken)
    is_said = durable.is_opinion(clause, cues) if named is not None else durable.is_own_account(clause, cues)
    if claim is not None or cues.language != "en" or not is_said:
        return claim
    opinion = _dated_claim(clause, cues, spoken, is_quoted=False)
    if opinion is None:
        return None
    return replace(
        opinion, text=f"{spoken.person} said: {opinion.text}", subject=spoken.person, is_opinion=True
    )


def _continuation(clause: str, cues: Cues, spoken: Spoken) -> Claim | None:
    """«It took us two days», said right after the claim or the question that tells what «it» is."""
    if not (spoken.follows_claim or spoken.question) or not durable.continues(clause, cues):
        return None
    claim = _dated_claim(clause, cues, spoken, is_quoted=False)
    if claim is None or spoken.follows_claim:
        return replace(claim, is_continuation=True) if claim else None
    report = f'Asked "{spoken.question}", {spoken.person} answered: {claim.text}'
    if len(report) > ATOM_TEXT_LIMIT:
        return None
    return replace(
        claim,
        text=report,
        subject=spoken.person,
        messages=tuple(dict.fromkeys((spoken.asked_in, *claim.messages))),
    )


def _dated_claim(clause: str, cues: Cues, spoken: Spoken, *, is_quoted: bool) -> Claim | None:
    said_on = spoken.message.said_at.date() if spoken.message.said_at else None
    is_rule = not spoken.is_peer_talk and kinds.is_rule(clause, cues)
    # «For today» is the situation of a rule, not a day on which something happened.
    is_moment = is_rule and cues.has("moment", clause)
    dated = dates.Dated(clause, None) if is_moment else _dated(clause, said_on, cues)
    is_open = dated.is_unanchored or (_is_relative(dated.text, cues) and not is_rule)
    if is_open or durable.is_headless(dated.text):
        return None
    return _written(dated, cues, spoken, said_on, is_quoted=is_quoted)


def _dated(clause: str, said_on: date | None, cues: Cues) -> dates.Dated:
    if cues.language == "en":
        return dates.resolve(clause, said_on)
    return foreign_dates.resolve_foreign(clause, said_on, cues.language)


def _is_relative(clause: str, cues: Cues) -> bool:
    if cues.language == "en":
        return dates.has_relative_word(clause)
    return foreign_dates.has_relative_words(clause, cues.language)


def _written(
    dated: dates.Dated, cues: Cues, spoken: Spoken, said_on: date | None, *, is_quoted: bool
) -> Claim | None:
    clause = dated.text
    judged = kinds.judge(
        clause, cues, is_rule_talk=not spoken.is_peer_talk, is_dated=dated.period is not None
    )
    text = quoted(clause, spoken.person) if is_quoted else _readable(clause, cues, spoken, judged.kind)
    if not text or len(text) > ATOM_TEXT_LIMIT:
        return None
    claim = Claim(
        text=text,
        kind=judged.kind,
        priority=judged.priority,
        scope=judged.scope,
        subject=_subject(clause, cues, spoken.person),
        person=spoken.person,
        hint=_hint(clause, spoken),
        clause=clause,
        messages=_evidence(clause, cues, spoken),
        said_on=said_on,
    )
    return _with_period(claim, dated)


def _subject(clause: str, cues: Cues, person: str) -> str:
    if cues.language == "en":
        return subjects.subject_of(clause, person)
    return foreign_subject(clause, person, cues)


def _evidence(clause: str, cues: Cues, spoken: Spoken) -> tuple[str, ...]:
    """The message, and the turn that tells who «you» is when the claim names that one."""
    is_addressed = spoken.addressed_in and cues.has("second_person", clause)
    return (*((spoken.addressed_in,) if is_addressed else ()), spoken.message.handle)


def _with_period(claim: Claim, dated: dates.Dated) -> Claim:
    period = dated.period
    if period is None:
        return claim
    if dated.is_limit:
        return replace(claim, happened_until=period.last)
    if dated.is_start:
        return replace(claim, happened_from=period.first)
    return replace(claim, happened_from=period.first, happened_until=period.last)


def _readable(clause: str, cues: Cues, spoken: Spoken, kind: AtomKind) -> str:
    if cues.language != "en":
        is_command = kind == "instruction" and not cues.has("first_person", clause)
        return ended(clause) if is_command else f"{spoken.person}: {ended(clause)}"
    voice = subjects.voice_of(
        spoken.person, clause, spoken.said, addressee=spoken.addressee, is_peer_talk=spoken.is_peer_talk
    )
    return ended(third_person(_expanded(clause, spoken), voice))


def _expanded(clause: str, spoken: Spoken) -> str:
    """«the migration» becomes «the billing API migration» when the same message names it so."""
    topic = spoken.running or spoken.earlier
    head = topic.split()[-1:]
    names = [word for word in topic.split() if not word.islower()]
    if not head or any(name not in spoken.message.text for name in names):
        return clause
    short = re.compile(rf"\b(?P<article>the)\s+{re.escape(head[0])}\b", re.IGNORECASE)
    return short.sub(lambda match: f"{match.group('article')} {topic}", clause, count=1)


def _hint(clause: str, spoken: Spoken) -> topics.Hint:
    is_own = spoken.is_peer_talk or cues_of("en").has("first_person", clause) or language_of(clause) != "en"
    return topics.Hint(
        named=topics.named_undertaking(clause),
        belongs=spoken.belongs,
        theme=_theme(clause, spoken),
        running=spoken.running,
        earlier=spoken.earlier,
        is_separate=spoken.is_separate,
        fallback="" if is_own else referents.leading_noun(clause).lower(),
    )


def _theme(clause: str, spoken: Spoken) -> str:
    """The theme of the clause, of its message, or of the turns it follows, whichever names one first."""
    texts = [clause, spoken.message.text, *(spoken.turns_before if spoken.is_peer_talk else ())]
    found = next((theme for text in texts if (theme := topics.theme_of(text, spoken.person))), "")
    return found or topics.theme_of(clause, spoken.person, is_faint_enough=True)


def quoted(clause: str, person: str) -> str:
    """A clause as somebody's own words."""
    return f'{person} said: "{ended(clause)}"'


def ended(text: str) -> str:
    """The text with a capital and a full stop."""
    text = text.strip().rstrip(" ,;:!.…-—–。！")
    if not text:
        return ""
    stop = "。" if re.search(r"[\u4e00-\u9fff]$", text) else "."
    return f"{text[:1].upper()}{text[1:]}{stop}"
