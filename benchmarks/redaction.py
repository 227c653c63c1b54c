"""What redaction costs: a text of the greatest length that a message may have, kind by kind.

python -m benchmarks.redaction [--characters 65536]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial

import django

from memory.ingest.redaction_kinds import Find

PROSE = (
    "We met on 2024-05-12 at 10:30 in room 415 and moved the release of version 3.11.7 to Friday, since the "
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b broke order 123-4567890. Ann will write to the team; "
    "the budget stays at 1,234,567 euros, and the ticket 0199c2f4-7d1e-7b3a-9c55-2f6a1e0d4b8c is open. "
)
# What is made to keep a pattern busy: beginnings that never end.
HOSTILE = {
    "prose": PROSE,
    "digits": "1234 5678 9012 3456 ",
    "one run of digits": "4",
    "one run of letters": "a",
    "beginnings of keys": "sk-ghp_eyJa.",
    "begun private keys": "-----BEGIN RSA PRIVATE KEY-----\n",
    "addresses": "a://b:c",
    "at signs": "a.b@",
    "plus signs": "+49 30 9018 ",
    "dots": "1.2.3.4.",
    "colons": "2001:db8:",
    "labels": "password: ",
    "quotes": 'token="',
    "spaces": " ",
    "account beginnings": "DE89 ",
    "groups of nines": "0999 99 99 99 99 99 99 ",
    "zeros and ones": "00 1",
    "one number, spoken of": "tel 030 123 4567 ",
    "commands": "-u a:b curl ",
    "cookies": "Cookie: a=",
    "bracketed at signs": "a [at] b ",
    "quoted names": '{"password":',
    "order words": "Bestellbestell",
    "distinct numbers": "",
    "distinct groups": "",
    "distinct codes": "",
    "distinct, spoken of": "",
}
# No two of a row are written alike: what is known of one says nothing about the next.
DISTINCT = {
    "distinct numbers": "030 {:03} {:04} ",
    "distinct groups": "0999 {:03} 99 {:04} 99 99 ",
    "distinct codes": "00 1 {:03} 1 {:04} 00 ",
    "distinct, spoken of": "tel {:03}9{:04} ",
}
ROUNDS = 5


def hostile_text(name: str, characters: int) -> str:
    """A row's text of that length."""
    piece = HOSTILE[name] or "".join(
        DISTINCT[name].format(number % 1_000, number) for number in range(characters // 10)
    )
    return (piece * (characters // len(piece) + 1))[:characters]


def timed(call: Callable[[], object]) -> float:
    """The least milliseconds of some rounds."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return min(seconds) * 1_000


def _exhaust(find: Find, text: str) -> None:
    list(find(text))


def main() -> None:
    """Print a row for each text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--characters", type=int, default=65_536)
    characters = parser.parse_args().characters
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memseek_site.settings")
    django.setup()
    from memory.ingest.redaction import redacted_by
    from memory.ingest.redaction_personal import PERSONAL_FINDS
    from memory.ingest.redaction_secrets import SECRET_FINDS

    finds = [*SECRET_FINDS, *PERSONAL_FINDS]
    names = [find.__name__.removeprefix("find_") for find in finds]
    print(
        f"milliseconds for {characters} characters\n{'text':<22}",
        *(f"{name:>13}" for name in (*names, "all")),
    )
    told: dict[str, dict[str, float]] = {}
    for name in HOSTILE:
        text = hostile_text(name, characters)
        spent = [timed(partial(_exhaust, find, text)) for find in finds]
        spent.append(timed(partial(redacted_by, text, finds)))
        print(f"{name:<22}", *(f"{milliseconds:>13.1f}" for milliseconds in spent), flush=True)
        told[name] = {kind: round(time, 1) for kind, time in zip((*names, "all"), spent, strict=True)}
    print(json.dumps({"benchmark": "redaction", "characters": characters, "milliseconds": told}))


if __name__ == "__main__":
    main()
