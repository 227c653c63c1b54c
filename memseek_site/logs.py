"""Logging: one line an event, with ids and numbers, never with what somebody said.

Messages are told apart by who wrote them. Ours are written to hold no words, so only errors among their
arguments are replaced by their kind. Those of libraries may quote anything: of their arguments only numbers
are told, from the server and the task queue also single words without a slash, and of a text that has no
arguments, so that what it says may stand in it already, only what comes before a first value could.
"""

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import partial
from typing import Any
from uuid import UUID

from memseek_site.log_fields import FIELDS, current_fields

OWN = frozenset({"memory", "memseek_site", "showcase"})
# An id, a host, a task, a state: nothing that is a path, an address or a sentence.
WORD = re.compile(r"[\w.:@\[\]{}<>=,+-]{1,100}", re.ASCII)
LEFT_OUT = "…"
# Their words are names of tasks, ids, states and hosts.
WORDS_TOLD = frozenset({"celery", "kombu", "uvicorn"})
# Where a value may begin in a text that was put together before it was logged.
VALUE = re.compile(r"""[\n"'`:=/@<({\[\d]|\\""")
LONGEST_FOREIGN_LINE = 200
LONGEST_FIELD = 200
SCALARS = (int, float, bool, type(None), UUID, datetime, date, timedelta)

logger = logging.getLogger(__name__)


class SafeFormatter(logging.Formatter):
    """What both shapes share. A failure is told by its type and place: a database error quotes rows."""

    def told(self, record: logging.LogRecord) -> dict[str, Any]:
        """Time, level, logger, message, the fields that may be told, and of an error its kind and place."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
        }
        for name, value in (*current_fields().items(), *vars(record).items()):
            if name in FIELDS and value not in ("", None):
                line[name] = _field(value)
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["trace"] = list(_places(record))
        return line


class JsonFormatter(SafeFormatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(self.told(record), ensure_ascii=False)


class TextFormatter(SafeFormatter):
    """A line for people: the same, with the places of an error on lines of their own."""

    def format(self, record: logging.LogRecord) -> str:
        line = self.told(record)
        fields = "".join(f" {name}={line[name]}" for name in line if name in FIELDS)
        error = f" ({line['error']})" if "error" in line else ""
        head = f"{line['time']} {line['level']:<7} {line['logger']}: {line['message']}{error}{fields}"
        return "\n    at ".join([head, *line.get("trace", [])])


def _message(record: logging.LogRecord) -> str:
    origin = record.name.partition(".")[0]
    is_own = origin in OWN
    template = record.msg if isinstance(record.msg, str) else type(record.msg).__name__
    if not record.args:
        return template if is_own else _before_values(template)
    argument = _own_argument if is_own else partial(_foreign_argument, is_word_told=origin in WORDS_TOLD)
    message = _filled(template, record.args, argument)
    return message if is_own else message.partition("\n")[0][:LONGEST_FOREIGN_LINE]


def _before_values(text: str) -> str:
    value = VALUE.search(text, 0, LONGEST_FOREIGN_LINE)
    if value is None:
        return text[:LONGEST_FOREIGN_LINE]
    said = text[: value.start()].rstrip()
    return said if value.group() == "\n" else f"{said} {LEFT_OUT}".lstrip()


def _filled(template: str, arguments: Any, argument: Callable[[object], object]) -> str:
    if isinstance(arguments, Mapping):
        safe: Any = {name: argument(value) for name, value in arguments.items()}
    else:
        safe = tuple(map(argument, arguments))
    try:
        return str(template % safe)
    except (TypeError, ValueError, KeyError):
        return template


def _own_argument(value: object) -> object:
    if isinstance(value, BaseException):
        return type(value).__name__
    value = value.value if isinstance(value, Enum) else value
    return value if isinstance(value, (*SCALARS, str)) else str(value)


def _foreign_argument(value: object, *, is_word_told: bool) -> object:
    value = value.value if isinstance(value, Enum) else value
    if isinstance(value, SCALARS):
        return value
    if isinstance(value, str):
        return value if is_word_told and WORD.fullmatch(value) else LEFT_OUT
    return type(value).__name__


def _field(value: object) -> str | int | float | bool:
    if isinstance(value, (int, float, bool)) and not isinstance(value, Enum):
        return value
    return str(value.value if isinstance(value, Enum) else value)[:LONGEST_FIELD]


def _places(record: logging.LogRecord) -> Iterator[str]:
    trace = record.exc_info[2] if record.exc_info else None
    while trace is not None:
        code = trace.tb_frame.f_code
        yield f"{code.co_filename}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next


def tell_of_lost_threads() -> None:
    """A thread that ends with an error is told like any other; Python's own way prints the error's text."""

    def tell(lost: threading.ExceptHookArgs) -> None:
        error = lost.exc_value
        logger.critical("a thread ended", exc_info=error if error is not None else True)

    threading.excepthook = tell


def logging_settings(*, level: str, shape: str) -> dict[str, Any]:
    """Django's LOGGING: everything to standard error, in the shape `text` or `json`."""
    silent: dict[str, Any] = {"handlers": [], "propagate": False}
    passed_on: dict[str, Any] = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "text": {"()": "memseek_site.logs.TextFormatter"},
            "json": {"()": "memseek_site.logs.JsonFormatter"},
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": shape}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {**passed_on, "level": level},
            # Statements with their values, variables of templates, paths with what stands in them.
            "django.db.backends": {"level": "WARNING"},
            "django.template": {"level": "WARNING"},
            "django.request": {"level": "ERROR"},
            # Our own line of a request is in `memseek_site.requests`; theirs quote the whole address.
            "django.server": silent,
            "uvicorn": passed_on,
            "uvicorn.error": passed_on,
            "uvicorn.access": silent,
            # The SDK tells of every request twice.
            "mcp": {"level": "WARNING"},
            # The HTTP clients log addresses, which may hold a key.
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
        },
    }
