"""A worker outlives a broker that ends while tasks are under way.

kombu gives such tasks back before it connects anew, over a connection that it has closed by then, and a task
that ends later is acknowledged over the same one: the worker ends of both. Nothing is lost where that fails:
the rows say what is due, the sweep finds it, and a task that comes twice finds nothing to do.
"""

import logging
from typing import Any

logger = logging.getLogger(__name__)


def outlive_broker() -> None:
    """Have tasks forgotten that cannot be given back or acknowledged; for a worker, before it connects."""
    from kombu.transport.redis import QoS

    restore, acknowledge, reject = QoS.restore_unacked, QoS.ack, QoS.reject

    def restore_if_possible(self: Any, client: Any = None) -> None:
        try:
            restore(self, client)
        except Exception as error:  # whatever a lost connection leads to in there
            logger.warning("%s tasks were not given back: %s", len(self._delivered), type(error).__name__)
            self._delivered.clear()

    def acknowledge_if_possible(self: Any, delivery_tag: Any) -> None:
        if not _is_lost(self):
            acknowledge(self, delivery_tag)

    def reject_if_possible(self: Any, delivery_tag: Any, requeue: bool = False) -> None:
        if not _is_lost(self):
            reject(self, delivery_tag, requeue=requeue)

    QoS.restore_unacked = restore_if_possible  # type: ignore[method-assign]
    QoS.ack = acknowledge_if_possible  # type: ignore[method-assign]
    QoS.reject = reject_if_possible  # type: ignore[method-assign]


def _is_lost(quality: Any) -> bool:
    """Whether the channel of a task was closed since the task came."""
    if quality.channel.connection is not None:
        return False
    logger.warning("a task of a lost connection was not acknowledged")
    return True
