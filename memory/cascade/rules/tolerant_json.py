"""A JSON reader for what models write: it forgives damage that can be read in one way only.

Forgiven, each with a word on it: a comma before a closing bracket, a missing comma unless it follows a
text (there a quotation mark may have gone astray), keys without quotation marks, Python's True, False
and None, raw control characters and needless backslashes in strings, a key given twice (the last
counts). Everything else is damage. NaN and Infinity are read as `REFUSED`, so that the value which holds
them can be turned down and its neighbours kept.

The reader keeps its own stack: depth costs no recursion, and a text is read from left to right once.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Final

# A real answer is a few levels deep.
DEEPEST = 60


class _Refused:
    """Stands for a number that JSON does not have."""

    def __repr__(self) -> str:
        return "NaN"


REFUSED: Final = _Refused()


class DamagedError(ValueError):
    """The text is no JSON value from its start to `position`."""

    def __init__(self, reason: str, position: int, tokens: int) -> None:
        super().__init__(reason)
        self.position = position
        self.tokens = tokens


class EndedInsideError(DamagedError):
    """The text ended before the value did."""


class TooDeepError(DamagedError):
    """The value has more levels than any answer needs."""


@dataclass(frozen=True, slots=True)
class Read:
    """A value, the place just behind it, and the repairs it took."""

    value: Any
    end: int
    repairs: tuple[str, ...]


_SPACE = re.compile(r"[ \t\r\n\ufeff\u00a0]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.])")
_NUMBER_BEGUN = re.compile(r"-?[0-9.eE+-]*")
_WORD = re.compile(r"-?[A-Za-z_][A-Za-z0-9_-]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CONSTANTS = {"true": True, "false": False, "null": None}
_PYTHON_CONSTANTS = {"True": True, "False": False, "None": None}
_NO_NUMBERS = {"NaN", "Infinity", "-Infinity", "-NaN"}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(slots=True)
class _Container:
    """An object or list that is being read; `key` is what the next value of an object is called."""

    value: dict[str, Any] | list[Any]
    key: str | None = None
    needs_comma: bool = False
    is_behind_text: bool = False


@dataclass(slots=True)
class _Reader:
    text: str
    at: int
    tokens: int = 0
    stack: list[_Container] = field(default_factory=list)
    repairs: dict[str, None] = field(default_factory=dict)

    def read(self) -> Read:
        value = self._value()
        while self.stack:
            value = self._step(self.stack[-1])
        return Read(value, self.at, tuple(self.repairs))

    def _step(self, container: _Container) -> Any:
        """Read the next member of the innermost container, or close it."""
        here = self._peek()
        if here in "]}":
            return self._close(container, here)
        if here == ",":
            if not container.needs_comma:
                raise self._damage("a comma without a value before it")
            self.at += 1
            container.needs_comma = False
            if self._peek() in "]}":
                self._repair("A comma before a closing bracket was left out.")
            return container.value
        if container.needs_comma:
            if container.is_behind_text:
                raise self._damage("no comma after a text")
            self._repair("A missing comma was put in.")
            container.needs_comma = False
        if isinstance(container.value, dict):
            container.key = self._key(container.value)
        return self._value()

    def _close(self, container: _Container, bracket: str) -> Any:
        if bracket != ("}" if isinstance(container.value, dict) else "]"):
            raise self._damage("a closing bracket of another kind")
        self.at += 1
        self.stack.pop()
        return container.value

    def _key(self, members: dict[str, Any]) -> str:
        key = self._string() if self.text[self.at] == '"' else self._bare_key()
        if self._peek() != ":":
            raise self._damage("a key without a colon")
        self.at += 1
        self.tokens += 1
        if key in members:
            self._repair(f"The key “{key[:60]}” was given twice; the last one counts.")
        return key

    def _bare_key(self) -> str:
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise self._damage("no key where one is needed")
        if word.end() == len(self.text):
            raise self._ended()
        self.at = word.end()
        if self._peek() == ":":
            self._repair("A key without quotation marks was read.")
        return word[0]

    def _value(self) -> Any:
        here = self._peek()
        if here in "{[":
            return self._open(here)
        value = self._string() if here == '"' else self._word_or_number()
        self.tokens += 1
        self._put(value)
        return value

    def _open(self, bracket: str) -> Any:
        if len(self.stack) == DEEPEST:
            raise TooDeepError("nested too deep", self.at, self.tokens)
        self.at += 1
        self.tokens += 1
        opened = _Container({} if bracket == "{" else [])
        self._put(opened.value)
        self.stack.append(opened)
        return opened.value

    def _put(self, value: Any) -> None:
        if not self.stack:
            return
        container = self.stack[-1]
        container.needs_comma = True
        container.is_behind_text = isinstance(value, str)
        if isinstance(container.value, list):
            container.value.append(value)
        elif container.key is not None:
            container.value[container.key] = value

    def _word_or_number(self) -> Any:
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return self._number(number[0])
        word = _WORD.match(self.text, self.at)
        if word is None and _NUMBER_BEGUN.fullmatch(self.text, self.at):
            raise self._ended()
        if word is None:
            raise self._damage("no value where one is needed")
        if word.end() == len(self.text):
            raise self._ended()
        return self._constant(word)

    def _number(self, digits: str) -> Any:
        if digits.lstrip("-").isdigit():
            # Longer ones than any field holds; Python refuses to read them at all.
            return int(digits) if len(digits) < 1_000 else REFUSED
        value = float(digits)
        return REFUSED if value in (float("inf"), float("-inf")) else value

    def _constant(self, word: re.Match[str]) -> Any:
        if word[0] in _CONSTANTS:
            value = _CONSTANTS[word[0]]
        elif word[0] in _PYTHON_CONSTANTS:
            self._repair("A constant written as in Python was read.")
            value = _PYTHON_CONSTANTS[word[0]]
        elif word[0] in _NO_NUMBERS:
            self.at = word.end()
            return REFUSED
        else:
            raise self._damage("a word without quotation marks")
        self.at = word.end()
        return value

    def _string(self) -> str:
        self.at += 1
        parts: list[str] = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            if plain:
                parts.append(plain[0])
                self.at = plain.end()
            here = self._here()
            if here == '"':
                self.at += 1
                return self._whole("".join(parts))
            parts.append(self._escape() if here == "\\" else self._control(here))

    def _control(self, character: str) -> str:
        self.at += 1
        self._repair("A control character in a text was kept.")
        return character

    def _escape(self) -> str:
        self.at += 1
        letter = self._here()
        self.at += 1
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == "u":
            code = _HEX.match(self.text, self.at)
            if code:
                self.at = code.end()
                return chr(int(code[0], 16))
            if len(self.text) - self.at < 4:
                raise self._ended()
        self._repair("A backslash that escapes nothing was kept.")
        return letter if letter == "'" else "\\" + letter

    def _whole(self, text: str) -> str:
        """Join surrogate pairs; repair what no database can hold."""
        if not _LONE_SURROGATE.search(text) and "\0" not in text:
            return text
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if "\0" in joined or joined.count("\ufffd") > text.count("\ufffd"):
            self._repair("Half a character or a null character in a text was replaced.")
        return joined.replace("\0", "")

    def _peek(self) -> str:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self._here()

    def _here(self) -> str:
        if self.at >= len(self.text):
            raise self._ended()
        return self.text[self.at]

    def _repair(self, words: str) -> None:
        self.repairs.setdefault(words)

    def _damage(self, reason: str) -> DamagedError:
        return DamagedError(reason, self.at, self.tokens)

    def _ended(self) -> EndedInsideError:
        return EndedInsideError("the text ended inside the value", self.at, self.tokens)


def read_json(text: str, start: int = 0) -> Read:
    """Read the object or list that starts at `start`.

    DamagedError when it is none, EndedInsideError when the text ends first, TooDeepError beyond
    `DEEPEST` levels.
    """
    if text[start : start + 1] not in ("{", "["):
        raise DamagedError("no object or list starts here", start, 0)
    return _Reader(text, start).read()


def holds_refused(value: Any) -> bool:
    """Say whether a value read by `read_json` holds a number that JSON does not have."""
    if isinstance(value, dict):
        return any(holds_refused(member) for member in value.values())
    if isinstance(value, list):
        return any(holds_refused(member) for member in value)
    return value is REFUSED
