"""`manage.py apply_retention`: remove now what is beyond its days, as a worker does by itself."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.models import Workspace
from memory.stewardship.retention import Retained, apply_retention, retention_overdue
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """The counts go to standard output."""

    help = (
        "Remove messages, runs, uses and events that are beyond the days of their workspace. Workers do it "
        "by themselves; stopped, the next call goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """--workspace and --check."""
        parser.add_argument("--workspace", metavar="NAME", help="one workspace only")
        parser.add_argument("--check", action="store_true", help="remove nothing, say what should be gone")

    def handle(self, *_: Any, **options: Any) -> None:
        """Remove until nothing is left, or look; the exit code is 1 when something failed or is overdue."""
        migrate_if_needed()
        workspace = _workspace(options["workspace"])
        if options["check"]:
            self.check_overdue(workspace)
            return
        while True:
            done = apply_retention(workspace=workspace)
            self.tell(done)
            if done.failed:
                raise CommandError(
                    "; ".join(f"{kind} failed: {error}" for kind, error in done.failed.items())
                )
            if done.is_complete:
                return

    def check_overdue(self, workspace: Workspace | None) -> None:
        """What has outlived its days by more than the passes of a worker explain."""
        overdue = retention_overdue(workspace=workspace)
        if overdue:
            told = ", ".join(f"{kind} in {count} workspaces" for kind, count in overdue.items())
            raise CommandError(f"Should be gone: {told}.")
        self.stdout.write("Nothing is overdue.")

    def tell(self, done: Retained) -> None:
        """Counts by kind."""
        removed = [f"{kind}: {count:,}" for kind, count in done.removed.items() if count]
        self.stdout.write("\n".join(removed) or "Nothing is beyond its days.")


def _workspace(name: str | None) -> Workspace | None:
    if name is None:
        return None
    found = Workspace.objects.filter(name=name).first()
    if found is None:
        raise CommandError(f"There is no workspace {name}.")
    return found
