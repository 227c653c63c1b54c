"""Passwords, keys, card and account numbers: they stay where they were said and become no claim."""

from __future__ import annotations

import re

from memory.ingest.redaction_kinds import PLACEHOLDER

LEFT_UNSAID = "It holds a secret (a password, key, card or account number), which stays with the message."
LABEL = (
    r"(?:pass(?:word|code|phrase)|passwort|kennwort|contrase[nñ]a|mot de passe|pin(?: code| number)?|"
    r"(?:api|secret|access|private|licen[cs]e|recovery|encryption|ssh)[ _-]?keys?|"
    r"(?:access|auth|bearer|api|refresh|session)[ _-]?tokens?|client secret|seed phrase|"
    r"recovery (?:code|phrase)|"
    r"(?:credit |debit )?card number|cvv|cvc|iban|account number|routing number|"
    r"social security number|ssn|passport number|"
    r"(?:door|gate|entry|alarm|lock|safe|garage|security|building) code)"
)
# What may follow «the password is» without being one.
PLAIN = (
    r"(?:not|too|very|really|so|weak|strong|long|short|wrong|right|old|new|the|a|an|my|our|your|in|on|"
    r"at|by|for|from|"
    r"stored|kept|saved|written|needed|required|expired|expiring|missing|invalid|correct|incorrect|"
    r"secure|safe|shared|"
    r"always|never|still|about|only|also|all|what|something|rotated|leaked|unknown|gone|due|to|that|"
    r"this|must|should)(?![\w-])"
)
TOLD = re.compile(
    rf"\b{LABEL}(?:\s+(?:for|to|of|on|at)\s+[\w' -]{{1,25}}?)?(?:\s+(?:is|are|was|ist|es|est|"
    rf"will be)\s*:?|\s*[:=])\s*(?!{PLAIN})[\"'`«]?\S{{3,}}",
    re.IGNORECASE,
)
BESIDE = re.compile(rf"\b{LABEL}\s+[\"'`]?(?=\S*\d)(?=\S*[^\W\d])\S{{8,}}", re.IGNORECASE)
LOOSE = re.compile(
    r"\b(?:token|secret|key|code)\b[^.\n]{0,30}?(?:\bis|=|:)\s*(?=\S*\d)(?=\S*[^\W\d])[\w+/=!-]{8,}",
    re.IGNORECASE,
)
CHINESE = re.compile(r"(?:密码|口令|密钥|卡号|账号)\s*(?:是|为|:|：)\s*\S{3,}")
SHAPES = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:\w+[-_])?\w{12,}|\bgh[opsu]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-\S{16,}|"
    r"\bxox[abprs]-\S{10,}|"
    r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bey[JI][\w-]{8,}\.[\w-]{8,}|"
    r"\b(?:BEGIN|END) (?:[A-Z]+ )*PRIVATE KEY|"
    r"\bBearer\s+\S{12,}|\b[0-9a-f]{32,}\b|\b\w+://[^\s/:@]+:[^\s/@]+@|\b\d{3}-\d{2}-\d{4}\b"
)
RANDOM = re.compile(
    r"(?<![\w/.-])(?=[\w+/]*[a-z])(?=[\w+/]*[A-Z])(?=[\w+/]*\d[\w+/]*\d)[\w+/]{24,}={0,2}(?![\w/.-])"
)
DIGITS = re.compile(r"(?<![\w.,-])\d(?:[ -]?\d){12,18}(?![\w-])")
ACCOUNT = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b")


def holds_secret(text: str) -> bool:
    """Whether a text tells a secret itself; speaking of passwords in general is none.

    A place where something was taken out at the door tells none, and nothing is to be learnt from it.
    """
    patterns = (TOLD, BESIDE, LOOSE, CHINESE, SHAPES, RANDOM, PLACEHOLDER)
    if any(pattern.search(text) for pattern in patterns):
        return True
    is_card = any(_is_card(match.group()) for match in DIGITS.finditer(text))
    return is_card or any(_is_account(match.group()) for match in ACCOUNT.finditer(text))


def _is_card(written: str) -> bool:
    """The check digit of payment cards (Luhn, ISO/IEC 7812)."""
    digits = [int(sign) for sign in written if sign.isdigit()]
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_account(written: str) -> bool:
    """The check number of bank accounts (ISO 13616: the rotated number is 1 modulo 97)."""
    bare = written.replace(" ", "")
    return int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1
