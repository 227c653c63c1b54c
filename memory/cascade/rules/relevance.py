"""How near a claim is to a scene: arithmetic over words, to choose what a model sees in full."""

from __future__ import annotations

from collections.abc import Collection, Sequence

SAME_TOPIC = 3.0
IN_TITLE = 1.0
IN_TOPICS = 0.5
IN_SUMMARY = 0.25
NEAR = 1.0
"""From here on a scene counts as the claim's own neighbourhood."""


def relevance(
    *,
    topic: str,
    terms: Collection[str],
    scene_topics: Sequence[str],
    title_terms: Collection[str],
    topic_terms: Collection[str],
    summary_terms: Collection[str],
) -> float:
    """Points for the same topic and for each word that title, topics and summary share with the claim."""
    own = set(terms)
    return (
        (SAME_TOPIC if topic and topic in scene_topics else 0.0)
        + IN_TITLE * len(own.intersection(title_terms))
        + IN_TOPICS * len(own.intersection(topic_terms))
        + IN_SUMMARY * len(own.intersection(summary_terms))
    )
