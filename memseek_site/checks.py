"""System checks of the settings: every command and server runs them before it does anything.

A process without pages (a worker, a command) runs these alone: Django's own load every address and the admin.
"""

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage

from memseek_site.environment import Environment

SETTINGS = "settings"


@checks.register(SETTINGS)
def settings_are_usable(**_: Any) -> list[CheckMessage]:
    """What was wrong with the environment when the settings were read."""
    environment: Environment = settings.ENVIRONMENT
    return [
        checks.Error(problem.message, hint=problem.hint, id=problem.identifier)
        for problem in environment.problems
    ]
