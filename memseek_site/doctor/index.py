"""Is everything found: by words, and by meaning in the space of the embedder in use?"""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Min, Q
from django.utils import timezone

from memory.indexing.reembedding import missing_vectors
from memory.llm.embedders.protocol import EmbeddingError
from memory.llm.embedders.registry import configured_embedder
from memory.models import Unindexed
from memseek_site.doctor.findings import Finding, broken, fine, note
from memseek_site.doctor.processes import living

# Far longer than a worker leaves a row in line.
IDLE_AFTER = timedelta(minutes=2)


def examine() -> Iterator[Finding]:
    """Rows that wait for the index, and the embedder with what lacks a vector of it."""
    yield _queue()
    yield _embedder()


def _queue() -> Finding:
    # What is rebuilt in a shadow waits there until it is applied.
    seen = Unindexed.objects.filter(entity__shadow_of__isnull=True).aggregate(
        unread=Count("id", filter=Q(has_terms=False)),
        unembedded=Count("id", filter=Q(has_terms=True)),
        oldest=Min("queued_at", filter=Q(has_terms=False)),
    )
    if not seen["unread"] and not seen["unembedded"]:
        return fine("index", "nothing waits for the index")
    waits = f"{seen['unread']} rows wait for the index, {seen['unembedded']} for a vector"
    age = timezone.now() - seen["oldest"] if seen["oldest"] else timedelta()
    text = f"{waits}; the oldest unread one for {int(age.total_seconds())} s" if seen["oldest"] else waits
    if age > IDLE_AFTER and living("worker"):
        return broken("index", text, "Restart the worker and look into its log for the task that indexes.")
    return note("index", text)


def _embedder() -> Finding:
    embedder = configured_embedder()
    if embedder is None:
        return note("embedder", "none: memory is searched by words alone", _mend())
    try:
        space = embedder.space
    except EmbeddingError as error:
        return broken(
            "embedder", f"it does not answer ({error.kind})", "Correct MEMSEEK_EMBEDDING_ settings."
        )
    missing = missing_vectors(space)
    if missing:
        mend = "A worker fills in what is new; after a change of the model run: python manage.py reembed"
        return note("embedder", f"{space}; {missing} units have no vector in it", mend)
    return fine("embedder", f"{space}; no unit lacks its vector")


def _mend() -> str:
    return "Install the extra `embeddings`, or set MEMSEEK_EMBEDDING_MODEL, to search by meaning too."
