"""The walkthrough over HTTP: a scripted tour through four layers of memory, then a prompt with commands.

    python examples/agent_memory.py

MEMSEEK_BASE_URL and MEMSEEK_API_KEY name the server and the key. Without a key a workspace is made for this
run in the database that DATABASE_URL names (the embedded one without it), and where no server answers one is
brought up for as long as the run lasts. AGENT_MEMORY_RUN_ID names the memory: a second start with the same
one goes on from where it was. No key is ever printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory.walkthrough.terminal import run_terminal
from memseek_site.disposable import disposable_place

if __name__ == "__main__":
    sys.exit(run_terminal(disposable_place))
