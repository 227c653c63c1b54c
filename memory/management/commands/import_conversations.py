"""`manage.py import_conversations FILE`: conversations of other programs as words of this memory."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from memory.ingest.entities import find_entity
from memory.ingest.import_report import ImportReport, described
from memory.ingest.importers.formats import READERS
from memory.ingest.importers.records import UnreadableFileError
from memory.ingest.importing import AUTOMATIC, ImportProgress, import_file
from memory.ingest.problems import IngestError
from memory.models import Workspace
from memory.walkthrough.waiting import wait_until_settled
from memseek_site.commands import MemseekCommand
from memseek_site.serving import migrate_if_needed
from memseek_site.workers import ensure_worker

BAD_ROWS_SHOWN = 20
DEFAULT_TIMEOUT_SECONDS = 600.0

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Command(MemseekCommand):
    """The report goes to standard output, progress to standard error."""

    help = (
        "Import conversations: exports of ChatGPT, Claude and Slack, message lists of OpenAI, Anthropic and "
        "LangChain, memories of mem0, plain transcripts, own records, LoCoMo. Doing it again adds nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE, where to, and how."""
        parser.add_argument("file", type=Path, help="a file, the zip of an export, or its folder")
        parser.add_argument("--workspace", required=True, metavar="NAME", help="an existing workspace")
        parser.add_argument("--format", default=AUTOMATIC, choices=[AUTOMATIC, *READERS])
        parser.add_argument(
            "--entity",
            default="",
            metavar="NAME",
            help="whose memory; for LoCoMo it goes before each sample's id",
        )
        parser.add_argument("--only", default="", metavar="ID", help="one LoCoMo sample or one mem0 user")
        parser.add_argument(
            "--speaker", default="", metavar="NAME", help="the person whom the file calls just the user"
        )
        parser.add_argument(
            "--time-zone",
            default="",
            metavar="ZONE",
            help="of an entity made by this import; times without a zone are read in the entity's (UTC)",
        )
        parser.add_argument("--dry-run", action="store_true", help="read and check, store nothing")
        parser.add_argument("--wait", action="store_true", help="until the cascade has worked through it")
        parser.add_argument("--timeout", type=float, default=DEFAULT_TIMEOUT_SECONDS, metavar="S")

    def handle(self, *_: Any, **options: Any) -> None:
        """Import, report, wait when asked to; the exit code is 1 when rows could not be read."""
        migrate_if_needed()
        workspace = Workspace.objects.filter(name=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}; create_workspace makes one.")
        report = self.import_with_bar(workspace, options)
        self.write_report(report)
        if options["wait"] and not options["dry_run"]:
            self.wait(workspace, report, options["timeout"])
        if report.bad_count:
            others = "would be" if report.is_dry_run else "are"
            raise CommandError(f"{report.bad_count} rows could not be taken; all others {others} in.")

    def import_with_bar(self, workspace: Workspace, options: dict[str, Any]) -> ImportReport:
        """Import under a bar that is drawn on a terminal only."""
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
            task = bar.add_task("Importing", total=1.0)

            def show(done: ImportProgress) -> None:
                bar.update(task, completed=done.fraction, description=f"{done.messages:,} read")

            try:
                return import_file(
                    workspace=workspace,
                    path=options["file"],
                    format=options["format"],
                    entity=options["entity"],
                    only=options["only"],
                    speaker=options["speaker"],
                    time_zone=options["time_zone"],
                    is_dry_run=options["dry_run"],
                    progress=show,
                )
            except (OSError, UnreadableFileError, IngestError) as error:
                raise CommandError(str(error)) from error

    def write_report(self, report: ImportReport) -> None:
        """What was found, what is new, what was left out, and the first bad rows."""
        for line in described(report):
            self.stdout.write(without_controls(line))
        for row in report.bad_rows[:BAD_ROWS_SHOWN]:
            self.stderr.write(without_controls(f"{row.place}: {row.problem}"))
        if report.bad_count > BAD_ROWS_SHOWN:
            self.stderr.write(f"… and {report.bad_count - BAD_ROWS_SHOWN} more")

    def wait(self, workspace: Workspace, report: ImportReport, timeout: float) -> None:
        """Until nothing of the imported entities waits; a worker is started when none lives."""
        if settings.MEMSEEK.is_llm_fake:
            self.stdout.write("LLM_FAKE is set: messages are stored, no layer above them is made.")
            return
        with ensure_worker(self.notice) if report.entities else nullcontext():
            for name in report.entities:
                self.wait_for(workspace, name, timeout)

    def wait_for(self, workspace: Workspace, name: str, timeout: float) -> None:
        """One entity; a wait that does not come to its end is an error with its reasons."""
        entity = find_entity(workspace=workspace, name=name)
        if entity is None:
            return
        settled = wait_until_settled(entity, timeout_seconds=timeout, notice=self.notice)
        if not settled.is_settled:
            raise CommandError(
                f"{name} is not done after {settled.seconds:.0f} s: {'; '.join(settled.reasons)}"
            )
        self.stdout.write(f"{name}: settled after {settled.seconds:.1f} s")

    def notice(self, text: str) -> None:
        """A word to whoever watches."""
        print(text, file=sys.stderr)


def without_controls(line: str) -> str:
    """A line with names out of a file, which must not steer the terminal that it is shown on."""
    return _CONTROL.sub(lambda sign: f"[U+{ord(sign.group()):04X}]", line)
