import tomllib
from pathlib import Path
from typing import Any

import pytest

from memory.skills.matching import FLOOR, Request, Triggers

TABLE = tomllib.loads((Path(__file__).parent / "matching.toml").read_text(encoding="utf-8"))["procedures"]
VERDICTS = {"fits": "fits", "rests": "below floor", "ruled_out": "ruled out"}
CASES = [
    pytest.param(row, request, verdict, id=f"{row['name']}: {request[:40]}")
    for row in TABLE
    for kind, verdict in VERDICTS.items()
    for request in row[kind]
]


@pytest.mark.parametrize(("row", "request_", "verdict"), CASES)
def test_words_decide_whether_a_procedure_is_for_a_request(
    row: dict[str, Any], request_: str, verdict: str
) -> None:
    triggers = Triggers(row["title"], tuple(row["when"]), tuple(row["when_not"]))
    fit = Request(request_, row.get("languages", ["en"])).fit(triggers)
    assert (fit.verdict, fit.score >= FLOOR) == (verdict, verdict != "below floor"), fit.score


def test_the_score_is_a_share() -> None:
    triggers = Triggers("Deploying a service", ("A service is to be deployed",), ())
    assert Request("A service is to be deployed", ["en"]).fit(triggers).score == pytest.approx(1.0)
    assert Request("Sing a song", ["en"]).fit(triggers).score == 0.0
