"""What people asked for, the answer that it got, what is still open, and what the assistant promised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from memory.cascade.compaction_contract import OfferedTurn
from memory.llm.offline import durable, kinds
from memory.llm.offline.digest_quoting import quoted, said_in, speaker_of
from memory.llm.offline.digest_worth import ASSISTANT, Note, concreteness
from memory.llm.offline.lexicon import cues_of, language_of
from memory.llm.offline.wording import speaker_name
from memory.llm.offline.words import content_words

_MOMENT = r"(?:moment|moments|minute|minutes|second|seconds|sec|secs)"
DEFERRED = re.compile(
    rf"""
    (?: (?:let\ me|(?:I|we)(?:'ll|\ will|'d|\ would|'m\ going\ to|\ need\ to|\ have\ to|\ must)?)
        \ (?:just\ |quickly\ |first\ |have\ to\ |need\ to\ )*
        (?:look|check|verify|find\ out|see\ (?:if|whether|what)|ask|dig|get\ back|come\ back|pull|search
          |think|investigate|clarify|(?:take|have)\ a\ (?:\w+\ )?look)\b
      | (?:just\ |give\ me\ |wait\ )?(?:a|one|two|a\ few)\ {_MOMENT}\b
      | (?:hold|hang)\ on\b | bear\ with\b
      | (?:I(?:'m|\ am)\ )?(?:looking|checking|searching)\b[^,.;]{{0,30}}\W*$
      | (?:I(?:'m|\ am)\ )?not\ (?:sure|certain)\b | I\ (?:don't|do\ not)\ know\b | no\ idea\b
      | einen\ moment\b | ich\ (?:prüfe|schaue|frage|sehe)\b.{{0,20}}\bnach\b
      | un\ (?:moment|instant|momento)\b
      | je\ (?:vérifie|regarde)\b | (?:déjame|voy\ a)\ (?:ver|comprobar|buscar|mirar)\b
      | 请稍等 | 让我查 | 我查一下
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""«Let me look that up» and «I don't know» leave a question open."""
YES_OR_NO = re.compile(
    r"(?:yes|yeah|yep|no|nope|sure|of course|certainly|ja|nein|oui|non|sí|si|是的?|不是?|对)(?: \w+)?\W*",
    re.IGNORECASE,
)
ANY_MORE = re.compile(
    r"(?:is there |was there )?anything (?:else|more)\b|(?:how|what)(?: else)? (?:can|may) I (?:help|do)\b",
    re.IGNORECASE,
)
"""The assistant's way to end a turn: it asks for nothing in particular."""
LISTED = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
PROMISED = re.compile(
    r"^(?:ok(?:ay)?,? |sure,? |done[:,.]? ?)?(?:I|we)(?:'ll| will|'ve| have|'m going to| am going to) "
    r"(?!be happy|be glad|been happy|look into|note |remember |keep (?:that|this|it) in mind)",
    re.IGNORECASE,
)
ASKED = re.compile(r'asked: "(?P<question>[^"]*)"')
LEAST_SHARED_WORDS, LEAST_SHARED_PART = 2, 0.6
"""So much of a question comes again in the answer that is given later."""


def wanted_in(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """Questions and requests of people, each with the answer it got; without one it is open."""
    for place, turn in enumerate(turns):
        asked = [sentence for sentence in said_in(turn) if _is_wish(sentence)] if turn.role == "user" else []
        answer = answer_to(asked[-1], turns[place + 1 :]) if asked else ""
        for number, sentence in enumerate(asked):
            words = f"{speaker_name(turn.speaker)} asked: {quoted(sentence, turn)}"
            if answer and number == len(asked) - 1:
                words = f"{words}, answer: {answer}"
            yield Note("wanted" if answer else "open", words)
    yield from _asked_last(turns)


def _asked_last(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """The question with which the assistant leaves the word to the people."""
    last = turns[-1] if turns else None
    if last is not None and last.role == "assistant" and _is_offer(said := said_in(last)):
        yield Note("open", f"{ASSISTANT} asked: {quoted(said[-1], last)}")


def answered(turns: Sequence[OfferedTurn], before: Sequence[Note]) -> list[Note]:
    """The notes before, an open question as a wish with its answer where these turns hold that.

    The turns may begin with the answer to the last one; an earlier one is known by its words. What people
    say to a question of the assistant is read for itself, so that it is open no more.
    """
    open_ones = [note for note in before if note.section == "open"]
    kept: list[Note] = []
    for note in before:
        is_last = bool(open_ones) and note is open_ones[-1]
        if note.section != "open" or not turns:
            kept.append(note)
        elif note.text.startswith(f"{ASSISTANT} asked:"):
            kept += [] if is_last else [note]
        else:
            question = _question_of(note)
            answer = (
                answer_to(question, turns)
                if is_last
                else _late_answer(question, turns, least_words=LEAST_SHARED_WORDS)
            )
            kept.append(Note("wanted", f"{note.text}, answer: {answer}") if answer else note)
    return kept


def _question_of(note: Note) -> str:
    match = ASKED.search(note.text)
    return match.group("question") if match else ""


def answer_to(question: str, later: Sequence[OfferedTurn]) -> str:
    """The answer in quotation marks: what the assistant says next, or later on in words of the question.

    Until people ask something else one word is enough to know it by.
    """
    soon = list(takewhile(lambda turn: not (turn.role == "user" and _holds_question(turn)), later))
    return (
        _direct_answer(later)
        or _late_answer(question, soon, least_words=1)
        or _late_answer(question, later, least_words=LEAST_SHARED_WORDS)
    )


def _direct_answer(later: Sequence[OfferedTurn]) -> str:
    """What the assistant says last before a person speaks again.

    When it asks back, what it says after it was told counts as well.
    """
    found, has_asked_back = "", False
    for turn in later:
        if turn.role == "user" and (found or not has_asked_back or _holds_question(turn)):
            break
        if turn.role == "assistant":
            found = _told_by(turn) or found
            has_asked_back = _holds_question(turn)
    return found


def _told_by(turn: OfferedTurn) -> str:
    """The first sentence of the assistant that tells something; a whole list, and a «yes» with its reason."""
    said = said_in(turn)
    places = [place for place, sentence in enumerate(said) if is_telling(sentence)]
    first = places[0] if places else len(said)
    agreed = [sentence for sentence in said[:first] if YES_OR_NO.fullmatch(sentence)][:1]
    if places and (said[first].endswith(":") or LISTED.match(turn.text)):
        told = [*agreed, _joined(said[first:])]
    else:
        told = [*agreed, *said[first : first + 1]]
    is_put_off = not places and any(DEFERRED.match(_bare(sentence)) for sentence in said)
    return quoted(" ".join(told), turn) if told and not is_put_off else ""


def _joined(items: Sequence[str]) -> str:
    ended = [item if item.endswith((".", ":", ";", "!", "?", "。")) else f"{item};" for item in items]
    return " ".join(ended).rstrip(";")


def _late_answer(question: str, later: Sequence[OfferedTurn], *, least_words: int) -> str:
    """A sentence of the assistant that takes up the words of a question."""
    asked = content_words(question)
    for turn in later:
        for sentence in said_in(turn) if turn.role == "assistant" else []:
            shared = len(asked & content_words(sentence))
            if shared >= max(least_words, LEAST_SHARED_PART * len(asked)) and is_telling(sentence):
                return quoted(sentence, turn)
    return ""


def _holds_question(turn: OfferedTurn) -> bool:
    return any(_asks(sentence) for sentence in said_in(turn))


def is_telling(sentence: str) -> bool:
    """Whether a sentence of the assistant says something, rather than ask, greet or put off."""
    bare = _bare(sentence)
    return bool(bare) and not _asks(sentence) and DEFERRED.match(bare) is None


def _asks(sentence: str) -> bool:
    return durable.is_question(sentence, cues_of(language_of(sentence)))


def _bare(sentence: str) -> str:
    return durable.without_openers(sentence, cues_of(language_of(sentence)))


def _is_wish(sentence: str) -> bool:
    cues = cues_of(language_of(sentence))
    bare = durable.without_openers(sentence, cues)
    return bool(bare) and (
        durable.is_question(sentence, cues)
        or (kinds.is_one_off(bare, cues) and not kinds.is_rule(bare, cues))
    )


def promised_in(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """What the assistant said it does or has done; looking something up at once is no promise."""
    for turn in turns:
        for sentence in said_in(turn) if turn.role == "assistant" else []:
            is_put_off = DEFERRED.match(_bare(sentence)) is not None and not concreteness(sentence)
            if PROMISED.match(sentence) and not sentence.endswith("?") and not is_put_off:
                yield Note("promised", f"{speaker_of(turn)}: {quoted(sentence, turn)}")


def agreed_in(turns: Sequence[OfferedTurn]) -> Iterator[Note]:
    """What people said yes or no to in a word."""
    asked: OfferedTurn | None = None
    for turn in turns:
        said = said_in(turn)
        if asked is not None and turn.role == "user" and said and YES_OR_NO.fullmatch(said[0]):
            question, answer = quoted(said_in(asked)[-1], asked), quoted(said[0], turn)
            yield Note("told", f"Asked {question}, {speaker_of(turn)} said: {answer}")
        asked = turn if turn.role == "assistant" and _is_offer(said) else None


def _is_offer(said: Sequence[str]) -> bool:
    return bool(said) and _asks(said[-1]) and ANY_MORE.match(_bare(said[-1])) is None
