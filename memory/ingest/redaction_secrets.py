"""Secrets that are told by their shape: private keys, and tokens of services."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from memory.ingest.redaction_kinds import Find, Kind, Span
from memory.ingest.redaction_labels import find_in_addresses, find_in_commands, find_labelled, is_mixed

DETECTORS: tuple[type[RegexBasedDetector], ...] = (
    AWSKeyDetector,
    AzureStorageKeyDetector,
    DiscordBotTokenDetector,
    GitHubTokenDetector,
    GitLabTokenDetector,
    MailchimpDetector,
    PypiTokenDetector,
    SendGridDetector,
    SlackDetector,
    SquareOAuthDetector,
    StripeDetector,
    TelegramBotTokenDetector,
    TwilioKeyDetector,
)
LIBRARY_SHAPES = tuple(chain.from_iterable(detector().denylist for detector in DETECTORS))
# Newer than the library, or longer than it knows them: each begins as only a token begins.
SHAPES = re.compile(
    r"""(?x)
      github_pat_\w{22,255} | gh[pousr]_[A-Za-z0-9]{36,255} | glpat-[\w.-]{20,300}
    | (?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{16,255} | whsec_[A-Za-z0-9+/=]{20,255}
    | AIza[\w-]{35} | ya29\.[\w-]{20,} | GOCSPX-[\w-]{20,}
    | (?:hf|r8|gsk|npm|msk|figd|nvapi|fo1|FlyV1)[_-][A-Za-z0-9_-]{30,255}
    | (?:xai|pplx|xapp|tskey|phc|lin_api|ntn|sntrys|dckr_pat|pul|shpat|shpss|shpca|shppa|dop_v1|doo_v1|hvs|hvb
        |NRAK|rubygems|tfe)[._-][A-Za-z0-9_.-]{24,255}
    | AGE-SECRET-KEY-1[A-Z0-9]{58} | dapi[0-9a-f]{32} | EAAC[A-Za-z0-9]{60,255}
    | xox[abeoprs]-[A-Za-z0-9-]{10,255} | key-[0-9a-f]{32}
    """
)
MODEL_KEY = re.compile(r"(?:sk|pk|rk)-[A-Za-z0-9_-]{20,300}")
WEB_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_-])ey[JI][\w-]{8,4096}\.[\w-]{4,8192}(?:\.[\w-]{0,4096}){0,3}", re.ASCII
)
# Whatever may be a token is one word; a library's pattern sees that word alone, however long the text is.
SIGNS = "-A-Za-z0-9_+/=.:~"
CANDIDATE = re.compile(rf"(?<![{SIGNS}])(?=[{SIGNS}]{{0,4096}}[0-9])[{SIGNS}]{{16,4096}}")
LONG_RUN = re.compile(r"[A-Za-z0-9]{16}|[A-Za-z0-9_]{20}")
KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
# As far as a key that was cut off goes; quoted in a mail, with a mark before each of its lines.
KEY_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s\\:,.-]|(?<=\n)[>|])*")


def find_private_keys(text: str) -> Iterator[Span]:
    """From the line that begins a key to the one that ends it, or as far as a key that was cut off goes."""
    begin = KEY_BEGINS.search(text)
    while begin is not None:
        end = KEY_ENDS.search(text, begin.end())
        body = KEY_BODY.match(text, begin.end())
        stop = end.end() if end else body.end() if body else begin.end()
        yield Span(begin.start(), stop, Kind.PRIVATE_KEY)
        begin = KEY_BEGINS.search(text, stop)


def find_tokens(text: str) -> Iterator[Span]:
    """Tokens of services, each word looked at by itself."""
    for candidate in CANDIDATE.finditer(text):
        word = candidate.group()
        for start, end in _tokens_in(word):
            yield Span(candidate.start() + start, candidate.start() + end, Kind.API_KEY)
    for found in WEB_TOKEN.finditer(text):
        yield Span(*found.span(), Kind.TOKEN)


def _tokens_in(word: str) -> Iterator[tuple[int, int]]:
    for shape in (SHAPES, *LIBRARY_SHAPES):
        for match in shape.finditer(word):
            if _stands_alone(word, match):
                yield match.span()
    for match in MODEL_KEY.finditer(word):
        if _stands_alone(word, match) and _is_random(match.group()):
            yield match.span()


def _stands_alone(word: str, match: re.Match[str]) -> bool:
    """Not in the middle of a longer word: a hash may hold anything by chance."""
    before = word[match.start() - 1 : match.start()]
    return (not before.isalnum() and before not in ("_", "-", "/")) or "://" in word[: match.start()]


def _is_random(key: str) -> bool:
    """Names with hyphens begin with `sk-` too; a key has a long run of letters and digits."""
    return any(is_mixed(run.group()) for run in LONG_RUN.finditer(key))


SECRET_FINDS: tuple[Find, ...] = (
    find_private_keys,
    find_in_addresses,
    find_tokens,
    find_labelled,
    find_in_commands,
)
