"""`manage.py demo`: from nothing to four layers, then the site."""

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.walkthrough.demonstrating import run_demo_tour
from memory.walkthrough.shell import asked_at_terminal
from memory.walkthrough.tour import Ask
from memseek_site.commands import MemseekCommand
from memseek_site.demonstration import Aside, ensure_operator, ensure_workspace
from memseek_site.doctor.processes import living
from memseek_site.serving import (
    add_address_arguments,
    choose_port,
    finish,
    log_level,
    migrate_if_needed,
    serve,
)
from memseek_site.supervisor import Supervisor, Write, worker_child, writer


class Command(MemseekCommand):
    """Safe to run again: what is there stays, what is missing is done."""

    help = "Run the scripted tour through the real cascade, print the four layers, then serve the site."

    def add_arguments(self, parser: CommandParser) -> None:
        """--once, --no-input, --host and --port."""
        parser.add_argument("--once", action="store_true", help="stop after the tour, and ask nothing")
        parser.add_argument(
            "--no-input", action="store_true", help="ask nothing; what waits for approval goes on waiting"
        )
        add_address_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Prepare, tour, serve; leave nothing running."""
        write = writer(self.stdout)  # type: ignore[arg-type]
        level = log_level(options)
        supervisor = Supervisor()
        supervisor.listen_to_signals()
        try:
            # Before the tour: it takes a while, and a taken port is told at once.
            host, wanted = options["host"], options["port"]
            port = None if options["once"] else choose_port(host, wanted, is_flexible=True)
            migrate_if_needed()
            asks_nobody = options["once"] or options["no_input"] or not sys.stdin.isatty()
            self.run_tour(supervisor, write, level, ask=None if asks_nobody else asked_at_terminal)
            if port is not None and not supervisor.is_stopping:
                serve(supervisor, write, host=host, port=port, level=level)
        finally:
            finish(supervisor)

    def run_tour(self, supervisor: Supervisor, write: Write, level: str, ask: Ask | None) -> None:
        """The tour, with a worker that lives: another command's, or one of our own."""
        workspace = ensure_workspace()
        login = ensure_operator(workspace)
        if login is not None:
            write(f"Operator's login, shown this once: {login.name} / {login.password}")
        if not living("worker"):
            supervisor.add(worker_child(write, log_level=level))
        tour = Aside(lambda: run_demo_tour(workspace=workspace, output=self.stdout, ask=ask))
        tour.start()
        supervisor.tend_until(lambda: not tour.is_alive())
        if tour.error is not None:
            raise CommandError(f"The tour did not come to its end: {tour.error}") from tour.error
