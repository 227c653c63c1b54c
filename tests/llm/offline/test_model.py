"""The offline model behind the seam."""

import pytest

from memory.cascade.contract import ExtractAnswer, ExtractPayload
from memory.llm.offline import OfflineModel
from memory.llm.offline.lexicon import LANGUAGES, cues_of, language_of
from memory.llm.protocol import ModelReply, ModelRequest, PermanentModelError
from tests.llm.offline.ladder import message

PAYLOAD = ExtractPayload("agent.alice", "UTC", (message("I love ramen."),), (), (), ())


def test_it_answers_from_the_payload_alone_and_costs_nothing() -> None:
    reply = OfflineModel().answer(ModelRequest("l1_extract", "", "ignored", ExtractAnswer, PAYLOAD))
    assert reply == ModelReply(text=reply.text, model="offline@1")
    assert [item.text for item in ExtractAnswer.model_validate_json(reply.text).items] == [
        "Alice loves ramen."
    ]


def test_it_refuses_what_it_has_no_rules_for() -> None:
    with pytest.raises(PermanentModelError, match="no rules for dict"):
        OfflineModel().answer(ModelRequest("skill_extract", "", "", ExtractAnswer, {}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_the_cues_that_decide(language: str) -> None:
    english = set(cues_of("en").patterns)
    needed = {
        "question",
        "one_off",
        "standing",
        "never",
        "negation",
        "first_person",
        "moment",
        "like",
        "dislike",
    }
    # English tells these three by its word order and its capitals.
    foreign = {"self_subject", "third_person", "told"} if language != "en" else set()
    assert needed | foreign <= set(cues_of(language).patterns) <= english | foreign


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lease is signed.", "en"),
        ("Ich wohne nicht in der Stadt.", "de"),
        ("No me gusta el café.", "es"),
        ("Je ne bois pas de café.", "fr"),
        ("我喜欢茶。", "zh"),
        ("Postgres 18", "en"),
        ("Soy vegetariana.", "es"),
        ("No como carne.", "es"),
        ("J'aime le thé.", "fr"),
        ("Tutoie-moi.", "fr"),
        ("Ich mag Tee.", "de"),
        ("I'm not here.", "en"),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language
