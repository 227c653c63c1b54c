"""Where the embedded servers keep their files, computed the same way by every process."""

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from memseek_site.embedded.errors import EmbeddedError
from memseek_site.embedded.privileges import ServerUser, server_user

MAXIMUM_SOCKET_PATH_BYTES = 107
POSTGRES_SOCKET_NAME = ".s.PGSQL.5432"
BROKER_SOCKET_NAME = "broker.sock"
# Not tempfile.gettempdir(): TMPDIR may differ between the processes that have to meet here.
SHORT_FOLDER = Path("/tmp")  # noqa: S108
# Used under root only, when `nobody` cannot reach the data folder.
SYSTEM_STATE_FOLDER = Path("/var/lib/memseek")


@dataclass(frozen=True)
class Layout:
    """Paths under one data folder; nothing is created by asking for them."""

    data_dir: Path
    sockets: Path

    @property
    def users_lock(self) -> Path:
        return self.data_dir / "users.lock"

    @property
    def keeper_lock(self) -> Path:
        return self.data_dir / "keeper.lock"

    @property
    def ready_lock(self) -> Path:
        """Held by the keeper while the servers answer: unlike a file's content, it dies with the keeper."""
        return self.data_dir / "ready.lock"

    @property
    def keeper_state(self) -> Path:
        return self.data_dir / "keeper.json"

    @property
    def stop_request(self) -> Path:
        return self.data_dir / "stop-when-unused"

    @property
    def logs(self) -> Path:
        return self.data_dir / "logs"

    @property
    def home(self) -> Path:
        """The servers' own files, behind a link when `nobody` cannot reach the data folder."""
        return (self.data_dir / "servers").resolve()

    @property
    def postgres_data(self) -> Path:
        return self.home / "postgres"

    @property
    def broker_data(self) -> Path:
        return self.home / "broker"

    @property
    def programs(self) -> Path:
        return self.home / "programs"

    @property
    def postgres_socket(self) -> Path:
        return self.sockets / POSTGRES_SOCKET_NAME

    @property
    def broker_socket(self) -> Path:
        return self.sockets / BROKER_SOCKET_NAME


def layout_of(data_dir: Path) -> Layout:
    """The layout of a data folder, with sockets in a short folder where its own path would be too long."""
    absolute = data_dir.absolute()
    sockets = absolute / "sockets"
    if not _fits(sockets) or not server_user().can_enter(absolute.parent):
        digest = hashlib.sha256(os.fsencode(absolute)).hexdigest()[:16]
        sockets = SHORT_FOLDER / f"memseek-{os.geteuid()}-{digest}"
    return Layout(data_dir=absolute, sockets=sockets)


def _fits(sockets: Path) -> bool:
    return len(os.fsencode(sockets / POSTGRES_SOCKET_NAME)) <= MAXIMUM_SOCKET_PATH_BYTES


def prepare_data_dir(layout: Layout) -> None:
    """Make the data folder and its logs; private, except that `nobody` may pass through it under root."""
    user = server_user()
    mode = 0o711 if user.is_switched else 0o700
    missing = [folder for folder in layout.data_dir.parents if not folder.exists()]
    for folder in (*reversed(missing), layout.data_dir):
        folder.mkdir(exist_ok=True)
        folder.chmod(mode)
    layout.logs.mkdir(mode=0o700, exist_ok=True)


def prepare_home(layout: Layout, user: ServerUser) -> None:
    """Make the folders that the servers' account owns."""
    link = layout.data_dir / "servers"
    if not link.exists() and not user.can_enter(layout.data_dir):
        SYSTEM_STATE_FOLDER.mkdir(mode=0o711, exist_ok=True)
        # Folder first, link second: a link to nothing would look like a lost database.
        link.unlink(missing_ok=True)
        link.symlink_to(tempfile.mkdtemp(prefix="embedded-", dir=SYSTEM_STATE_FOLDER))
    for folder in (layout.home, layout.broker_data, layout.sockets):
        folder.mkdir(mode=0o700, exist_ok=True)
        _own_privately(folder, user)


def _own_privately(folder: Path, user: ServerUser) -> None:
    """Refuse a folder that another account made first: whoever opens a socket in it is trusted."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {user.uid, os.geteuid()}:
        message = f"{folder} belongs to another account; remove it or set MEMSEEK_DATA_DIR to another folder"
        raise EmbeddedError(message)
    user.own(folder)
    folder.chmod(0o700)
