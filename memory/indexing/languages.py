"""Which languages an entity speaks: found from its words, looked at again each time they have doubled."""

from __future__ import annotations

from collections.abc import Sequence

from memory import queries
from memory.indexing.analyser import detect_languages
from memory.indexing.drafts import Draft
from memory.models import Entity, LanguageSample

SAMPLE_TEXTS = 200


def languages_of(entity: Entity, drafts: Sequence[Draft]) -> tuple[str, ...]:
    """The entity's languages, kept up to date with the drafts that are about to be indexed.

    Words that were cut under fewer languages stay findable as written: only their stems are missing.
    """
    sample = LanguageSample.objects.filter(entity=entity).first()
    seen = sample.units_seen if sample else 0
    if sample and len(drafts) < seen:
        return tuple(sample.languages)
    found = detect_languages([draft.own_words for draft in drafts[:SAMPLE_TEXTS]])
    languages = tuple(dict.fromkeys([*(sample.languages if sample else ()), *found]))
    LanguageSample.objects.update_or_create(
        entity=entity,
        defaults={
            "workspace_id": entity.workspace_id,
            "languages": list(languages),
            "units_seen": seen + len(drafts),
        },
    )
    return languages


def known_languages(entity: Entity) -> tuple[str, ...]:
    """The entity's languages as the index step knows them; English while it knows none."""
    [found] = queries.kept_rows(("known_languages", {"workspace": entity.workspace_id, "entity": entity.pk}))
    return tuple(found[0][0]) if found and found[0][0] else ("en",)
