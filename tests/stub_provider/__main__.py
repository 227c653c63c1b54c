"""Run the stub as a process: it prints its address as one line, then serves until interrupted.

`--answers FILE` names a JSON object of answers by task name, found in the system prompt.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.stub_provider import StubProvider, answers_by_task

EMPTY_ANSWER = {"items": [], "nothing_reason": "The stub has nothing to say."}
TASKS = ("l1_extract", "scene_synthesis", "persona")


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.stub_provider", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--answers", type=Path, help="JSON object: answer by task name")
    parser.add_argument(
        "--refuse-mode", action="append", default=[], help="a JSON mode to refuse; repeatable"
    )
    arguments = parser.parse_args()
    answers = dict.fromkeys(TASKS, EMPTY_ANSWER)
    if arguments.answers:
        answers.update(json.loads(arguments.answers.read_text()))
    stub = StubProvider(
        respond=answers_by_task(answers), refused_modes=arguments.refuse_mode, port=arguments.port
    )
    print(stub.base_url, flush=True)
    stub.serve_forever()


if __name__ == "__main__":
    main()
