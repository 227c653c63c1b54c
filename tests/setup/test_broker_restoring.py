"""Tasks whose connection was lost while they were under way end no worker."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest
from kombu.transport.redis import Channel, QoS

from memseek_site.broker_restoring import outlive_broker


@pytest.fixture
def lost(monkeypatch: pytest.MonkeyPatch) -> QoS:
    """What counts the tasks of a channel that was closed, as kombu leaves it then."""
    for name in ("restore_unacked", "ack", "reject"):
        monkeypatch.setattr(QoS, name, getattr(QoS, name))
    outlive_broker()
    channel: Any = Channel.__new__(Channel)
    channel.connection = None
    quality: Any = QoS(channel)
    quality._delivered["tag"] = SimpleNamespace()
    # At the end of the process it would be given back, by what stands there then.
    quality._on_collect.cancel()
    return cast(QoS, quality)


def test_a_task_that_ends_after_its_connection_is_not_acknowledged(
    lost: QoS, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        lost.ack("tag")
        lost.reject("tag", requeue=True)
    assert [record.getMessage() for record in caplog.records] == [
        "a task of a lost connection was not acknowledged"
    ] * 2


def test_nor_is_it_given_back(lost: QoS, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        lost.restore_unacked()
    assert [record.getMessage() for record in caplog.records] == [
        "1 tasks were not given back: AttributeError"
    ]
    assert lost._delivered == {}
