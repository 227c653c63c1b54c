"""Steps of the cascade under the names that settings, logs and documents call them by."""

from typing import Any, Final

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from memory.models import Step

STEPS: Final = tuple((step.value, step.value) for step in Step)


class StepFilter(admin.SimpleListFilter):
    """Narrows a list to the rows of one step."""

    title = "step"
    parameter_name = "step__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> tuple[tuple[str, str], ...]:
        """All steps."""
        return STEPS

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Rows of the chosen step."""
        chosen = self.value()
        return queryset.filter(step=chosen) if chosen else queryset


class StepNaming:
    """For the tables of runs and of work."""

    @admin.display(description="step", ordering="step")
    def step_name(self, row: Any) -> str:
        """The row's step, as it is written."""
        return str(row.step)
