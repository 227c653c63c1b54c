"""Identity numbers of states: a shape that is written so nowhere else, or the number's name before it.

Whether the digits are such a number is python-stdnum's knowledge. Most are plain digits with one check digit,
which every tenth number bears by chance; those count only where their name stands before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from memory.ingest.redaction_kinds import Kind, Span

NAME_WINDOW = 40


class Number(Protocol):
    """A module of stdnum."""

    def is_valid(self, number: str) -> bool:
        """Whether structure, dates and check digits are right."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """A number: its module in stdnum, how it is written, and the words that have to stand before it."""

    module: str
    written: str
    names: str = ""


IDENTITIES: Sequence[Identity] = (
    Identity("us.ssn", r"\d{3}-\d{2}-\d{4}"),
    Identity("us.itin", r"9\d{2}-\d{2}-\d{4}"),
    Identity("fr.nir", r"[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}"),
    Identity("it.codicefiscale", r"[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z]"),
    Identity("es.dni", r"\d{8}-?[A-Z]"),
    Identity("es.nie", r"[XYZ]-?\d{7}-?[A-Z]"),
    Identity("se.personnummer", r"(?:\d{2})?\d{6}[-+]\d{4}"),
    Identity("fi.hetu", r"\d{6}[-+A]\d{3}[0-9A-FHJK-NPR-Y]"),
    Identity("no.fodselsnummer", r"\d{6} \d{5}"),
    Identity("ch.ssn", r"756\.\d{4}\.\d{4}\.\d{2}"),
    Identity("be.nn", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}"),
    Identity("br.cpf", r"\d{3}\.\d{3}\.\d{3}-\d{2}"),
    Identity("cl.rut", r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]"),
    Identity("mx.curp", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d"),
    Identity("cn.ric", r"[1-9]\d{16}[\dXx]"),
    Identity("kr.rrn", r"\d{6}-[1-4]\d{6}"),
    Identity("my.nric", r"\d{6}-\d{2}-\d{4}"),
    Identity("th.pin", r"\d-\d{4}-\d{5}-\d{2}-\d"),
    Identity("in_.pan", r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]"),
    Identity("in_.aadhaar", r"\d{4}[ -]?\d{4}[ -]?\d{4}", r"aadhaar|aadhar|uidai|आधार"),
    Identity("gb.nhs", r"\d{3} ?\d{3} ?\d{4}", r"nhs"),
    Identity(
        "de.idnr", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", r"steuer-?\s?id\w*|idnr|steuerliche identifikationsnummer"
    ),
    Identity("nl.bsn", r"\d{9}|\d{4}\.\d{2}\.\d{3}", r"bsn|burgerservicenummer"),
    Identity("pl.pesel", r"\d{11}", r"pesel"),
    Identity("dk.cpr", r"\d{6}-?\d{4}", r"cpr"),
    Identity("cz.rc", r"\d{6}/?\d{3,4}", r"rodné číslo|rodne cislo"),
    Identity("ro.cnp", r"\d{13}", r"cnp|cod numeric personal"),
    Identity("bg.egn", r"\d{10}", r"егн|egn"),
    Identity("tr.tckimlik", r"\d{11}", r"t\.?c\.? ?kimlik\w*|tckn"),
    Identity("pt.nif", r"\d{9}", r"nif|contribuinte"),
    Identity("ca.sin", r"\d{3}[ -]?\d{3}[ -]?\d{3}", r"sin|social insurance number"),
    Identity("au.tfn", r"\d{3} ?\d{3} ?\d{2,3}", r"tfn|tax file number"),
    Identity("za.idnr", r"\d{13}", r"id number|identity number"),
    Identity("il.idnr", r"\d{9}", r"תעודת זהות|ת\.ז\.?|teudat zehut"),
    Identity("jp.in_", r"\d{4} ?\d{4} ?\d{4}", r"マイナンバー|個人番号|my number"),
    Identity("gr.amka", r"\d{11}", r"αμκα|amka"),
    Identity("hr.oib", r"\d{11}", r"oib"),
    Identity("ee.ik", r"\d{11}", r"isikukood"),
    Identity("lt.asmens", r"\d{11}", r"asmens kodas"),
    Identity("lv.pvn", r"\d{6}-?\d{5}", r"personas kods"),
)
BEFORE, AFTER = r"(?<![\w.+/-])", r"(?![\w/-]|[.,]\d)"
NAMED = r"(?i)(?:{})[\s.:#-]{{0,4}}(?:no|nr|number|nummer)?[\s.:#]{{0,4}}(?:is|ist|es|est|är)?\s?\Z"
# One pass finds the places; only there is every number tried.
ANY = re.compile(
    rf"{BEFORE}(?=[A-Z0-9])(?:{'|'.join(f'(?:{identity.written})' for identity in IDENTITIES)}){AFTER}",
    re.ASCII,
)
SHAPES = tuple(
    (
        identity,
        re.compile(rf"(?:{identity.written}){AFTER}", re.ASCII),
        re.compile(NAMED.format(identity.names)) if identity.names else None,
    )
    for identity in IDENTITIES
)


@cache
def _number(module: str) -> Number:
    return cast(Number, import_module(f"stdnum.{module}"))


def find_identities(text: str) -> Iterator[Span]:
    """Identity numbers that are valid ones of some state."""
    for place in ANY.finditer(text):
        before = text[max(0, place.start() - NAME_WINDOW) : place.start()]
        for identity, shape, names in SHAPES:
            match = shape.match(text, place.start())
            if match is None or (names is not None and not names.search(before)):
                continue
            if _number(identity.module).is_valid(match.group()):
                yield Span(*match.span(), Kind.IDENTITY)
                break
