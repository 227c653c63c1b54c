"""Messages into claims: what is worth keeping of what a person said, readable alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.cascade.contract import OfferedMessage
from memory.llm.offline import asked, durable, ellipsis, joining, kinds, tools, topics
from memory.llm.offline.claims import Claim, Reading
from memory.llm.offline.clause_claims import Spoken, answered_claim, clause_claim, ended
from memory.llm.offline.confidential import LEFT_UNSAID, holds_secret
from memory.llm.offline.lexicon import Cues, cues_of, language_of
from memory.llm.offline.scripts import LEFT_UNREAD, is_unread
from memory.llm.offline.sentences import clauses, has_verb, sentences
from memory.llm.offline.wording import speaker_name

TURNS_LOOKED_BACK = 2
"""Fixed, so that a claim does not depend on how a session was cut into batches."""
GREETED = re.compile(r"^(?i:hey|hi|hello|good morning)\b,? [A-Z][a-z]+\b")
"""A person greeted by name: what follows is told to somebody."""
REASON = re.compile(r",?\s+(?:because|since|as)\s+(?=(?:the|our|my|we|a|an|it|they|[A-Z]))", re.IGNORECASE)


def read(message: OfferedMessage, turns_before: Sequence[OfferedMessage]) -> Reading:
    """Claims of one message; `turns_before` are the turns of the session just before it, oldest first."""
    window = turns_before[-TURNS_LOOKED_BACK:]
    if message.role not in {"user", "tool"}:
        return Reading()
    if message.role == "tool":
        if holds_secret(message.text):
            return Reading(left=LEFT_UNSAID)
        return Reading(tools.tool_claims(message, _spoken_of(window)))
    return _read_person(message, window)


def _read_person(message: OfferedMessage, window: Sequence[OfferedMessage]) -> Reading:
    person = speaker_name(message.speaker)
    spoken = Spoken(
        message=message,
        person=person,
        is_peer_talk=_is_peer_talk(message, window),
        earlier=_spoken_of(window),
        turns_before=tuple(turn.text for turn in reversed(window)),
    )
    if spoken.is_peer_talk:
        _learn_other(spoken, window)
    is_asked = bool(spoken.question)
    said = sentences(message.text)
    open_ones = [sentence for sentence in said if not holds_secret(sentence)]
    plain = [sentence for sentence in open_ones if not is_unread(sentence)]
    found = list(_answers(plain[:1], spoken, window))
    if found:
        spoken.question = ""
    for sentence in plain[1:] if found else plain:
        found.extend(_sentence_claims(sentence, spoken))
    left = LEFT_UNSAID if len(open_ones) < len(said) else LEFT_UNREAD if len(plain) < len(open_ones) else ""
    return Reading(_told(found, spoken, is_asked=is_asked), left)


def _told(found: list[Claim], spoken: Spoken, *, is_asked: bool) -> list[Claim]:
    """The claims of a message, told together where a talk of people would."""
    if spoken.is_peer_talk:
        return joining.told(found, is_asked=is_asked)
    return joining.told_at_once(found) if GREETED.match(spoken.message.text) else found


def _learn_other(spoken: Spoken, window: Sequence[OfferedMessage]) -> None:
    """Whom «you» means, and what that one has just asked."""
    others = [turn for turn in window if turn.role == "user" and speaker_name(turn.speaker) != spoken.person]
    if others:
        spoken.addressee, spoken.addressed_in = speaker_name(others[-1].speaker), others[-1].handle
    question = asked.question_before(spoken.message, window)
    if question is not None and asked.may_be_reported(question.text):
        spoken.question, spoken.asked_in = question.text, question.asked_by.handle


def _sentence_claims(sentence: str, spoken: Spoken) -> Iterator[Claim]:
    cues = cues_of(language_of(sentence))
    if durable.is_question(sentence, cues):
        spoken.follows_claim = False
        return
    bare, is_separate = topics.without_separation(durable.without_openers(sentence, cues))
    bare = durable.without_openers(bare, cues)
    if is_separate:
        spoken.is_separate, spoken.running = True, ""
    for clause in clauses(bare, cues):
        spoken.running = topics.named_undertaking(clause) or spoken.running
        spoken.belongs = topics.modifiers_of_parts(clause) or spoken.belongs
        is_talk = durable.is_small_talk(clause, cues, is_peer_talk=spoken.is_peer_talk)
        found = [] if is_talk else list(_clause_claims(clause, cues, spoken))
        yield from found
        spoken.follows_claim = bool(found)
        if found:
            spoken.question = ""
        spoken.before = clause
        spoken.said = f"{spoken.said} {clause}"


def _clause_claims(clause: str, cues: Cues, spoken: Spoken) -> Iterator[Claim]:
    clause = durable.without_tail(durable.without_openers(clause, cues), cues)
    clause = ellipsis.with_subject(clause, cues)
    if spoken.is_peer_talk:
        clause = ellipsis.as_shown(clause)
    is_rule = not spoken.is_peer_talk and kinds.is_rule(clause, cues)
    rule, reason = _without_reason(clause) if is_rule else (clause, "")
    if rule and (claim := clause_claim(rule, cues, spoken)):
        yield claim
    if reason:
        spoken.before = rule
        if claim := clause_claim(reason, cues, spoken):
            yield claim


def _answers(first: Sequence[str], spoken: Spoken, window: Sequence[OfferedMessage]) -> Iterator[Claim]:
    """What the first sentence says together with the question of the turn before."""
    question = asked.question_before(spoken.message, window)
    cues = cues_of("en")
    if question is None or not first or language_of(f"{question.text} {first[0]}") != "en":
        return
    answer = asked.answer_of(first[0], question, spoken.person, cues)
    if answer is None:
        return
    evidence = (question.asked_by.handle, spoken.message.handle)
    if answer.continues and question.earlier is not None:
        yield from _continued(answer.continues, question.earlier, evidence, spoken)
    elif answer.clause:
        claim = answered_claim(answer.clause, cues, spoken)
        if claim is not None:
            yield replace(claim, messages=evidence)
    elif answer.report:
        yield from _reported(answer.report, first[0], evidence, spoken)


def _continued(
    addition: str, earlier: OfferedMessage, evidence: tuple[str, ...], spoken: Spoken
) -> Iterator[Claim]:
    """The person's own last claim, with what the answer adds to it."""
    claims = _read_person(earlier, ()).claims
    if claims:
        text = ended(f"{claims[-1].text.rstrip('.')}; {addition}")
        yield replace(claims[-1], text=text, messages=(earlier.handle, *evidence))


def _reported(report: str, answer: str, evidence: tuple[str, ...], spoken: Spoken) -> Iterator[Claim]:
    probe = clause_claim(f"I answered {answer} to the question", cues_of("en"), spoken)
    if probe is not None and not probe.happened_from and not probe.happened_until:
        # What else the message speaks of is another matter than the one that was asked about.
        theme = topics.theme_of(report, spoken.person) or (
            probe.hint.theme
            if spoken.is_peer_talk
            else topics.theme_of(report, spoken.person, is_faint_enough=True)
        )
        yield replace(probe, text=report, messages=evidence, hint=replace(probe.hint, theme=theme))


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
