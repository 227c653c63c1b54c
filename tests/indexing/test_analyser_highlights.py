"""Matches are shown in the text as it was written."""

import pytest

from memory.indexing.analyser_highlights import highlights

CASES = [
    ("كِتاب أحمد", "كتاب احمد", ["كِتاب", "أحمد"]),
    ("תִּקּוּן עולם", "תקון", ["תִּקּוּן"]),
    ("Die Krankenversicherungsbeiträge steigen", "Versicherung", ["versicherung"]),
    ("See ORDER-481, please", "order-481", ["ORDER-481"]),
    ("See ORDER-481, please", "481", ["481"]),
    (r"In C:\data\in/out, or not", r"C:\data\in/out", [r"C:\data\in/out"]),
    ("我有一只猫", "猫", ["猫"]),
    ("在上海的咖啡馆里", "上海咖啡馆", ["上海", "咖啡馆"]),
    ("ｶﾞﾗｽ割れた", "ガラス", ["ｶﾞﾗｽ"]),
    ("학교에서 만나요", "학교는", ["학교"]),
    ("Deployments e\u0301te\u0301 failed", "deploy été", ["Deployments", "e\u0301te\u0301"]),
    ("We paid $1,200 today", "1200", ["1,200"]),
    ("I love The Who", "The Who", ["The", "Who"]),
    ("party 🎉🎉 👍🏽!", "🎉 👍", ["🎉🎉", "👍🏽"]),
    ("İSPARTA and ısparta", "Isparta", ["İSPARTA", "ısparta"]),
    ("ＡＢＣ１２３", "abc123", ["ＡＢＣ１２３"]),
    ("the cat and the hat", "the dog", []),
]


@pytest.mark.parametrize(("text", "query", "shown"), CASES, ids=[query for _, query, _ in CASES])
def test_a_match_is_shown_as_written(text: str, query: str, shown: list[str]) -> None:
    assert [text[start:end] for start, end in highlights(text, query, ["en", "de"])] == shown
