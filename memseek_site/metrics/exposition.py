"""Rows and local measurements as one page of text."""

from __future__ import annotations

from prometheus_client.exposition import choose_encoder

from memseek_site.metrics.local import REGISTRY
from memseek_site.metrics.rows import RowsCollector

REGISTRY.register(RowsCollector())


def exposed(accepted: str) -> tuple[bytes, str]:
    """The page and its content type, in the newest format among those accepted."""
    encode, content_type = choose_encoder(accepted)
    return encode(REGISTRY), content_type
