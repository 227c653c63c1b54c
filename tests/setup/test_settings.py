"""Settings: read once, wrong ones told by checks with a hint, never by a traceback."""

import json
import logging
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from memseek_site import VERSION
from memseek_site.broker_address import read_broker_url
from memseek_site.environment import Environment
from memseek_site.live_sources import LiveSettings
from memseek_site.logs import JsonFormatter
from memseek_site.origins import is_exact_origin, read_origins
from memseek_site.product import ModelPrice
from memseek_site.product_reading import read_product_settings
from tests.setup.commands import ROOT, environment, manage

PRODUCTION = {
    "MEMSEEK_ENV": "production",
    "SECRET_KEY": "a-key-of-some-length-" * 4,
    "ALLOWED_HOSTS": "memseek.example",
    "DATABASE_URL": "postgresql://memseek_app@localhost/memseek",
    "REDIS_URL": "redis://localhost/0",
}

PROBLEMS_PROGRAM = """
import dataclasses, json
from memseek_site.settings import ENVIRONMENT
print(json.dumps([dataclasses.asdict(problem) for problem in ENVIRONMENT.problems]))
"""


def read(monkeypatch: pytest.MonkeyPatch, **variables: str) -> tuple[Any, list[str]]:
    """The product's settings under some variables, and the names of those that were wrong."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    reader = Environment()
    product = read_product_settings(reader, Path("/nowhere"))
    return product, [problem.name for problem in reader.problems]


def problems(data_dir: Path, **variables: str) -> list[dict[str, str]]:
    """What a fresh process finds wrong when it reads the settings."""
    told = subprocess.run(
        [sys.executable, "-c", PROBLEMS_PROGRAM],
        cwd=ROOT,
        env=environment(data_dir, **variables),
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(told.stdout))


def test_a_provider_without_its_key_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, MEMSEEK_MODEL_STRONG="large")[1] == ["OPENAI_API_KEY"]
    local = {"MEMSEEK_MODEL_STRONG": "large", "MEMSEEK_MODEL_BASE_URL": "http://localhost:11434/v1"}
    assert read(monkeypatch, **local)[1] == []


@pytest.mark.parametrize(
    ("variables", "identifier", "hint"),
    [
        ({"API_CORS_ORIGINS": '["*"]'}, "memseek.E002", "scheme, host and port only"),
        ({"API_CORS_ORIGINS": "http://localhost"}, "memseek.E001", "a JSON array of exact origins"),
        ({"API_CORS_ORIGINS": '{"a": 1}'}, "memseek.E002", "a JSON array of exact origins"),
        ({"DATABASE_URL": "mysql://localhost/a"}, "memseek.E001", "postgresql://user:password"),
        ({"DATABASE_URL": "nonsense"}, "memseek.E001", "postgresql://user:password"),
        ({"REDIS_URL": "redis://localhost:99999/0"}, "memseek.E001", "redis://user:password"),
        ({"MEMSEEK_MODEL_TIMEOUT_SECONDS": "soon"}, "memseek.E001", "a number of seconds"),
        ({"MEMSEEK_MODEL_CONCURRENCY": "0"}, "memseek.E001", "at least 1"),
        ({"MEMSEEK_VECTOR_INDEX_MEGABYTES": "2097152"}, "memseek.E001", "a number from 1 to 2097151"),
        ({"MEMSEEK_VECTOR_INDEX_WORKERS": "65"}, "memseek.E001", "a number from 0 to 64"),
        ({"MEMSEEK_EMBEDDING_DIMENSIONS": "4001"}, "memseek.E001", "a number from 0 to 4000"),
        ({"MEMSEEK_WAKE_QUIET_SECONDS": "nan"}, "memseek.E001", "a number of seconds"),
        ({"MEMSEEK_WAKE_QUIET_SECONDS": "-1"}, "memseek.E001", "at least 0"),
        ({"MEMSEEK_MODEL_CHEAP": "small"}, "memseek.E001", "MEMSEEK_MODEL_STRONG"),
        ({"MEMSEEK_MODEL_PRICES": '{"a": 1}'}, "memseek.E001", "dollars per million"),
        ({"MEMSEEK_DESIGNS": "/nowhere/at/all"}, "memseek.E001", "Name folders that exist"),
        ({"MEMSEEK_FOLD_AFTER_TURNS": "19"}, "memseek.E001", "Fold later, or keep fewer turns"),
        ({"MEMSEEK_LIVE_CALLABLES": '["a.b"]'}, "memseek.E001", "an object of names and dotted paths"),
        ({"MEMSEEK_LIVE_CALLABLES": '{"a": "plain"}'}, "memseek.E001", "an object of names and dotted paths"),
        ({"MEMSEEK_LIVE_HOSTS": "a.example"}, "memseek.E001", "a JSON array of hosts"),
        ({"MEMSEEK_LIVE_HOSTS": '["https://a.example"]'}, "memseek.E001", "without scheme, path or wildcard"),
        ({"MEMSEEK_LIVE_HOSTS": '["*.example"]'}, "memseek.E001", "without scheme, path or wildcard"),
        ({"MEMSEEK_LIVE_ALLOW_PRIVATE": '["localhost"]'}, "memseek.E001", "in MEMSEEK_LIVE_HOSTS too"),
        ({"MEMSEEK_LIVE_CREDENTIALS": '{"a": "NOT_SET"}'}, "memseek.E001", "Set them, or take the names out"),
        ({"MEMSEEK_REDACT": "secrets,names"}, "memseek.E001", "secrets and personal"),
        ({"MEMSEEK_METRICS_TOKEN": "short"}, "memseek.E001", "openssl rand"),
        ({"MEMSEEK_METRICS": "perhaps"}, "memseek.E001", "true or false"),
        ({"MEMSEEK_ENV": "staging"}, "memseek.E001", "development, production"),
        ({**PRODUCTION, "SECRET_KEY": "short"}, "memseek.E003", "secrets.token_urlsafe"),
        ({**PRODUCTION, "REDIS_URL": ""}, "memseek.E004", "redis://broker"),
        ({**PRODUCTION, "MEMSEEK_DEBUG": "1"}, "memseek.E004", "Unset it"),
    ],
)
def test_a_wrong_setting_is_a_problem_with_a_hint(
    tmp_path: Path, variables: dict[str, str], identifier: str, hint: str
) -> None:
    found = problems(tmp_path / "data", **variables)
    assert [problem["identifier"] for problem in found] == [identifier]
    assert hint in found[0]["hint"]


def test_the_greatest_numbers_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    product, wrong = read(
        monkeypatch, MEMSEEK_VECTOR_INDEX_MEGABYTES="2097151", MEMSEEK_VECTOR_INDEX_WORKERS="64"
    )
    assert (product.embedding.index_megabytes, product.embedding.index_workers, wrong) == (2_097_151, 64, [])


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("", "the embedded one"),
        ("redis://broker", "redis://broker"),
        ("redis://broker:6379/15", "redis://broker:6379/15"),
        ("rediss://ann:p%40ss@broker/0?ssl_cert_reqs=required", None),
        ("unix:///run/redis.sock", "redis+socket:///run/redis.sock?virtual_host=0"),
        ("unix://:secret@/run/redis.sock?db=3", "redis+socket://:secret@/run/redis.sock?virtual_host=3"),
        ("redis+socket:///run/redis.sock", "redis+socket:///run/redis.sock?virtual_host=0"),
    ],
)
def test_the_broker_may_be_reached_by_tcp_tls_or_a_socket(address: str, taken: str | None) -> None:
    reader = Environment()
    assert read_broker_url(reader, address, embedded="the embedded one") == (taken or address)
    assert reader.problems == []


@pytest.mark.parametrize(
    "address",
    [
        "localhost:6379",
        "http://localhost:6379/0",
        "amqp://localhost",
        "memory://",
        "redis://localhost:port/0",
        "redis://localhost:65536/0",
        "redis://localhost:0/0",
        "redis://localhost/zero",
        "redis://localhost/-1",
        "redis://localhost/\uff11",
        "redis://[::1/0",
        "redis://ann:p#ss@localhost/0",
        "unix://run/redis.sock",
        "unix://",
        "unix:///run/redis.sock?db=x",
    ],
)
def test_an_address_of_no_redis_is_told_without_its_password(address: str) -> None:
    reader = Environment()
    assert read_broker_url(reader, address, embedded="the embedded one") == "the embedded one"
    (problem,) = reader.problems
    assert (problem.name, problem.message) == (
        "REDIS_URL",
        "REDIS_URL is no address of a Redis or Valkey server.",
    )
    assert "redis://user:password@host:6379/0" in problem.hint


def test_wrong_settings_are_check_errors_and_no_traceback(tmp_path: Path) -> None:
    told = manage(tmp_path / "data", "check", API_CORS_ORIGINS='["*"]', MEMSEEK_RUN_CALLS="many")
    assert told.returncode == 1
    assert "(memseek.E001)" in told.stderr
    assert "(memseek.E002)" in told.stderr
    assert told.stderr.count("HINT: ") == 2
    assert "Traceback" not in told.stderr


def test_a_wrong_setting_starts_no_server(tmp_path: Path) -> None:
    told = manage(tmp_path / "data", "serve", MEMSEEK_SWEEP_SECONDS="never")
    assert (told.returncode, "memseek.E001" in told.stderr) == (1, True)
    assert not (tmp_path / "data" / "servers").exists()


def test_production_settings_pass_the_deployment_checks(tmp_path: Path) -> None:
    told = manage(tmp_path / "data", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert (told.returncode, told.stderr) == (0, "")
    assert not (tmp_path / "data").exists()


def test_the_secret_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    program = ("shell", "-c", "from django.conf import settings; print(settings.SECRET_KEY)")
    outside = {name: PRODUCTION[name] for name in ("DATABASE_URL", "REDIS_URL")}
    first, second = (manage(tmp_path / "data", *program, **outside).stdout for _ in range(2))
    assert first == second
    assert len(first.strip().splitlines()[-1]) >= 50
    assert (tmp_path / "data" / "secret-key").stat().st_mode & 0o077 == 0


def test_defaults_are_the_offline_model_without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    product, wrong = read(monkeypatch)
    assert wrong == []
    assert (product.model.is_configured, product.is_llm_fake) == (False, False)
    assert (product.waking.quiet_seconds, product.waking.latest_seconds) == (2.0, 30.0)


def test_a_model_is_read_with_its_key_and_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    product, wrong = read(
        monkeypatch,
        MEMSEEK_MODEL_STRONG="large",
        MEMSEEK_MODEL_API_KEY_ENV="OUR_KEY",
        OUR_KEY="sk-not-to-be-seen",
        OPENAI_API_KEY="sk-other",
        MEMSEEK_MODEL_FALLBACKS="medium, small",
        MEMSEEK_MODEL_PRICES='{"large": [1.25, 10]}',
    )
    assert wrong == []
    assert (product.model.strong, product.model.cheap) == ("large", "large")
    assert product.model.api_key == "sk-not-to-be-seen"
    assert product.model.fallbacks == ("medium", "small")
    assert product.model.prices == {"large": ModelPrice(1.25, 10.0)}
    assert product.unused_key_variables == ("OPENAI_API_KEY",)
    assert "sk-" not in repr(product)


def test_live_sources_are_read_and_their_tokens_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    product, wrong = read(
        monkeypatch,
        BILLING_TOKEN="token-of-billing-1",
        MEMSEEK_LIVE_CALLABLES='{"plan": "shop.live.billing_plan"}',
        MEMSEEK_LIVE_HOSTS='["billing.example.com", "crm.internal:8443", "[::1]:9"]',
        MEMSEEK_LIVE_ALLOW_PRIVATE='["crm.internal:8443"]',
        MEMSEEK_LIVE_CREDENTIALS='{"billing": "BILLING_TOKEN"}',
    )
    assert wrong == []
    assert product.live == LiveSettings(
        callables={"plan": "shop.live.billing_plan"},
        hosts=("billing.example.com", "crm.internal:8443", "[::1]:9"),
        private_hosts=("crm.internal:8443",),
        credentials={"billing": "token-of-billing-1"},
    )
    assert "token-of-billing" not in repr(product)
    before = product.configuration_hash()
    assert read(monkeypatch, BILLING_TOKEN="token-of-billing-2")[0].configuration_hash() == before
    assert read(monkeypatch, MEMSEEK_LIVE_HOSTS="[]")[0].configuration_hash() != before


def test_the_configuration_hash_follows_behaviour_and_holds_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = read(monkeypatch)[0].configuration_hash()
    with_model = read(monkeypatch, MEMSEEK_MODEL_STRONG="large")[0].configuration_hash()
    with_key = read(monkeypatch, OPENAI_API_KEY="sk-one")[0].configuration_hash()
    with_another_key = read(monkeypatch, OPENAI_API_KEY="sk-two")[0].configuration_hash()
    assert len({plain, with_model, with_key}) == 3
    assert with_key == with_another_key


@pytest.mark.parametrize(
    ("origin", "is_exact"),
    [
        ("https://app.example.com", True),
        ("http://localhost:5173", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:8000", True),
        ("https://app.example.com/", False),
        ("https://*.example.com", False),
        ("*", False),
        ("null", False),
        ("app.example.com", False),
        ("HTTPS://app.example.com", False),
        ("https://App.example.com", False),
        ("https://user@app.example.com", False),
        ("https://app.example.com?x=1", False),
        ("https://app.example.com:port", False),
        ("ftp://app.example.com", False),
        ("", False),
    ],
)
def test_only_exact_origins_pass(origin: str, is_exact: bool) -> None:
    assert is_exact_origin(origin) is is_exact


def test_origins_are_read_as_a_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_CORS_ORIGINS", '["http://localhost:1", "http://*"]')
    reader = Environment()
    assert read_origins(reader) == ()
    assert [problem.identifier for problem in reader.problems] == ["memseek.E002"]


def test_the_documentation_lists_exactly_the_variables_that_are_read() -> None:
    text = (ROOT / "docs" / "deployment.md").read_text()
    documented = {
        name: default.strip("`")
        for name, default in re.findall(r"^\| `([A-Z_]+)` \| ([^|]*?) \|", text, flags=re.MULTILINE)
    }
    read_here: Environment = settings.ENVIRONMENT
    assert documented == {setting.name: setting.default for setting in read_here.read}


def test_nothing_but_the_settings_reads_the_environment() -> None:
    told_to_others = r"\.setdefault\(\"(?:DJANGO_SETTINGS_MODULE|CELERY_SKIP_CHECKS)\""
    reading = re.compile(rf"os\.environ\b(?!{told_to_others})|os\.getenv|\bEnv\(")
    allowed = {
        "memseek_site/environment.py",
        # What a child process is given, not what the product is told.
        "memseek_site/embedded/children.py",
        "memseek_site/supervisor.py",
        "memseek_site/trial.py",
        "memseek_site/disposable.py",
        # Clients run where no settings of a server are.
        "memory/client/site.py",
        "memory/walkthrough/terminal.py",
    }
    found = {
        str(path.relative_to(ROOT))
        for folder in ("memseek_site", "memory", "showcase")
        for path in (ROOT / folder).rglob("*.py")
        if reading.search(path.read_text())
    }
    assert found == allowed


def test_the_version_is_the_same_everywhere() -> None:
    assert f'version = "{VERSION}"' in (ROOT / "pyproject.toml").read_text()


def test_a_json_log_line_holds_extra_values_and_no_text_of_an_error() -> None:
    record = logging.getLogger("memory").makeRecord(
        "memory", logging.ERROR, "file.py", 1, "step %s failed", ("l1_extract",), None, extra={"entity": 7}
    )
    try:
        raise ValueError("words of a person")
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    line = json.loads(JsonFormatter().format(record))
    assert (line["message"], line["entity"], line["error"]) == ("step l1_extract failed", 7, "ValueError")
    assert "words of a person" not in json.dumps(line)


def test_redaction_and_metrics_are_off_until_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, _ = read(monkeypatch)
    assert (plain.redact, plain.metrics.is_on) == (frozenset(), False)
    told, wrong = read(
        monkeypatch,
        MEMSEEK_REDACT="secrets, personal",
        MEMSEEK_METRICS="true",
        MEMSEEK_METRICS_TOKEN="a-token-of-24-characters",
    )
    assert (told.redact, told.metrics.is_on, wrong) == (frozenset({"secrets", "personal"}), True, [])
    assert "a-token" not in repr(told)
    # Web and worker have to redact alike; who may scrape is of no interest to the worker.
    assert told.configuration_hash() != plain.configuration_hash()
    assert replace(told, redact=plain.redact).configuration_hash() == plain.configuration_hash()
