"""A clock of a process's own: how far it is from the right time stands in a file, and may change at will."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

real_time = time.time


def wear(file: Path) -> None:
    """Have everything in this process that asks Python for the time of day read that clock from now on."""

    def away() -> float:
        return float(file.read_text() or 0)

    class Kind(type(datetime)):  # type: ignore[misc]
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, datetime)

    class Shifted(datetime, metaclass=Kind):
        """Makes ordinary datetimes."""

        def __new__(cls, *parts: Any, **named: Any) -> Any:
            return datetime(*parts, **named)  # noqa: DTZ001  # whatever is asked for

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + timedelta(seconds=away())

        @classmethod
        def today(cls) -> Any:
            return cls.now()

    def shifted_time() -> float:
        return real_time() + away()

    time.time = shifted_time
    for module, name, value in _names():
        if value is datetime:
            setattr(module, name, Shifted)
        elif value is real_time:
            setattr(module, name, shifted_time)


def _names() -> Iterator[tuple[Any, str, Any]]:
    """Whatever modules call the time by, but for the database's driver, which makes real ones."""
    for place, module in list(sys.modules.items()):
        if place.split(".")[0] in ("celery", "kombu", "django", "memory", "memseek_site"):
            for name, value in list(vars(module).items()):
                if value is datetime or value is real_time:
                    yield module, name, value
