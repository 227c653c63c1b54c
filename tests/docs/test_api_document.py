"""docs/api.md says what the document says.

`make api-examples` writes its tables.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from memory.api.operations.document import openapi_document
from tests.api.contract.tables import address_tables, error_table

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
CALL = re.compile(r"^curl (.*?)(?=^curl |^```)", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"\| Status \|.*?\n\n", re.DOTALL)
ADDRESSES = "## Addresses\n\n"


def text() -> str:
    return GUIDE.read_text(encoding="utf-8")


def calls() -> list[str]:
    return CALL.findall(text())


def test_its_tables_are_those_of_the_document() -> None:
    before, _ = text().split(ADDRESSES)
    made = TABLE.sub(lambda _: f"{error_table()}\n\n", before) + ADDRESSES + address_tables() + "\n"
    if os.environ.get("API_EXAMPLES") == "write":
        GUIDE.write_text(made, encoding="utf-8")
    assert text() == made


@pytest.mark.parametrize("call", calls(), ids=range(len(calls())))
def test_its_calls_keep_to_the_document(call: str) -> None:
    [address] = re.findall(r"localhost:8000(\S+)", call)
    template = re.sub(r"(?<=entities/)[^/]+", "{name}", address)
    body = re.search(r"-d '(\{.*\})'", call, re.DOTALL)
    operation = openapi_document()["paths"][template]["post" if "-X POST" in call else "get"]
    if body:
        schema: dict[str, Any] = operation["requestBody"]["content"]["application/json"]["schema"]
        whole = {**schema, "components": openapi_document()["components"]}
        Draft202012Validator(whole).validate(json.loads(body[1]))
    named = set(re.findall(r"(?:-d |\")(\w+)=", call))
    assert named <= {parameter.get("name") for parameter in operation.get("parameters", ())}
