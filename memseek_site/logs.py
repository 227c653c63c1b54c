"""Logging: one line an event, with ids and numbers, never with what somebody said."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

TEXT_FORMAT = "{asctime} {levelname:<7} {name}: {message}"
# What a record always has; everything else on it was given as `extra`.
ORDINARY_FIELDS = frozenset(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"message", "asctime"}
PLAIN_TYPES = (str, int, float, bool, type(None))


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, and the plain values given as `extra`.

    A failure is told by its type and place. Its own text is left out: a database error quotes rows.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, value in vars(record).items():
            if name not in ORDINARY_FIELDS:
                line[name] = value if isinstance(value, PLAIN_TYPES) else str(value)
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["trace"] = _places(record)
        return json.dumps(line, ensure_ascii=False)


def _places(record: logging.LogRecord) -> list[str]:
    trace = record.exc_info[2] if record.exc_info else None
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places


def logging_settings(*, level: str, shape: str) -> dict[str, Any]:
    """Django's LOGGING: everything to standard error, in the shape `text` or `json`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {"format": TEXT_FORMAT, "style": "{"},
            "json": {"()": "memseek_site.logs.JsonFormatter"},
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": shape}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            # The HTTP clients log addresses, which may hold a key.
            "httpx": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
        },
    }
