"""A worker outlives a broker that ends while tasks are under way.

kombu gives such tasks back before it connects anew, over a connection that it has closed by then, and the
worker ends of it. Nothing is lost where that fails: the rows say what is due, and the sweep finds it.
"""

import logging
from typing import Any

logger = logging.getLogger(__name__)


def let_restoring_fail() -> None:
    """Have a task that cannot be given back forgotten instead; for a worker, before it connects."""
    from kombu.transport.redis import QoS

    restore = QoS.restore_unacked

    def restore_if_possible(self: Any, client: Any = None) -> None:
        try:
            restore(self, client)
        except Exception as error:  # whatever a lost connection leads to in there
            logger.warning("%s tasks were not given back: %s", len(self._delivered), type(error).__name__)
            self._delivered.clear()

    QoS.restore_unacked = restore_if_possible  # type: ignore[method-assign]
