"""`manage.py verify`: is everything in memory whole? The same checks that the fault tests run."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.ingest.entities import find_entity
from memory.models import Entity, Workspace
from memory.stewardship.verify import Problem, Report, inspect
from memseek_site.commands import MemseekCommand


class Command(MemseekCommand):
    """Looks, changes nothing; exit code 1 when something is not as it should be."""

    help = "Check that nothing is lost, doubled, half-done or without evidence; safe beside a live system."

    def add_arguments(self, parser: CommandParser) -> None:
        """--workspace, --entity, --settled, --json."""
        parser.add_argument("--workspace", metavar="NAME", help="together with --entity")
        parser.add_argument("--entity", metavar="NAME", help="check one entity only")
        parser.add_argument(
            "--settled",
            action="store_true",
            help="the cascade should be at rest: what waits or runs is told too",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Print the problems, or how much was looked at."""
        entity = self.entity(options["workspace"], options["entity"])
        report = inspect(entity, is_settled=options["settled"])
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report), ensure_ascii=False, indent=2))
        else:
            self.print_lines(report)
        if report.problems:
            sys.exit(1)

    def entity(self, workspace: str | None, name: str | None) -> Entity | None:
        """The entity to check; None for all of them."""
        if bool(workspace) != bool(name):
            raise CommandError("--workspace and --entity are given together.")
        if not workspace or not name:
            return None
        found = Workspace.objects.filter(name=workspace).first()
        entity = find_entity(workspace=found, name=name) if found else None
        if entity is None:
            raise CommandError(f"There is no entity {name} in a workspace {workspace}.")
        return entity

    def print_lines(self, report: Report) -> None:
        """A table of what is wrong, or the counts of what is not."""
        if not report.problems:
            counts = ", ".join(f"{count:,} {name}" for name, count in report.rows.items() if count)
            self.stdout.write(f"No problem found: {report.rules} rules over {counts or 'nothing'}.")
            return
        for line in table(report.problems):
            self.stdout.write(line)
        for kind in report.cut:
            self.stdout.write(f"{kind}: there may be more than are named here.")
        self.stdout.write(f"{len(report.problems)} problems.")


HEADINGS = ("problem", "entity", "row", "what is wrong")


def table(problems: tuple[Problem, ...]) -> list[str]:
    """Lines of equal columns, under their headings."""
    rows = [HEADINGS, *((problem.kind, problem.entity, problem.row, problem.text) for problem in problems)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS) - 1)]
    return [
        "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]))
        for row in rows
    ]
