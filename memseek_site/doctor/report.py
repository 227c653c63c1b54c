"""The whole examination, in the order in which things depend on each other."""

from collections.abc import Callable, Iterator

from django.conf import settings
from django.db import DatabaseError

from memseek_site.doctor import configuration, index, processes, servers, upkeep, work
from memseek_site.doctor.findings import Finding, Level, broken
from memseek_site.embedded.errors import EmbeddedError
from memseek_site.servers import use_servers

Examination = Callable[[], Iterator[Finding]]


def examine() -> list[Finding]:
    """All findings. What needs the database is left out when it does not answer or is not migrated."""
    findings = list(configuration.examine())
    if settings.ENVIRONMENT.problems:
        return findings
    try:
        use_servers()
    except EmbeddedError as problem:
        mend = f"Look into {settings.DATA_DIR / 'logs'}."
        return [*findings, broken("embedded servers", str(problem), mend)]
    findings += servers.examine_broker()
    for examination in (servers.examine_database, servers.examine_migrations, _examine_rows):
        found = list(examination())
        findings += found
        if has_broken(found):
            break
    return findings


def _examine_rows() -> Iterator[Finding]:
    try:
        yield from processes.examine()
        yield from work.examine()
        yield from index.examine()
        yield from upkeep.examine()
    except DatabaseError as problem:
        mend = "Does the schema belong to this version? Run: python manage.py migrate"
        yield broken("rows", f"they cannot be read ({type(problem).__name__})", mend)


def has_broken(findings: list[Finding]) -> bool:
    """Whether something has to be mended."""
    return any(finding.level is Level.BROKEN for finding in findings)
