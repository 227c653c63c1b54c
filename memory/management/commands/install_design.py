"""`manage.py install_design FOLDER --workspace W`: a design for one workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.cascade.designs import BadDesignError
from memory.cascade.designs.installing import DesignTakenError, install_design, use_design
from memory.models import Workspace
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed


class Command(MemseekCommand):
    """A folder that is no design is refused with every file, key and reason; then nothing is stored."""

    help = "Check a folder's design and install it into a workspace, whose choice stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        """FOLDER, --workspace and --use."""
        parser.add_argument("folder", type=Path, help="a folder with design.toml")
        parser.add_argument("--workspace", required=True, metavar="NAME")
        parser.add_argument("--use", action="store_true", help="read new messages under it from now on")

    def handle(self, *_: Any, **options: Any) -> None:
        """Install, and choose it when asked to."""
        migrate_if_needed()
        workspace = Workspace.objects.filter(name=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}; create_workspace makes one.")
        try:
            installed = install_design(workspace, options["folder"])
        except BadDesignError as error:
            problems = "".join(f"\n  {problem}" for problem in error.problems)
            raise CommandError(f"{options['folder']} is no design:{problems}") from error
        except DesignTakenError as error:
            raise CommandError(str(error)) from error
        design = installed.design
        word = "installed" if installed.is_new else "was there already"
        self.stdout.write(f"{design.full_name} ({design.digest[:12]}) {word} in {workspace.name}.")
        if options["use"]:
            use_design(workspace, design.full_name)
            self.stdout.write(
                f"{workspace.name} uses it for new messages; rebuild brings it to what is there."
            )
