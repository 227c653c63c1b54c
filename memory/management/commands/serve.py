"""`manage.py serve`: web server and worker under one supervisor, on embedded servers when none are set."""

from typing import Any

from django.core.management.base import CommandParser

from memseek_site.commands import MemseekCommand
from memseek_site.serving import (
    add_address_arguments,
    choose_port,
    finish,
    log_level,
    migrate_if_needed,
    serve,
)
from memseek_site.supervisor import Supervisor, writer


class Command(MemseekCommand):
    """Runs until Ctrl-C or SIGTERM; a crashed process is started again."""

    help = "Serve the site with its worker; starts the embedded servers when no others are configured."

    def add_arguments(self, parser: CommandParser) -> None:
        """--host and --port."""
        add_address_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Serve until told to stop, and leave nothing running."""
        write = writer(self.stdout)  # type: ignore[arg-type]
        port = choose_port(options["host"], options["port"], is_flexible=False)
        supervisor = Supervisor()
        supervisor.listen_to_signals()
        try:
            migrate_if_needed()
            serve(supervisor, write, host=options["host"], port=port, level=log_level(options))
        finally:
            finish(supervisor)
