"""What the claims of a scene vouch for: words, days, and the names and numbers of its title."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, tzinfo
from uuid import UUID

from memory.cascade.contract import TITLE_LIMIT
from memory.cascade.rules.grounding_titles import ungrounded_in_title
from memory.cascade.scene_edits import NewLine
from memory.models import Atom

WORDS_OF_PLAIN_TITLE = 6


def cited_by(lines: Sequence[NewLine]) -> list[UUID]:
    """The claims under some lines, each once."""
    return list(dict.fromkeys(atom_id for line in lines for atom_id in line.atoms))


def evidence_of(atom: Atom, atoms: Mapping[UUID, Atom]) -> str:
    """What a claim can vouch for: its words and subject, and what stood before it; not its topic."""
    before = [row.text for row in atoms.values() if row.chain_id == atom.chain_id]
    return " ".join((atom.text, atom.subject, *before))


def dates_of(atoms: Sequence[Atom], zone: tzinfo) -> frozenset[date]:
    """The days on which claims were said or which they are about."""
    moments = [atom.occurred_at.astimezone(zone) for atom in atoms if atom.occurred_at]
    periods = [day for atom in atoms for day in (atom.happened_from, atom.happened_until) if day]
    return frozenset([*(moment.date() for moment in moments), *periods])


def missing_in_title(
    title: str, cited: Sequence[UUID], standing: str, atoms: Mapping[UUID, Atom], zone: tzinfo
) -> tuple[str, ...]:
    """Names, numbers and dates of a title that neither the cited claims nor the standing title hold."""
    if not title:
        return ()
    own = [atoms[atom_id] for atom_id in cited]
    texts = [*(evidence_of(atom, atoms) for atom in own), standing]
    return ungrounded_in_title(title, texts, allowed_dates=dates_of(own, zone))


def opening_words(text: str) -> str:
    """How a text begins, short enough for a title."""
    return " ".join(text.split()[:WORDS_OF_PLAIN_TITLE])[:TITLE_LIMIT].rstrip(",;:.")


def plain_title(
    lines: Sequence[NewLine], taken: Collection[str], atoms: Mapping[UUID, Atom], zone: tzinfo
) -> str:
    """In the place of a title that was left: a topic of the claims, else how the first line begins.

    `taken` are titles of other scenes in lower case.
    """
    cited = cited_by(lines)
    opening = opening_words(lines[0].text)
    topics = [topic[:1].upper() + topic[1:] for atom_id in cited if (topic := atoms[atom_id].topic)]
    grounded = (title for title in topics if not missing_in_title(title, cited, "", atoms, zone))
    return next((title for title in grounded if title.casefold() not in taken), opening)
