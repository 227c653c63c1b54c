"""What Django REST framework loads merely because it is installed."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import cast

UNUSED_HERE = ("requests", "pygments")
"""Optional to the framework: its client for tests, and colours in descriptions of its browsable pages."""


def load_framework_without_unused_packages() -> None:
    """Import the framework as where these packages are not installed: they take 5 MB of a web process.

    They come with other packages, and the framework asks for each once, when its module `compat` is loaded.
    Only for that moment they count as missing; whoever else imports them gets them as ever. What is loaded
    already stays. To be called before there are other threads: one that imports them in that moment is told
    that they are missing.
    """
    hidden = [name for name in UNUSED_HERE if name not in sys.modules]
    # The import system's own sign of a module that is not there.
    sys.modules.update(dict.fromkeys(hidden, cast(ModuleType, None)))
    try:
        importlib.import_module("rest_framework.compat")
    finally:
        for name in hidden:
            del sys.modules[name]
