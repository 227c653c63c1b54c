"""What `manage.py demo` needs before the tour: a workspace, and somebody who may look at everything."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from threading import Thread

from django.contrib.auth import get_user_model
from django.db import connections, transaction

from memory.models import Member, Workspace

WORKSPACE = "demo"
OPERATOR = "operator"
PASSWORD_BYTES = 12


@dataclass(frozen=True)
class Login:
    """An account's name and password, known only when it is made."""

    name: str
    password: str


def ensure_operator(workspace: Workspace) -> Login | None:
    """Make the operator once; None when there is one already. The password is stored hashed only."""
    users = get_user_model().objects
    with transaction.atomic(durable=True):
        if users.filter(username=OPERATOR).exists():
            return None
        password = secrets.token_urlsafe(PASSWORD_BYTES)
        user = users.create_superuser(OPERATOR, password=password)
        Member.objects.create(workspace=workspace, user=user, role=Member.Role.OPERATOR)
    return Login(OPERATOR, password)


def ensure_workspace() -> Workspace:
    """The workspace of the demonstration."""
    return Workspace.objects.get_or_create(name=WORKSPACE)[0]


class Aside(Thread):
    """Runs one call beside the main thread, which tends the children meanwhile; keeps its error."""

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__(daemon=True, name="aside")
        self.call = call
        self.error: BaseException | None = None

    def run(self) -> None:
        """Call, and close this thread's connections."""
        try:
            self.call()
        except BaseException as error:
            self.error = error
        finally:
            connections.close_all()
