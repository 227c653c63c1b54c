"""Forms that are answered once: sending the same form again does nothing again."""

import hashlib
import secrets
from typing import Final

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest

FIELD: Final = "form_number"
FORM_SECONDS: Final = 24 * 3600
REMEMBERED: Final = 100
"""How many answered forms a session remembers, the newest ones."""
_ANSWERED: Final = "answered_forms"
_signer = TimestampSigner(salt="memory.admin.once")


class ExpiredFormError(Exception):
    """The form's number is not one of ours, or too old."""


class AnsweredFormError(Exception):
    """The form has been answered before."""


def new_number() -> str:
    """What a form carries along, so that it is known when it comes a second time."""
    return _signer.sign(secrets.token_urlsafe(12))


def answer_once(request: HttpRequest) -> None:
    """Remember on the session that the form was answered, as long as the transaction around this commits.

    AnsweredFormError when it was before, ExpiredFormError for a number that may not be taken any more. Of two
    answers at the same moment the second waits for the first one's transaction.
    """
    number = request.POST.get(FIELD, "")
    try:
        _signer.unsign(number, max_age=FORM_SECONDS)
    except BadSignature as error:
        raise ExpiredFormError from error
    digest = hashlib.sha256(number.encode()).hexdigest()
    session_key = request.session.session_key
    Session.objects.select_for_update().get(pk=session_key)
    answered: list[str] = SessionStore(session_key).get(_ANSWERED, [])
    if digest in answered:
        raise AnsweredFormError
    request.session[_ANSWERED] = [*answered, digest][-REMEMBERED:]
    request.session.save()
