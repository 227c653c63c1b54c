"""Pages over tables of any size: counting stops at a cap."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator

COUNT_CAP = 10_000

if TYPE_CHECKING:
    BasePaginator = Paginator[Any]
else:
    BasePaginator = Paginator


class CappedPaginator(BasePaginator):
    """Counts at most `COUNT_CAP` rows, so that a page costs the same whatever the table holds.

    What lies beyond is reached by narrowing the list, and the page says so.
    """

    @cached_property
    def count(self) -> int:
        """Rows up to the cap."""
        return min(self._counted, COUNT_CAP)

    @cached_property
    def is_capped(self) -> bool:
        """Whether there are more rows than were counted."""
        return self._counted > COUNT_CAP

    @cached_property
    def _counted(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: COUNT_CAP + 1].count())
