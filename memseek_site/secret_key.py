"""Django's secret key: given in production, made once and kept in the data folder otherwise."""

import os
import secrets
from pathlib import Path

from memseek_site.embedded.layout import layout_of, prepare_data_dir
from memseek_site.environment import Environment

NAME = "SECRET_KEY"
FILE_NAME = "secret-key"
SHORTEST_KEY = 50


def read_secret_key(environment: Environment, data_dir: Path, *, is_production: bool) -> str:
    """The key; problems are noted. A key that cannot be used is replaced for this process only."""
    given = environment.text(NAME, about="Signs sessions; required in production, else made once and kept.")
    if given and (len(given) >= SHORTEST_KEY or not is_production):
        return given
    if not is_production:
        return _kept_key(environment, data_dir)
    message = f"{NAME} is shorter than {SHORTEST_KEY} characters." if given else f"{NAME} is not set."
    hint = "Make one: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
    environment.reject(NAME, message, hint, "memseek.E003")
    return secrets.token_urlsafe(SHORTEST_KEY)


def _kept_key(environment: Environment, data_dir: Path) -> str:
    path = data_dir / FILE_NAME
    try:
        if not path.exists():
            prepare_data_dir(layout_of(data_dir))
            _write_once(path, secrets.token_urlsafe(SHORTEST_KEY))
        return path.read_text()
    except OSError as problem:
        hint = "Let this user write there, or set MEMSEEK_DATA_DIR to another folder."
        environment.reject("MEMSEEK_DATA_DIR", f"{data_dir} cannot be used: {problem.strerror}.", hint)
        return secrets.token_urlsafe(SHORTEST_KEY)


def _write_once(path: Path, key: str) -> None:
    """Several processes may start at once: the first whole file stays."""
    staging = path.with_suffix(f".{os.getpid()}")
    staging.touch(mode=0o600)
    staging.write_text(key)
    try:
        path.hardlink_to(staging)
    except FileExistsError:
        pass
    finally:
        staging.unlink()
