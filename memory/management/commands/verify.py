"""`manage.py verify`: is everything in memory whole? The same checks that the tests of killed workers run."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.ingest.entities import find_entity
from memory.models import Entity, Workspace
from memory.stewardship.verify import Problem, verify


class Command(BaseCommand):
    """Looks, changes nothing; exit code 1 when something is not as it should be."""

    help = "Check that every derived row has evidence and that no dead process left anything half-done."

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
        """Print the problems."""
        entity = self.entity(options["workspace"], options["entity"])
        problems = verify(entity, is_settled=options["settled"])
        if options["json"]:
            shown = {"problems": [asdict(problem) for problem in problems]}
            self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2))
        else:
            self.print_lines(problems)
        if problems:
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

    def print_lines(self, problems: list[Problem]) -> None:
        """A line for each problem, or one that says there is none."""
        for problem in problems:
            self.stdout.write(f"{problem.kind}: {problem.entity}: {problem.row}: {problem.text}")
        self.stdout.write(f"{len(problems)} problems." if problems else "No problem found.")
