"""Is what has to go gone, is there a backup, and who may read the metrics?"""

from collections.abc import Iterator

from django.conf import settings
from django.db import connection

from memory.stewardship.retention import GRACE_DAYS, retention_overdue
from memseek_site.doctor.findings import Finding, broken, fine, note

ARCHIVER_QUERY = """
    SELECT current_setting('archive_mode'), last_archived_time, failed_count > 0 AND last_failed_time >
        coalesce(last_archived_time, '-infinity') FROM pg_stat_archiver
"""


def examine() -> Iterator[Finding]:
    """Rows beyond their days, backups, and an open address of metrics."""
    yield from _overdue()
    yield _backups()
    yield from _metrics()


def _overdue() -> Iterator[Finding]:
    """What a workspace's rules of retention should have removed and is still there."""
    found = ", ".join(f"{kind} in {count} workspaces" for kind, count in retention_overdue().items())
    if found:
        mend = "Does a worker live that takes the queue `maintenance`? Its log tells why retention failed."
        yield broken("retention", f"beyond their days for {GRACE_DAYS} days and more: {found}", mend)


def _backups() -> Finding:
    if settings.IS_DATABASE_EMBEDDED:
        mend = "docs/deployment.md says how to dump and restore it."
        return note("backups", "the embedded database is on this disk alone, nobody copies it", mend)
    with connection.cursor() as cursor:
        cursor.execute(ARCHIVER_QUERY)
        mode, archived_at, is_failing = cursor.fetchone()
    if is_failing:
        return broken("backups", "the server's archiving of its log fails", "Look into PostgreSQL's log.")
    if archived_at is not None:
        return fine("backups", f"the server's log was last archived at {archived_at:%Y-%m-%d %H:%M} UTC")
    mend = "Are there dumps? docs/deployment.md says what to keep, and for how long after an erasure."
    return note("backups", f"the server archives no log of its own (archive_mode is {mode})", mend)


def _metrics() -> Iterator[Finding]:
    metrics = settings.MEMSEEK.metrics
    if metrics.is_on and not metrics.token:
        mend = "Set MEMSEEK_METRICS_TOKEN, or keep the proxy from passing /metrics on."
        yield note("metrics", "/metrics answers whoever reaches it", mend)
    elif metrics.is_on:
        yield fine("metrics", "/metrics answers whoever bears the token")
