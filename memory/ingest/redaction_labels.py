"""Secrets that are told by what stands before them: a name in a form, a sentence, an address, a header."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from memory.ingest.redaction_kinds import Kind, Span

LABEL = (
    r"(?:pass(?:word|wort|code|phrase|wd)|kennwort|contrase[nñ]a|mot[ _]de[ _]passe|senha|wachtwoord|"
    r"lösenord|парол[ья]|"
    r"(?:api|secret|private|access|encryption|signing|master|account|shared|license)[ _-]?key|"
    r"client[ _-]?secret|(?:auth|access|api|refresh|bearer|session|id|bot)[ _-]?token)"
)
SHORT_LABEL = r"(?:token|secret|pwd|passwd|pass|pin)"
# Between a label and what it names: a sign of a form or program, or a verb of a sentence.
SIGN = r"[\"'`]?\s{0,3}(?:=>|:=|=|:|：)\s{0,8}"
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
# The quotes around the name say that it is data, not prose: what it names goes, words of a language too.
DATA = re.compile(
    rf"(?P<quote>\\{{0,3}}[\"'])(?:[\w.-]{{0,40}}[_.-])?{LABEL}(?P=quote)\s{{0,8}}[:=]\s{{0,8}}"
    r"(?:(?P=quote)(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,4096})(?P=quote)|(?P<bare>\d{4,40})(?![\w.]))",
    re.IGNORECASE,
)
# An option of a command, and the user of curl: what follows is what the program is given.
OPTION = re.compile(
    r"(?<!\S)--?(?:[a-z]{1,20}-)?(?:password|passwd|passphrase|secret|api-?key|token)[ \t]{1,4}"
    r"(?P<mark>[\"']?)(?P<bare>[^\s\"'-][^\s\"']{5,299})",
    re.IGNORECASE,
)
USER_OPTION = re.compile(
    r"(?<!\S)(?:-u|--user|--proxy-user)(?:[ \t]{0,4}|=)(?:\"[^\s:\"'/]{1,100}:(?P<double>[^\"\n]{1,300})\"|"
    r"'[^\s:\"'/]{1,100}:(?P<single>[^'\n]{1,300})'|[^\s:\"'/]{1,100}:(?P<bare>[^\s\"']{1,300}))"
)
USER_PROGRAM = re.compile(r"(?<![\w-])(?:curl|wget|https?)(?![\w:.-])")
COMMAND_WINDOW = 300
GIVEN_PASSWORD = re.compile(
    r"(?<![\w-])sshpass[ \t]{1,4}-p[ \t]{0,4}(?:\"(?P<double>[^\"\n]{1,300})\"|'(?P<single>[^'\n]{1,300})'|"
    r"(?P<bare>[^\s\"']{1,300}))"
)
COOKIES = re.compile(
    r"(?<![\w-])(?:set-)?cookie2?[\"']?\s{0,3}:\s{0,3}(?P<pairs>[^\s=;]{1,100}=[^\n]{1,4096})", re.I
)
COOKIE = re.compile(r"(?<![^\s;,\"':])(?P<name>[^\s=;,\"']{1,100})=(?P<bare>[^\s;,\"'\\]{8,4096})")
COOKIE_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version"})
WEBHOOK = re.compile(
    r"https?://(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)|"
    r"(?:[a-z]{1,10}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks|[\w-]{1,60}\.webhook\.office\.com/webhookb2)"
    r"/(?P<bare>[\w@/.-]{8,512})",
    re.IGNORECASE | re.ASCII,
)
# What a program puts in later, or takes from somewhere: a variable, a template, a setting.
TEMPLATE = r"\$\{.*|\$\(.*|\$[A-Z_][A-Z0-9_]*|\{\{.*|<[\w .-]+>|%[A-Za-z_]\w*%"
IS_TEMPLATE = re.compile(TEMPLATE)
IS_VARIABLE = re.compile(
    rf"{TEMPLATE}|(?:[A-Za-z_]\w*\.){{1,8}}[A-Z][A-Z0-9_]+[\])]?|"
    r"(?:settings|config|conf|cfg|env|environ|os|process|self|this|app|args|options|params|secrets|vars?|ctx"
    r"|request|data)(?:\.[A-Za-z_]\w*){1,8}(?:[\[(].*)?"
)
# `8-stellig`, `12-character`: of what kind it is, not what it is.
MEASURE = re.compile(r"\d{1,3}-[^\W\d_]{3,}")
SECRET_NAME = re.compile(rf"\w*{LABEL}", re.IGNORECASE)
SHORT_SECRET_NAME = re.compile(rf"(?:\w*[_.-])?{SHORT_LABEL}", re.IGNORECASE)
SHORTEST_BARE_OF_SHORT_LABEL = 12
LONGEST_NAME = 100
QUOTED_OR_BARE = ("double", "single", "bare")


def is_secret_under(name: str, value: str) -> bool:
    """Whether the value under this name of a JSON object is a secret: `password`, `db_password`, `apiKey`.

    Under names with several meanings, such as `token`, only what looks like one.
    """
    if len(name) > LONGEST_NAME or not value or IS_TEMPLATE.fullmatch(value):
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
    for match in DATA.finditer(text):
        name = _filled(match, ("quoted", "bare"))
        if not IS_TEMPLATE.fullmatch(match[name]):
            yield _span(match, name, Kind.PASSWORD)
    for match in CHINESE.finditer(text):
        yield _span(match, "bare", Kind.PASSWORD)


def find_in_commands(text: str) -> Iterator[Span]:
    """Passwords that a command is given, and what a cookie holds."""
    for match in OPTION.finditer(text):
        if is_mixed(match["bare"]) and not IS_VARIABLE.fullmatch(match["bare"]):
            yield _span(match, "bare", Kind.PASSWORD)
    programs = [program.end() for program in USER_PROGRAM.finditer(text)]
    for match in USER_OPTION.finditer(text):
        # `-u 1000:1000` is something else where no program of the web stands before it.
        before = bisect_right(programs, match.start())
        if before and match.start() - programs[before - 1] < COMMAND_WINDOW:
            yield from _given(match)
    for match in GIVEN_PASSWORD.finditer(text):
        yield from _given(match)
    for header in COOKIES.finditer(text):
        for match in COOKIE.finditer(text, *header.span("pairs")):
            if match["name"].lower() not in COOKIE_ATTRIBUTES and not IS_TEMPLATE.fullmatch(match["bare"]):
                yield _span(match, "bare", Kind.TOKEN)


def _given(match: re.Match[str]) -> Iterator[Span]:
    name = _filled(match, QUOTED_OR_BARE)
    if not IS_TEMPLATE.fullmatch(match[name]):
        yield _span(match, name, Kind.PASSWORD)


def find_in_addresses(text: str) -> Iterator[Span]:
    """Passwords and tokens within addresses, those of webhooks, and those of an Authorization header."""
    for match in ADDRESS_PASSWORD.finditer(text):
        if any(sign.isalnum() for sign in match["bare"]):
            yield _span(match, "bare", Kind.PASSWORD)
    for match in ADDRESS_PARAMETER.finditer(text):
        yield _span(match, "bare", Kind.TOKEN)
    for match in WEBHOOK.finditer(text):
        yield _span(match, "bare", Kind.TOKEN)
    for match in HEADER.finditer(text):
        if is_mixed(match["bare"]):
            yield _span(match, "bare", Kind.TOKEN)


def _taken(match: re.Match[str], *, is_short: bool) -> Iterator[Span]:
    """A quoted value is one; a bare word is one when it is not of a language."""
    name = _filled(match, QUOTED_OR_BARE)
    value = match[name]
    shortest = SHORTEST_BARE_OF_SHORT_LABEL if is_short else 0
    if name == "bare":
        is_secret = is_mixed(value) and len(value) >= shortest and "://" not in value
        is_secret = is_secret and not MEASURE.fullmatch(value.rstrip(".!?"))
    else:
        is_secret = _is_quoted_secret(value)
    if is_secret and not IS_VARIABLE.fullmatch(value.rstrip(".!?")):
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


def _filled(match: re.Match[str], names: Sequence[str]) -> str:
    """Which of these groups holds the value."""
    return next(name for name in names if match[name] is not None)


def _span(match: re.Match[str], group: str, kind: Kind) -> Span:
    return Span(*match.span(group), kind)
