"""Secrets that are told by what stands before them: a name in a form, a sentence, an address, a header."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.ingest.redaction_kinds import Kind, Span

LABEL = (
    r"(?:pass(?:word|wort|code|phrase|wd)|kennwort|contrase[nñ]a|mot[ _]de[ _]passe|senha|wachtwoord|"
    r"lösenord|парол[ья]|"
    r"(?:api|secret|private|access|encryption|signing|master|account|shared|license)[ _-]?key|"
    r"client[ _-]?secret|(?:auth|access|api|refresh|bearer|session|id|bot)[ _-]?token)"
)
SHORT_LABEL = r"(?:token|secret|pwd|passwd|pass|pin)"
# Between a label and what it names: a sign of a form or program, or a verb of a sentence.
SIGN = r"[\"'`]?\s{0,3}(?:=>|:=|=|:|：)\s{0,3}"
VERB = r"\s{1,3}(?:is|was|lautet|ist|es|est|é|är|—)\s{1,3}:?\s{0,2}"
VALUE = r"(?:\"(?P<double>[^\"\n]{1,300})\"|'(?P<single>[^'\n]{1,300})'|(?P<bare>[^\s\"'`,;<>()]{6,300}))"
NAMED = re.compile(rf"(?<![^\W_])(?<![?&]){LABEL}(?:{SIGN}|{VERB}){VALUE}", re.IGNORECASE)
SHORT_NAMED = re.compile(rf"(?<![^\W\d])(?<![?&]){SHORT_LABEL}{SIGN}{VALUE}", re.IGNORECASE)
CHINESE = re.compile(
    r"(?:密码|口令|密钥|パスワード|비밀번호)\s{0,2}(?:是|为|:|：|=|は)\s{0,2}(?P<bare>[!-~]{4,100})"
)
ADDRESS_PASSWORD = re.compile(
    r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/?#@:\"'<>]{0,128}:(?P<bare>[^\s/?#@\"'<>]{1,256})@"
)
ADDRESS_PARAMETER = re.compile(
    r"[?&](?:api_?key|(?:access|auth|refresh|id|reset|session)_token|client_secret|token|key|sig|"
    r"signature|secret|password|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)=(?P<bare>[^&\s#\"'<>]{8,2048})",
    re.IGNORECASE,
)
HEADER = re.compile(
    r"\b(?:bearer|basic|authorization:\s{0,3}token)\s{1,3}(?P<bare>[A-Za-z0-9._~+/-]{16,4096}={0,2})",
    re.IGNORECASE,
)
SECRET_NAME = re.compile(rf"\w*{LABEL}", re.IGNORECASE)
SHORT_SECRET_NAME = re.compile(rf"(?:\w*[_.-])?{SHORT_LABEL}", re.IGNORECASE)
SHORTEST_BARE_OF_SHORT_LABEL = 12
LONGEST_NAME = 100


def is_secret_under(name: str, value: str) -> bool:
    """Whether the value under this name of a JSON object is a secret: `password`, `db_password`, `apiKey`.

    Under names with several meanings, such as `token`, only what looks like one.
    """
    if len(name) > LONGEST_NAME or not value:
        return False
    if SECRET_NAME.fullmatch(name):
        return True
    is_long = len(value) >= SHORTEST_BARE_OF_SHORT_LABEL and " " not in value
    return is_long and is_mixed(value) and SHORT_SECRET_NAME.fullmatch(name) is not None


def find_labelled(text: str) -> Iterator[Span]:
    """Passwords and keys that are named as such."""
    for match in NAMED.finditer(text):
        yield from _taken(match, is_short=False)
    for match in SHORT_NAMED.finditer(text):
        yield from _taken(match, is_short=True)
    for match in CHINESE.finditer(text):
        yield _span(match, "bare", Kind.PASSWORD)


def find_in_addresses(text: str) -> Iterator[Span]:
    """Passwords and tokens within addresses, and those of an Authorization header."""
    for match in ADDRESS_PASSWORD.finditer(text):
        if any(sign.isalnum() for sign in match["bare"]):
            yield _span(match, "bare", Kind.PASSWORD)
    for match in ADDRESS_PARAMETER.finditer(text):
        yield _span(match, "bare", Kind.TOKEN)
    for match in HEADER.finditer(text):
        if is_mixed(match["bare"]):
            yield _span(match, "bare", Kind.TOKEN)


def _taken(match: re.Match[str], *, is_short: bool) -> Iterator[Span]:
    """A quoted value is one; a bare word is one when it is not of a language."""
    name = next(name for name in ("double", "single", "bare") if match[name] is not None)
    value = match[name]
    shortest = SHORTEST_BARE_OF_SHORT_LABEL if is_short else 0
    if name == "bare":
        is_secret = is_mixed(value) and len(value) >= shortest and "://" not in value
    else:
        is_secret = _is_quoted_secret(value)
    if is_secret:
        start, end = match.span(name)
        yield Span(
            start, end - len(value) + len(value.rstrip(".!?")) if name == "bare" else end, Kind.PASSWORD
        )


def _is_quoted_secret(value: str) -> bool:
    return " " not in value.strip() and (is_mixed(value) or any(not sign.isalnum() for sign in value))


def is_mixed(word: str) -> bool:
    """Whether a word holds digits among letters or signs, as words of a language do not."""
    has_digit = any(sign.isdigit() for sign in word)
    return has_digit and any(sign.isalpha() or sign in "!@#$%^&*+~?" for sign in word)


def _span(match: re.Match[str], group: str, kind: Kind) -> Span:
    return Span(*match.span(group), kind)
