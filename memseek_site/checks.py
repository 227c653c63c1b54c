"""System checks of the settings: every command and server runs them before it does anything."""

from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage

from memseek_site.environment import Environment


@checks.register
def settings_are_usable(**_: Any) -> list[CheckMessage]:
    """What was wrong with the environment when the settings were read."""
    environment: Environment = settings.ENVIRONMENT
    return [
        checks.Error(problem.message, hint=problem.hint, id=problem.identifier)
        for problem in environment.problems
    ]
