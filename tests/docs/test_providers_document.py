"""The code in docs/providers.md runs: its classes behind real HTTP, its paths through the settings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory.llm.pacing import Deadline, Pace
from memory.llm.providers.calling import called
from memory.llm.providers.own import own_embedder, own_model
from memory.llm.schemas import portable_schema
from tests.docs.test_documents import ROOT
from tests.llm.conftest import GOOD, KEY, Notes, question
from tests.llm.embedders.conftest import expected
from tests.setup.commands import environment
from tests.stub_provider import Reply, StubProvider, word_counts
from tests.stub_provider.dialects import AnthropicStub, as_text, message

TEXT = (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")
BLOCKS: dict[str, str] = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", TEXT, re.DOTALL))


class PlainServer(StubProvider):
    """The server that the document's own classes ask."""

    root = ""
    completions_path = "/completion"
    embeddings_path = "/embed"


@contextmanager
def made(name: str, class_name: str, address: str) -> Iterator[Any]:
    """An object of a block's class, with its server elsewhere; its connections end with it."""
    code = re.sub(r"http://127\.0\.0\.1:\d+", address, BLOCKS[name])
    names: dict[str, Any] = {}
    exec(compile(code, f"{name}.py", "exec"), names)
    seam = names[class_name]()
    yield seam
    called(seam.http.aclose, deadline=Deadline(10), ended=lambda: None)


def test_the_document_holds_the_three_programs() -> None:
    assert list(BLOCKS) == ["my_models", "my_embedders", "by_hand"]


def test_the_model_of_the_document_answers() -> None:
    server = PlainServer([Reply.status(503), Reply.document({"content": as_text(GOOD)})])
    with server, made("my_models", "MyModel", server.base_url) as seam:
        reply = own_model(seam, pace=Pace(sleep=lambda _: None)).answer(question())

    assert (reply.model, reply.calls, json.loads(reply.text)) == ("my-model@1", 2, GOOD)
    assert server.requests[0].body == {
        "prompt": "You do l1_extract.\n\nm1 Alice: I like tea.",
        "n_predict": 4096,
        "json_schema": portable_schema(Notes),
    }


def test_the_embedder_of_the_document_embeds() -> None:
    def embed(body: dict[str, Any]) -> Reply:
        return Reply.document([word_counts(text, 8) for text in body["inputs"]])

    server = PlainServer(embed=embed)
    with server, made("my_embedders", "MyEmbedder", server.base_url) as seam:
        embedder = own_embedder(seam)
        vectors = embedder.embed(["green tea", "coffee"])

    assert embedder.space == "own:my-embedder@1/8"
    assert np.allclose(vectors, expected(["green tea", "coffee"]))


def test_the_program_runs_without_django(tmp_path: Path) -> None:
    (tmp_path / "by_hand.py").write_text(BLOCKS["by_hand"], encoding="utf-8")
    with AnthropicStub([message('{"customer": "Northwind", "plan": "annual"}')]) as server:
        told = subprocess.run(
            [sys.executable, tmp_path / "by_hand.py"],
            env={"PYTHONPATH": str(ROOT), "MODEL": "stub", "KEY": KEY, "URL": server.base_url},
            capture_output=True,
            text=True,
        )

    assert (told.stdout, told.stderr) == ("Northwind annual\n", "")


@pytest.mark.parametrize(
    ("model", "embedder", "complaint"),
    [
        ("my_models.MyModel", "my_embedders.MyEmbedder", ""),
        ("my_models.YourModel", "my_embedders.MyEmbedder", "memseek.E005"),
        ("my_models.MyModel", "my_models.MyModel", "memseek.E006"),
    ],
)
def test_the_check_finds_the_documents_classes(
    tmp_path: Path, model: str, embedder: str, complaint: str
) -> None:
    for name in ("my_models", "my_embedders"):
        (tmp_path / f"{name}.py").write_text(BLOCKS[name], encoding="utf-8")
    variables = {
        "PYTHONPATH": str(tmp_path),
        "MEMSEEK_MODEL_PROVIDER": model,
        "MEMSEEK_EMBEDDING_PROVIDER": embedder,
    }
    told = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=environment(tmp_path / "data", **variables),
        capture_output=True,
        text=True,
    )

    assert (told.returncode == 0, complaint in told.stderr) == (not complaint, True)
