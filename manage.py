#!/usr/bin/env python
"""Memseek's commands. Those that use the database start the embedded servers when none are configured."""

import os
import sys

# The doctor starts them itself, to tell when they do not come up; mcp does unless it passes on to a server.
COMMANDS_WITHOUT_SERVERS = {
    "help",
    "version",
    "--help",
    "-h",
    "--version",
    "check",
    "collectstatic",
    "doctor",
    "mcp",
}


def main() -> None:
    """Run one command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")
    from django.core.management import execute_from_command_line

    if _needs_servers(sys.argv):
        from memseek_site.servers import ensure_servers

        ensure_servers()
    execute_from_command_line(sys.argv)


def _needs_servers(arguments: list[str]) -> bool:
    """Wrong settings start nothing: the command's own checks will tell about them."""
    if len(arguments) < 2 or arguments[1] in COMMANDS_WITHOUT_SERVERS or "--help" in arguments:
        return False
    from django.conf import settings

    return not settings.ENVIRONMENT.problems


if __name__ == "__main__":
    main()
