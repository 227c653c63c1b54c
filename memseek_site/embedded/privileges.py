"""Who runs the servers: PostgreSQL refuses root, so under root they run as `nobody`."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

UNPRIVILEGED_USER = "nobody"


class AccountSwitch(TypedDict, total=False):
    """The arguments of subprocess that change the account of a child."""

    user: int
    group: int
    extra_groups: list[str | int]


@dataclass(frozen=True)
class ServerUser:
    """The account of the server processes; `is_switched` is true when it is not the caller's own."""

    uid: int
    gid: int
    is_switched: bool

    def switch(self) -> AccountSwitch:
        """What to tell subprocess so that a child runs as the account."""
        if not self.is_switched:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Give one path to the account; never its parents."""
        if self.is_switched:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, folder: Path) -> bool:
        """Whether the account may pass through a folder and everything above it."""
        if not self.is_switched:
            return True
        resolved = folder.resolve()
        return all(self._may_execute(place) for place in (resolved, *resolved.parents) if place.exists())

    def can_execute(self, program: Path) -> bool:
        """Whether the account may run a program file."""
        resolved = program.resolve()
        return self.can_enter(resolved.parent) and (not self.is_switched or self._may_execute(resolved))

    def _may_execute(self, path: Path) -> bool:
        status = path.stat()
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)


def server_user() -> ServerUser:
    """The caller's own account, or `nobody` when the caller is root."""
    if os.geteuid() != 0:
        return ServerUser(uid=os.geteuid(), gid=os.getegid(), is_switched=False)
    account = pwd.getpwnam(UNPRIVILEGED_USER)
    return ServerUser(uid=account.pw_uid, gid=account.pw_gid, is_switched=True)
