"""Where the proxy forwards to, and with which key."""

from __future__ import annotations

import pytest

from memseek_site.environment import Environment
from memseek_site.model_reading import read_model
from memseek_site.proxy_reading import OPENAI_ADDRESS, ProxySettings, read_proxy

KEY = "sk-not-to-be-seen"


def read(monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[ProxySettings, list[str]]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    environment = Environment()
    model = read_model(environment)
    return read_proxy(environment, model), [problem.name for problem in environment.problems]


def test_it_is_off_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch) == (ProxySettings(), [])


def test_the_models_own_endpoint_comes_with_its_key_and_its_names(monkeypatch: pytest.MonkeyPatch) -> None:
    told, wrong = read(
        monkeypatch,
        MEMSEEK_PROXY="true",
        MEMSEEK_MODEL_STRONG="large",
        MEMSEEK_MODEL_CHEAP="small",
        OPENAI_API_KEY=KEY,
        MEMSEEK_PROXY_MODELS='{"mine": "large", "*": "medium"}',
    )
    assert (told.base_url, told.api_key, wrong) == (OPENAI_ADDRESS, KEY, [])
    assert [told.model_for(name) for name in ("strong", "cheap", "mine", "gpt-5")] == [
        *("large", "small", "large", "medium")
    ]
    assert KEY not in repr(told)


def test_another_endpoint_never_gets_the_models_key(monkeypatch: pytest.MonkeyPatch) -> None:
    told, wrong = read(
        monkeypatch,
        MEMSEEK_PROXY="true",
        MEMSEEK_MODEL_STRONG="large",
        OPENAI_API_KEY=KEY,
        MEMSEEK_PROXY_BASE_URL="http://127.0.0.1:11434/v1/",
    )
    assert (told.base_url, told.api_key, wrong) == ("http://127.0.0.1:11434/v1", "", [])


@pytest.mark.parametrize(
    ("variables", "wrong"),
    [
        ({"MEMSEEK_PROXY": "true"}, ["MEMSEEK_PROXY"]),
        ({"MEMSEEK_PROXY_BASE_URL": "localhost:11434"}, ["MEMSEEK_PROXY_BASE_URL"]),
        ({"MEMSEEK_PROXY_API_KEY_ENV": "OPENAI_API_KEY"}, ["MEMSEEK_PROXY_API_KEY_ENV"]),
        (
            {"MEMSEEK_PROXY_BASE_URL": "http://127.0.0.1/v1", "MEMSEEK_PROXY_API_KEY_ENV": "NOT_SET"},
            ["MEMSEEK_PROXY_API_KEY_ENV"],
        ),
        ({"MEMSEEK_PROXY_MODELS": '["gpt-5"]'}, ["MEMSEEK_PROXY_MODELS"]),
        ({"MEMSEEK_PROXY_MODELS": '{"a": 1}'}, ["MEMSEEK_PROXY_MODELS"]),
        ({"MEMSEEK_PROXY_PLACE": "last"}, ["MEMSEEK_PROXY_PLACE"]),
    ],
)
def test_what_does_not_go_together_is_told(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wrong: list[str]
) -> None:
    assert read(monkeypatch, **variables)[1] == wrong
