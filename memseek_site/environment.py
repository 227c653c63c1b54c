"""Reading the environment through typed helpers that remember what they read and what was wrong.

A bad value never stops the import of the settings: the default stands in, and the problem waits for the
system checks (`memseek_site.checks`), which every command and server runs before it does anything.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from environs import Env, EnvError

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)
Text = str


@dataclass(frozen=True)
class SettingRead:
    """One environment variable that the settings look at, for the documentation and `doctor`."""

    name: str
    default: str
    about: str
    is_set: bool


@dataclass(frozen=True)
class SettingProblem:
    """One bad value: what is wrong and how to mend it. Never holds the value itself, it may be a secret."""

    name: str
    message: str
    hint: str
    identifier: str = "memseek.E001"


class Environment:
    """The environment's variables, each read once with its default and one line about it."""

    def __init__(self) -> None:
        self._variables = Env()
        self.read: list[SettingRead] = []
        self.problems: list[SettingProblem] = []

    def add_file(self, path: Path) -> None:
        """Add the variables of a file that the process does not have; a missing file adds nothing."""
        self._variables.read_env(str(path), recurse=False)

    def text(self, name: str, default: Text = "", *, about: str) -> Text:
        return self._value(name, default, about, self._variables.str, "a text")

    def flag(self, name: str, *, default: bool, about: str) -> bool:
        return self._value(name, default, about, self._variables.bool, "true or false")

    def count(self, name: str, default: int, *, about: str, least: int = 0, most: int | None = None) -> int:
        """A whole number of at least `least`, and of at most `most` where there is such a limit."""
        value = self._value(name, default, about, self._variables.int, "a whole number")
        return self._within(name, value, default, least, most)

    def seconds(self, name: str, default: float, *, about: str, least: float = 0.0) -> float:
        """A time in seconds of at least `least`."""
        value = self._value(name, default, about, self._variables.float, "a number of seconds")
        return self._within(name, value, default, least)

    def choice(self, name: str, default: Text, choices: tuple[Text, ...], *, about: str) -> Text:
        value = self.text(name, default, about=about)
        if value in choices:
            return value
        self.reject(name, f"{name} is none of the known values.", f"Use one of: {', '.join(choices)}.")
        return default

    def names(self, name: str, *, about: str) -> tuple[Text, ...]:
        """Names separated by commas."""
        listed = self.text(name, about=about).split(",")
        return tuple(item.strip() for item in listed if item.strip())

    def folder(self, name: str, default: Path, *, about: str, shown_default: str) -> Path:
        value = self._value(name, str(default), about, self._variables.str, "a path", shown=shown_default)
        return Path(value).expanduser().absolute()

    def json_value(self, name: str, *, about: str, shape: str) -> Any:
        """A JSON value, None when the variable is unset or no JSON; `shape` says what belongs there."""
        return self._value(name, None, about, self._variables.json, shape)

    def secret(self, name: str) -> Text:
        """A variable whose name another setting gives (a provider's key); it is not listed."""
        return self._variables.str(name, "") if name else ""

    def is_set(self, name: str) -> bool:
        """Whether a variable is there and not empty."""
        return bool(self._variables.str(name, ""))

    def reject(self, name: str, message: str, hint: str, identifier: str = "memseek.E001") -> None:
        """Note a problem for the system checks."""
        self.problems.append(SettingProblem(name, message, hint, identifier))

    def _value(
        self,
        name: str,
        default: Value,
        about: str,
        reader: Callable[..., Any],
        wanted: str,
        shown: str | None = None,
    ) -> Value:
        is_set = self.is_set(name)
        self.read.append(SettingRead(name, _shown(default) if shown is None else shown, about, is_set))
        if not is_set:
            return default
        try:
            value: Value = reader(name)
        except EnvError:
            self.reject(name, f"{name} cannot be read as {wanted}.", f"Give it {wanted}, or unset it.")
            return default
        return value

    def _within(
        self, name: str, value: Number, default: Number, least: float, most: int | None = None
    ) -> Number:
        is_small_enough = value < float("inf") if most is None else value <= most
        if least <= value and is_small_enough:
            return value
        wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
        self.reject(name, f"{name} is out of range.", f"Give it a number {wanted}.")
        return default


def _shown(default: object) -> str:
    if default is None or default == "":
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)
