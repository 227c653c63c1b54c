"""A chat completions and embeddings server of the project's own that misbehaves on demand.

`dialects` has the same server in other tongues.

In a test: `with StubProvider(script=[Reply.json({...}), Reply.status(429, retry_after="0")]) as stub:` and
point a model at `stub.base_url`. As a process: `python -m tests.stub_provider --port 9000`.
"""

from tests.stub_provider.replies import Reply, answers_by_task, word_counts
from tests.stub_provider.server import ReceivedRequest, StubProvider

__all__ = ["ReceivedRequest", "Reply", "StubProvider", "answers_by_task", "word_counts"]
