"""The list of known faults names one test for each number, and no test is missing from it."""

import ast
import re

from tests.docs.test_documents import ROOT

ROW = re.compile(r"^\| (\d+) \| [^|]+ \| `(test_case_(\d+)_\w+)` \|$", re.MULTILINE)
GIVEN = (
    "1 2 4 5 8 9 10 11 12 14 16 17 19 20 23 24 25 26 30 31 32 35 37 40 42 43 44 47 49 50 51 53 54 55 56 57"
    " 59 60 61 62 64 65 67 69"
)
NUMBERS = [int(number) for number in GIVEN.split()]


def defined() -> list[str]:
    """The names of all tests of cases, wherever they stand."""
    return [
        node.name
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and re.match(r"test_case_\d", node.name)
    ]


def test_every_case_is_one_test_and_one_row() -> None:
    rows = ROW.findall((ROOT / "docs" / "cases.md").read_text(encoding="utf-8"))
    assert [int(number) for number, *_ in rows] == NUMBERS
    assert [int(in_name) for *_, in_name in rows] == NUMBERS
    assert sorted(name for _, name, _ in rows) == sorted(defined())
