"""`manage.py designs`: the designs that a workspace may use, and which one it does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.cascade.designs import SHIPPED, UnknownDesignError, available_designs
from memory.cascade.designs.finding import folder_designs
from memory.cascade.designs.installing import use_design
from memory.models import Workspace
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """One line for each design; folders that hold none are told on standard error."""

    help = "List the designs that a workspace may use, or choose one of them."

    def add_arguments(self, parser: CommandParser) -> None:
        """--workspace and --use."""
        parser.add_argument("--workspace", metavar="NAME", help="with those installed there")
        parser.add_argument("--use", metavar="NAME@VERSION", help="read new messages under this one")

    def handle(self, *_: Any, **options: Any) -> None:
        """List, after choosing when asked to."""
        migrate_if_needed()
        workspace = _workspace(options["workspace"])
        if options["use"]:
            if workspace is None:
                raise CommandError("--use needs --workspace.")
            try:
                use_design(workspace, options["use"])
            except UnknownDesignError as error:
                raise CommandError(str(error)) from error
        used = workspace.design if workspace else SHIPPED
        for found in available_designs(workspace):
            design, mark = found.design, "*" if found.design.full_name == used else " "
            self.stdout.write(
                f"{mark} {design.full_name}  {found.origin:9}  {design.digest[:12]}  {design.description}"
            )
        for bad in folder_designs()[1]:
            for problem in bad.error.problems:
                self.stderr.write(f"{bad.folder}: {problem}")


def _workspace(name: str | None) -> Workspace | None:
    if name is None:
        return None
    found = Workspace.objects.filter(name=name).first()
    if found is None:
        raise CommandError(f"There is no workspace {name}; create_workspace makes one.")
    return found
