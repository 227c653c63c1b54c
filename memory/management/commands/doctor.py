"""`manage.py doctor`: what is configured, what works, what waits, what failed, and how to mend it."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memseek_site.databases import connected_without_pool
from memseek_site.doctor.findings import Finding, Level
from memseek_site.doctor.report import examine, has_broken

MARKS = {Level.FINE: "ok    ", Level.NOTE: "note  ", Level.BROKEN: "BROKEN"}


class Command(BaseCommand):
    """Looks, changes nothing; exit code 1 when something is broken."""

    help = "Tell how this installation fares. Shows no secret; exits with 1 when something is broken."
    # It tells about wrong settings itself, so they must not end it before it begins.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """--json."""
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Print the findings."""
        with connected_without_pool():
            findings = examine()
        is_broken = has_broken(findings)
        if options["json"]:
            shown = {"is_broken": is_broken, "findings": [asdict(finding) for finding in findings]}
            self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2))
        else:
            self.print_lines(findings)
        if is_broken:
            sys.exit(1)

    def print_lines(self, findings: list[Finding]) -> None:
        """A line for each finding, and below it how to mend it."""
        for finding in findings:
            self.stdout.write(f"{MARKS[finding.level]}  {finding.topic}: {finding.text}")
            if finding.mend:
                self.stdout.write(f"        -> {finding.mend}")
