"""How often and how long things happen to a site: FAULT_ROUNDS and FAULT_BAD_MODEL_SECONDS make it more."""

from __future__ import annotations

import os

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "2"))
"""Strikes of each kind. `make test-faults` asks for more."""
BAD_MODEL_SECONDS = float(os.environ.get("FAULT_BAD_MODEL_SECONDS", "3"))
"""How long a model misbehaves at least."""
PATIENCE_SECONDS = 60.0 + 10 * ROUNDS + BAD_MODEL_SECONDS
"""Within which a message is taken and a site comes to rest: what happens to them takes its time."""
