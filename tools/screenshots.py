"""Pictures of every page, light, dark and on a telephone: `make screenshots`, into docs/screenshots/.

A site of its own is started in an empty folder, with the tour in it; with --url a site that runs is used, and
pages that ask for a login are left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from memseek_site.embedded.children import die_with_parent
from memseek_site.embedded.layout import layout_of
from memseek_site.trial import OWN_VARIABLES, SOURCE_ROOT

FOLDER = SOURCE_ROOT / "docs" / "screenshots"
FREQUENT_COLOURS, OTHER_COLOURS = 192, 64
STOP_TIMEOUT_SECONDS = 40.0
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars")
LOGIN = re.compile(r"Operator's login, shown this once: (\S+) / (\S+)")
ADDRESS = re.compile(r"Memseek is at (http://\S+?)/?\s")


Colours = NDArray[np.int64]
"""One row of red, green and blue each."""
PACKING = np.array([1 << 16, 1 << 8, 1], np.int64)


@dataclass(frozen=True)
class Shot:
    """A page. `follow` are selectors that are clicked one after the other, where an address holds an id."""

    name: str
    path: str
    follow: tuple[str, ...] = ()
    signs_in: bool = False


@dataclass(frozen=True)
class Look:
    """How a page is looked at."""

    name: str
    width: int
    height: int
    scheme: str


@dataclass(frozen=True)
class Site:
    """A site that runs, and who may sign in."""

    url: str
    login: tuple[str, str] | None = None


GROWN_SCENE = ".scene:has(.version:text('version 2')) h3 a"
SAYING = tuple(f".say-examples button[value^='{word}']" for word in ("I am", "Never", "The Harbour"))
"""The examples of the sandbox, one after the other; what is clicked then is only waited for."""
SHOTS = (
    Shot("home", "/"),
    Shot("overview", "/showcase/agent-memory/"),
    Shot("scene", "/showcase/agent-memory/", follow=(GROWN_SCENE,)),
    Shot("scene-difference", "/showcase/agent-memory/", follow=(GROWN_SCENE, "a[href*='/difference/']")),
    Shot("persona", "/showcase/agent-memory/persona/"),
    Shot("atom", "/showcase/agent-memory/persona/", follow=(".grounds a", ".tree .l1 a")),
    Shot("message", "/showcase/agent-memory/persona/", follow=(".grounds a", ".tree .l0 a")),
    Shot("trace", "/showcase/agent-memory/persona/", follow=(".grounds a",)),
    Shot("try", "/showcase/agent-memory/try/", follow=(*SAYING, "#persona article .card-title")),
    Shot("live", "/showcase/agent-memory/live/?run=demo", signs_in=True),
    Shot("reactor", "/showcase/agent-memory/reactor/", (".jump[href$='/2-l1/']",)),
    Shot("reactor-scene", "/showcase/agent-memory/reactor/", (".jump[href$='/2-l2/']",)),
    Shot("skills", "/showcase/agent-memory/skills/"),
    Shot("composer", "/showcase/agent-memory/composer/"),
    Shot("graph", "/showcase/agent-memory/graph/"),
    Shot("graph-at", "/showcase/agent-memory/graph/", follow=('#outline a[href*="at="]',)),
    Shot("api", "/api/docs/"),
    Shot("admin", "/admin/", signs_in=True),
)
LOOKS = (
    Look("light", 1440, 900, "light"),
    Look("dark", 1440, 900, "dark"),
    Look("phone", 390, 844, "light"),
)


def picture_name(shot: Shot, look: str) -> str:
    """The file that a shot is kept in."""
    return f"{shot.name}-{look}.png"


def main() -> None:
    """Take what is asked for; without names all pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(shot.name for shot in SHOTS)}")
    parser.add_argument("--url", help="a site that runs")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    wanted = [shot for shot in SHOTS if not arguments.names or shot.name in arguments.names]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if not arguments.names:
        for old in arguments.folder.glob("*.png"):
            old.unlink()
    if arguments.url:
        take(Site(arguments.url.rstrip("/")), wanted, arguments.folder)
        return
    with tour_site() as site:
        take(site, wanted, arguments.folder)


@contextmanager
def tour_site() -> Iterator[Site]:
    """A site of its own with the tour in it; nothing of it is left behind."""
    folder = Path(tempfile.mkdtemp(prefix="memseek-screenshots-"))
    # Under root the servers run as `nobody`, who has to pass through.
    folder.chmod(0o711)
    layout = layout_of(folder / "memseek")
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--no-input"],
        cwd=SOURCE_ROOT,
        env={**os.environ, **OWN_VARIABLES, "MEMSEEK_DATA_DIR": str(folder / "memseek")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=die_with_parent(signal.SIGTERM),  # noqa: PLW1509  # it only calls the kernel
    )
    try:
        yield _site(process)
    finally:
        process.terminate()
        process.communicate(timeout=STOP_TIMEOUT_SECONDS)
        for path in (layout.home, layout.sockets, folder):
            shutil.rmtree(path, ignore_errors=True)


def _site(process: subprocess.Popen[str]) -> Site:
    """Read on until the site says where it is."""
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    login, told = None, []
    for line in process.stdout:
        told.append(line)
        login = login or LOGIN.search(line)
        address = ADDRESS.search(line)
        if address:
            return Site(address[1], (login[1], login[2]) if login else None)
    raise RuntimeError(f"The site did not start:\n{''.join(told[-20:])}")


def take(site: Site, shots: Iterable[Shot], folder: Path) -> None:
    """All shots in all looks."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        for look in LOOKS:
            _take_in(browser, site, look, shots, folder)
        browser.close()


def _take_in(browser: Browser, site: Site, look: Look, shots: Iterable[Shot], folder: Path) -> None:
    context = browser.new_context(
        viewport={"width": look.width, "height": look.height},
        color_scheme="dark" if look.scheme == "dark" else "light",
        reduced_motion="reduce",
        base_url=site.url,
    )
    page = context.new_page()
    if site.login:
        _sign_in(page, *site.login)
    for shot in shots:
        if shot.signs_in and not site.login:
            continue
        _open(page, shot)
        target = folder / picture_name(shot, look.name)
        target.write_bytes(small(page.screenshot()))
        print(f"{target.name} {target.stat().st_size // 1024} kB")
    context.close()


def _sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/admin/login/")
    page.fill("[name=username]", name)
    page.fill("[name=password]", password)
    page.click("#login-form button[type=submit]")
    page.wait_for_load_state("networkidle")


def _open(page: Page, shot: Shot) -> None:
    page.goto(shot.path)
    for selector in shot.follow:
        page.locator(selector).first.click()
        page.wait_for_load_state()
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready.then(() => true)")


def small(picture: bytes) -> bytes:
    """The same picture with a palette: text and flat colours lose nothing that is seen."""
    with Image.open(BytesIO(picture)) as opened:
        full = opened.convert("RGB")
    colours, places = np.unique(np.asarray(full).reshape(-1, 3) @ PACKING, return_inverse=True)
    unpacked = colours[:, None] // PACKING % 256
    palette = _palette(full, unpacked[np.argsort(-np.bincount(places))])
    nearest = [int(np.abs(palette - colour).sum(axis=1).argmin()) for colour in unpacked]
    few = Image.fromarray(np.array(nearest, np.uint8)[places].reshape(full.height, full.width))
    few.putpalette(palette.astype(np.uint8).tobytes())
    written = BytesIO()
    few.save(written, "PNG", optimize=True)
    return written.getvalue()


def _palette(full: Image.Image, by_frequency: Colours) -> Colours:
    """The colours of grounds and letters as they are, and those that the rest comes nearest to."""
    spread = full.quantize(OTHER_COLOURS, method=Image.Quantize.MAXCOVERAGE).getpalette() or []
    others = np.array(spread, np.int64).reshape(-1, 3)
    return np.concatenate([by_frequency[:FREQUENT_COLOURS], others])


if __name__ == "__main__":
    main()
