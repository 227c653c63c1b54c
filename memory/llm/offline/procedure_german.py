"""German reports in the perfect tense as infinitives: «Ich habe die Liste geprüft» as «Die Liste prüfen»."""

from __future__ import annotations

import re
from collections.abc import Mapping

REPORT = re.compile(
    r"^(?:(?:dann|danach|zuerst|anschließend|zuletzt|und) )*"
    r"(?:(?:(?:ich|wir) )?(?:habe|haben)|(?:habe|haben) (?:ich|wir))\s+"
    r"(?P<what>[^,;:.!?]+?)\s+(?P<done>(?-i:[a-zäöüß]+))"
    r"(?:\s+und\s+(?P<more>[^,;:.!?]+?\s+)?(?P<then>(?-i:[a-zäöüß]+)))?[.!]*$",
    re.IGNORECASE,
)
PREFIX = (
    r"(?:ab|an|auf|aus|bei|durch|ein|fest|frei|her|heraus|herunter|hin|hinzu|hoch|los|mit|nach|nieder|raus|"
    r"um|vor|weg|weiter|wieder|zu|zurück|zusammen|über)"
)
WITH_GE = re.compile(rf"^(?P<front>{PREFIX}?)ge(?P<stem>\w{{2,}}?)(?P<end>t|en)$")
WITHOUT_GE = re.compile(
    rf"^(?P<stem>{PREFIX}?(?:be|emp|ent|er|ver|zer|miss|über|unter|wider|hinter)\w{{2,}}?)(?P<end>t|en)$"
)
LATIN = re.compile(r"^(?P<stem>\w+ier)t$")
CHANGED: Mapping[str, str] = {
    "schrieben": "schreiben",
    "nommen": "nehmen",
    "sprochen": "sprechen",
    "funden": "finden",
    "schlossen": "schließen",
    "zogen": "ziehen",
    "boten": "bieten",
    "schoben": "schieben",
    "troffen": "treffen",
    "worfen": "werfen",
    "wiesen": "weisen",
    "griffen": "greifen",
    "schnitten": "schneiden",
    "glichen": "gleichen",
    "bunden": "binden",
    "brochen": "brechen",
    "holfen": "helfen",
    "beten": "bitten",
    "bracht": "bringen",
    "tan": "tun",
    "wogen": "wiegen",
    "gangen": "gehen",
    "standen": "stehen",
    "wusst": "wissen",
    "dacht": "denken",
    "kannt": "kennen",
    "nannt": "nennen",
    "sandt": "senden",
    "wandt": "wenden",
}
"""The end of participles with another vowel than their infinitive, without «ge»."""


def german_command(text: str) -> str:
    """A report in the perfect tense as what is to be done; empty where no simple rule tells."""
    found = REPORT.match(" ".join(text.split()))
    if found is None:
        return ""
    first = infinitive(found["done"])
    second = infinitive(found["then"]) if found["then"] else ""
    if not first or (found["then"] and not second):
        return ""
    return f"{found['what']} {first}" + (f" und {found['more'] or ''}{second}" if second else "")


def infinitive(participle: str) -> str:
    """The infinitive of a participle; empty for a word that is none by its form."""
    changed = next((end for end in CHANGED if participle.endswith(end)), None)
    if changed is not None:
        front = participle.removesuffix(changed).removesuffix("ge")
        return f"{front}{CHANGED[changed]}"
    if found := LATIN.match(participle):
        return f"{found['stem']}en"
    found = WITH_GE.match(participle) or WITHOUT_GE.match(participle)
    if found is None:
        return ""
    stem, front = found["stem"], found.groupdict().get("front") or ""
    return f"{front}{stem}n" if stem.endswith(("e", "el", "er")) else f"{front}{stem}en"
