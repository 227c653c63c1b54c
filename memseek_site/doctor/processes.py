"""Do web and worker live, and do they run under one configuration?"""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from memory.models import Process
from memseek_site.doctor.findings import Finding, broken, fine, note

SILENT_BEATS = 4


def silent_after() -> timedelta:
    """A process is taken for dead after so many missed signs of life."""
    return timedelta(seconds=settings.MEMSEEK.heartbeat_seconds * SILENT_BEATS)


def living(kind: str) -> list[Process]:
    """Processes of a kind that gave a sign of life lately."""
    since = timezone.now() - silent_after()
    return list(Process.objects.filter(kind=kind, seen_at__gte=since).order_by("name"))


def examine() -> Iterator[Finding]:
    """Signs of life, and whether their configurations agree."""
    web, workers = living("web"), living("worker")
    for kind, processes in (("web", web), ("worker", workers)):
        if processes:
            yield fine(kind, f"{len(processes)} living: {', '.join(process.name for process in processes)}")
        else:
            seconds = int(silent_after().total_seconds())
            mend = "Start the site: python manage.py serve (in production: make run and make worker)."
            yield note(kind, f"no {kind} seen for {seconds} s", mend)
    yield from _disagreements([*web, *workers])


def _disagreements(processes: list[Process]) -> Iterator[Finding]:
    own = settings.MEMSEEK.configuration_hash()
    hashes = {process.configuration_hash for process in processes}
    if len(hashes) > 1:
        listed = ", ".join(f"{process} {process.configuration_hash[:8]}" for process in processes)
        mend = "Give all of them the same MEMSEEK_ variables and key, and restart them."
        yield broken("agreement", f"configured differently: {listed}", mend)
    elif hashes and hashes != {own}:
        mend = "Run this command with the variables of the servers, or restart them."
        yield note("agreement", "this command is configured differently from web and worker", mend)
    elif processes:
        yield fine("agreement", "web and worker run under one configuration")
