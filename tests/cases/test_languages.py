"""Cases 47 to 51: every script is stored as it was written, and found as its readers would look for it."""

from __future__ import annotations

import pytest

from memory.indexing.analyser_highlights import highlights
from tests.cascade.story import answer, store
from tests.cases.agents import Agent
from tests.cases.answers import by_step

KITE = "测试口令是蓝色风筝"
PASSWORD = "口令"


@pytest.mark.parametrize("is_indexed", [False, True])
def test_case_47_two_chinese_characters_are_found_without_vectors(agent: Agent, is_indexed: bool) -> None:
    agent.say("今天下午开会。", "我喜欢喝绿茶。", KITE, "明天去看电影。")
    agent.tell(*(f"第{number}次会议在三楼。" for number in range(12)), session="meetings")
    if is_indexed:
        agent.work()
    found = agent.recall(PASSWORD, limit=3)
    assert KITE in found["hits"][0]["text"]
    assert (found["arms"]["words"], found["arms"]["meaning"]) == ("answered", "off")
    assert (found["unindexed"] > 0) is not is_indexed
    # Where nothing may be searched by, whoever asks is told.
    blind = agent.recall(PASSWORD, words=False)
    assert (blind["arms"]["words"], blind["arms"]["meaning"]) == ("off", "off")


def test_case_49_what_was_said_is_kept_to_the_byte_and_only_half_a_character_is_mended(agent: Agent) -> None:
    said = "Thanks 🎉 see you at 𠮷野家 👩‍👩‍👧 \u202e e\u0301 \u200d tab\tend \r\n"
    agent.say(said, attachment_text=said)
    # As a client sends a text that was cut amid a character of two units.
    cut = '{"session": "cut", "role": "user", "text": "Meet me at the \\ud83c", "occurred_at": null}'
    body = f'{{"entity": "{agent.name}", "messages": [{cut}]}}'
    reply = agent.caller.client.post("/api/v1/records", body, content_type="application/json")
    assert reply.status_code == 201, reply.content
    (whole,) = agent.send({"session": "cut", "role": "user", "text": "\U0001f389 done", "occurred_at": None})
    assert whole["ordinal"] == 1
    kept = [(message["text"], message["attachment_text"]) for message in agent.messages()]
    assert kept == [(said, said), ("Meet me at the \ufffd", ""), ("🎉 done", "")]
    agent.work()
    found = agent.recall("𠮷野家")["hits"]
    assert any(cited["text"].encode() == said.encode() for hit in found for cited in hit["citations"])


@pytest.mark.parametrize("model", ["offline", "scripted"])
def test_case_50_claims_stay_in_the_language_of_the_talk_and_names_in_their_script(
    agent: Agent, model: str, request: pytest.FixtureRequest
) -> None:
    if model == "scripted":
        stub = request.getfixturevalue("stub")
        translated = store("Wang Xiaoming works at Huaxing.", topic="work")
        right = store("王小明在华星公司工作。", topic="工作", subject="王小明")
        answers = [answer(translated), answer(right)]
        stub.respond = by_step(l1_extract=lambda _: answers.pop(0))
    agent.say("我叫王小明，在华星公司工作。", speaker="王小明")
    agent.work()
    (claim,) = agent.claims()
    assert ("王小明" in claim, "华星公司" in claim) == (True, True)
    assert not any(character.isascii() and character.isalpha() for character in claim)
    assert claim in agent.recalled("王小明在哪里工作？")


@pytest.mark.parametrize(
    ("stored", "query", "marked"),
    [
        ("قرأت كِتاب أحمد أمس.", "كتاب احمد", ["كِتاب", "أحمد"]),
        ("למדתי תִּקּוּן של שיר.", "תקון", ["תִּקּוּן"]),
    ],
    ids=["arabic", "hebrew"],
)
@pytest.mark.parametrize("is_indexed", [False, True])
def test_case_51_marks_and_forms_of_letters_neither_hide_a_word_nor_move_its_place(
    agent: Agent, stored: str, query: str, marked: list[str], is_indexed: bool
) -> None:
    agent.say("The weather is fine today.", stored, "Nothing else was said.")
    agent.tell(*(f"Note number {number} is short." for number in range(12)), session="notes")
    if is_indexed:
        agent.work()
    first, *_ = agent.recall(query)["hits"]
    assert first["citations"][0]["text"] == stored
    spans = highlights(stored, query, ["ar", "he", "en"])
    assert [stored[start:end] for start, end in spans] == marked
