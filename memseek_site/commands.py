"""What the project's own commands have in common."""

from django.core.management.base import BaseCommand

from memseek_site.checks import SETTINGS


class MemseekCommand(BaseCommand):
    """Is refused by wrong settings, and loads no page of the admin and the showcase to find other faults.

    All checks are run by `manage.py check` and `manage.py migrate`.
    """

    requires_system_checks = [SETTINGS]
