"""Notes of a session: who wanted what, what was decided, promised and found out, and what is still open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.cascade.compaction_contract import OfferedTurn
from memory.llm.offline.digest_claims import claims_of, covers
from memory.llm.offline.digest_questions import agreed_in, answered, is_telling, promised_in, wanted_in
from memory.llm.offline.digest_quoting import quoted, said_in, speaker_of
from memory.llm.offline.digest_results import results_in
from memory.llm.offline.digest_worth import Note, names_day_or_amount
from memory.llm.offline.words import values


def notes_of(turns: Sequence[OfferedTurn], before: Sequence[Note]) -> list[Note]:
    """The notes before with those of some turns; what was changed or answered stands as it is now."""
    kept, claims = claims_of(turns, before)
    kept = answered(turns, kept)
    found = [*kept, *claims, *_agreed(turns, claims), *wanted_in(turns), *promised_in(turns)]
    found += [*_mentioned(turns, found), *results_in(turns)]
    unique = {note.text.casefold(): note for note in found}
    return list(unique.values())


def _agreed(turns: Sequence[OfferedTurn], claims: Sequence[Note]) -> list[Note]:
    """A «yes» that is read together with its question stands among the claims already."""
    return [note for note in agreed_in(turns) if not any(covers(claim.text, note.text) for claim in claims)]


def _mentioned(turns: Sequence[OfferedTurn], found: Sequence[Note]) -> Iterator[Note]:
    """Days and sums that only the assistant named, where no other note holds them."""
    told = values(" ".join(note.text for note in found))
    for turn in turns:
        for sentence in said_in(turn) if turn.role == "assistant" else []:
            is_new = names_day_or_amount(sentence) and not values(sentence) <= told
            if is_new and is_telling(sentence):
                yield Note("told", f"{speaker_of(turn)}: {quoted(sentence, turn)}")
