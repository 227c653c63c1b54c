"""What is taken out of a text at the door, and what has to stay: ids, hashes, dates, versions, orders.

No secret stands whole in this file: those who look for such shapes in repositories would find them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from phonenumbers import PhoneNumber, parse

from memory.ingest.redaction import redact, redact_json
from memory.ingest.redaction_kinds import PLACEHOLDER, Kind
from memory.ingest.redaction_phones import MOST_QUESTIONS
from memory.models.messages import MESSAGE_TEXT_LIMIT

LETTERS = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"
DIGEST = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.fixture(autouse=True)
def everything(settings: Any) -> None:
    """Secrets and personal data are both taken out."""
    chosen(settings, "secrets", "personal")


def chosen(settings: Any, *names: str) -> None:
    settings.MEMSEEK = replace(settings.MEMSEEK, redact=frozenset(names))


SECRETS = {
    "github": ("gh" + "p_" + LETTERS + "abcd", Kind.API_KEY),
    "github, fine": ("github" + "_pat_11ABCDEFG0" + LETTERS, Kind.API_KEY),
    "gitlab": ("glp" + "at-" + LETTERS[:20], Kind.API_KEY),
    "aws": ("AKI" + "AIOSFODNN7EXAMPLE", Kind.API_KEY),
    "openai": ("sk-" + "proj-" + LETTERS + LETTERS, Kind.API_KEY),
    "anthropic": ("sk-" + "ant-api03-" + LETTERS + "-" + LETTERS, Kind.API_KEY),
    "google": ("AIz" + "aSyZ" + LETTERS, Kind.API_KEY),
    "slack": ("xox" + "b-123456789012-123456789012-" + LETTERS[:24].lower(), Kind.API_KEY),
    "stripe": ("sk_" + "live_" + LETTERS[:24], Kind.API_KEY),
    "hugging face": ("hf" + "_" + LETTERS + "ab", Kind.API_KEY),
    "sendgrid": ("S" + "G." + LETTERS[:22] + "." + LETTERS + LETTERS[:11], Kind.API_KEY),
    "telegram": ("12345678" + "9:" + LETTERS + "abc", Kind.API_KEY),
    "twilio": ("A" + "C" + DIGEST, Kind.API_KEY),
    "npm": ("npm" + "_" + LETTERS + "abcd", Kind.API_KEY),
    "azure": ("Account" + "Key=" + LETTERS + LETTERS + LETTERS[:22] + "==", Kind.API_KEY),
    "own key": ("ms" + "k_" + LETTERS + "abcdefghijk", Kind.API_KEY),
    "web token": ("ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", Kind.TOKEN),
}


@pytest.mark.parametrize("around", ["{}", "Use {} for it.", "密钥{}。", 'token("{}")', "({}), please"])
@pytest.mark.parametrize("name", SECRETS)
def test_known_shapes_of_secrets_are_taken_out(name: str, around: str) -> None:
    secret, kind = SECRETS[name]
    done = redact(around.format(secret))
    assert (done.text, dict(done.counts)) == (around.format(kind.placeholder), {kind.value: 1})


@pytest.mark.parametrize(
    "around", ['{{"a":"{0}","b":"{0}"}}', "{0},{0}", "{0}。{0}", "a={0}&b={0}", "令牌：{0}"]
)
def test_web_tokens_are_found_side_by_side(around: str) -> None:
    secret, kind = SECRETS["web token"]
    assert redact(around.format(secret)).text == around.format(kind.placeholder)


PRIVATE_KEY = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA{0}\n{0}\n-----END RSA PRIVATE KEY-----"

LABELLED = [
    ("postgresql://app:s3cret@db/memory", "postgresql://app:[redacted: password]@db/memory"),
    ("redis://:hunter2@broker:6379/0", "redis://:[redacted: password]@broker:6379/0"),
    (
        "https://a.example/x?id=7&access_token=abcdef123456#top",
        "https://a.example/x?id=7&access_token=[redacted: token]#top",
    ),
    ("Authorization: Bearer abcdef0123456789xyz", "Authorization: Bearer [redacted: token]"),
    ("Authorization: Token abcdef0123456789xyz", "Authorization: Token [redacted: token]"),
    (
        "https://a.example/x?id_token=abcdef123456&reset_token=abcdef123456",
        "https://a.example/x?id_token=[redacted: token]&reset_token=[redacted: token]",
    ),
    ("My password is hunter22.", "My password is [redacted: password]."),
    ("Das Passwort lautet geheim!99", "Das Passwort lautet [redacted: password]"),
    ("La contraseña es perro2024!", "La contraseña es [redacted: password]!"),
    ("Le mot de passe : soleil75", "Le mot de passe : [redacted: password]"),
    ("密码是abc12345，别忘了。", "密码是[redacted: password]，别忘了。"),
    ("DB_PASSWORD=pa55w0rd!x", "DB_PASSWORD=[redacted: password]"),
    ('{"api_key": "k3y-of-mine-1"}', '{"api_key": "[redacted: password]"}'),
    ("client secret: 7hq9-aab2-ppz1", "client secret: [redacted: password]"),
    ("Password:\n\n hunter22", "Password:\n\n [redacted: password]"),
    ("curl -s -u ann:pw https://a.example", "curl -s -u ann:[redacted: password] https://a.example"),
    ("curl --user 'ann:p w' https://a.example", "curl --user 'ann:[redacted: password]' https://a.example"),
    ("sshpass -p open ssh host", "sshpass -p [redacted: password] ssh host"),
    ("mysql --password hunter22 -h db", "mysql --password [redacted: password] -h db"),
    ("Cookie: sessionid=abcdefghij; a=b", "Cookie: sessionid=[redacted: token]; a=b"),
    ("Set-Cookie: sid=abcdefghij; Path=/accounts", "Set-Cookie: sid=[redacted: token]; Path=/accounts"),
    (
        "https://discord.com/api/webhooks/12345/abcDEF_gh-1 is ours",
        "https://discord.com/api/webhooks/[redacted: token] is ours",
    ),
    (
        "https://hooks.slack.com/triggers/T0/12/abcd",
        "https://hooks.slack.com/triggers/[redacted: token]",
    ),
    ('I sent {"password":"correct horse"}.', 'I sent {"password":"[redacted: password]"}.'),
    ('{\\"db_password\\": \\"correct horse\\"}', '{\\"db_password\\": \\"[redacted: password]\\"}'),
    ('{"password": "an \\"odd\\" one", "a": 1}', '{"password": "[redacted: password]", "a": 1}'),
    ("{'passcode': 4711}", "{'passcode': [redacted: password]}"),
    (f"Here:\n{PRIVATE_KEY.format(LETTERS)}\nThanks.", "Here:\n[redacted: private key]\nThanks."),
    (f"Cut: {PRIVATE_KEY.format(LETTERS)[:90]}", "Cut: [redacted: private key]"),
    (f"> {PRIVATE_KEY.format(LETTERS)[:90]}".replace("\n", "\n> "), "> [redacted: private key]"),
]


@pytest.mark.parametrize(("text", "wanted"), LABELLED)
def test_secrets_that_are_named_as_such_are_taken_out(text: str, wanted: str) -> None:
    assert redact(text).text == wanted


PERSONAL = [
    ("Write to ann.lee+work@mail.example.com.", "Write to [redacted: e-mail]."),
    ("Пишите на иван@почта.рф", "Пишите на [redacted: e-mail]"),
    ("邮箱：li@example.cn。", "邮箱：[redacted: e-mail]。"),
    ("bob [at] example.com, ann(at)mail[dot]example[dot]com", "[redacted: e-mail], [redacted: e-mail]"),
    ("Order by phone: 030 123 4567", "Order by phone: [redacted: phone number]"),
    ("Bestellhotline 030 1234567", "Bestellhotline [redacted: phone number]"),
    ("across the border 415-555-2671", "across the border [redacted: phone number]"),
    ("From ticket +49 30 901820", "From ticket [redacted: phone number]"),
    ("0049 30 901820 oder 0171 1234567", "[redacted: phone number] oder [redacted: phone number]"),
    ("Call +49 30 901820 tomorrow.", "Call [redacted: phone number] tomorrow."),
    ("Call 0049 30 901820 tomorrow.", "Call [redacted: phone number] tomorrow."),
    ("+1 (415) 555-2671", "[redacted: phone number]"),
    ("Ring me: (415) 555-2671.", "Ring me: [redacted: phone number]."),
    ("It is 415-555-2671, ask for Bob.", "It is [redacted: phone number], ask for Bob."),
    ("Appelle le 06 12 34 56 78", "Appelle le [redacted: phone number]"),
    ("Meine Handynummer ist 0171 1234567.", "Meine Handynummer ist [redacted: phone number]."),
    ("我的电话是13812345678。", "我的电话是[redacted: phone number]。"),
    ("携帯は090-1234-5678です", "携帯は[redacted: phone number]です"),
    ("Llámame al móvil 612 34 56 78", "Llámame al móvil [redacted: phone number]"),
    ("Card 4111 1111 1111 1111, 12/28", "Card [redacted: card number], 12/28"),
    ("5555555555554444", "[redacted: card number]"),
    ("Amex 3782-822463-10005", "Amex [redacted: card number]"),
    ("IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [redacted: bank account] please"),
    ("GB82WEST12345698765432", "[redacted: bank account]"),
    ("SSN 536-90-4399", "SSN [redacted: national id]"),
    ("DNI 12345678Z", "DNI [redacted: national id]"),
    ("RSSMRA85T10A562S", "[redacted: national id]"),
    ("身份证11010519491231002X", "身份证[redacted: national id]"),
    ("CPF 390.533.447-05", "CPF [redacted: national id]"),
    ("AHV 756.9217.0769.85", "AHV [redacted: national id]"),
    ("PESEL 44051401359", "PESEL [redacted: national id]"),
    ("Meine Steuer-ID ist 36 574 261 809", "Meine Steuer-ID ist [redacted: national id]"),
    ("NHS number 943 476 5919", "NHS number [redacted: national id]"),
    ("from 203.0.113.7 at noon", "from [redacted: IP address] at noon"),
    ("from 2001:db8::8a2e:370:7334.", "from [redacted: IP address]."),
]


@pytest.mark.parametrize(("text", "wanted"), PERSONAL)
def test_personal_data_is_taken_out(text: str, wanted: str) -> None:
    assert redact(text).text == wanted


KEPT = [
    # ids, hashes, revisions
    "Ticket 0199c2f4-7d1e-7b3a-9c55-2f6a1e0d4b8c is open.",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    f"sha256:{DIGEST}{DIGEST}",
    "trace a3f9c2d4 and span 00f067aa0ba902b7",
    "arn:aws:iam::123456789012:role/deploy-2024",
    "call_9xK2mQ7pLw4RtYbN3vZcAs8D",
    "s3://bucket-name/2024/05/12/part-00001.parquet",
    "https://example.com/articles/2024/05/why-we-moved-to-postgresql-18",
    "memory.recall.context.blocks2.render_all_sections_of_a_scene",
    # dates, times, versions, quantities
    "On 2024-05-12T10:30:00Z, 12.05.2024 and 05/12/2024 10:30:45.",
    "Am 12.05.2024 um 10:30 Uhr, vom 01.02.2023 bis 31.12.2024.",
    "Python 3.11.7, v1.2.3.4, release 10.0.19041.1, version 1.2.3.4, 版本 2.3.4.5",
    "epoch 1718000000 or 1718000000000 ms",
    "It costs 1,234,567.89 or 1.234.567,89 €; 10 000 000 rows.",
    "Ratio 0.123456789012345 and 3.14159265358979",
    "Coordinates 52.520008, 13.404954 and -33.8688 151.2093",
    "ISBN 978-3-16-148410-0, ISSN 2049-3630",
    "Chapters 1 2 3 4 5 6 7 8 9 10 11 12",
    "The years 2019 2020 2021 2022 were hard.",
    "Room 415, floor 3, desk 12-34-56",
    # orders, parcels, accounts of ours
    "Order 4111111111111111 has shipped.",
    "Bestellnummer: 4111 1111 1111 1111",
    "订单号 4111111111111111 已发货",
    "Order 123-4567890-1234567 and invoice INV-2024-001234",
    "Pedido 2024-0001234, factura F24/000123",
    "tracking 1Z999AA10123456784",
    "ticket #12345678, PR 1234567, issue 98765",
    "customer-12345678 pays 1234567890 units",
    "Commande 06123456789 du 12/05",
    "The order number is 4111 1111 1111 1111.",
    "Die Bestellnummer lautet 4111111111111111",
    "El pedido 612 345 678 ha llegado",
    "El número de pedido es 612 345 678",
    "注文番号は 080-1234-5678",
    "Room 030 1234 is free",
    "ticket no. 415-555-2671",
    # words about secrets, and programs
    "The password is required, and the API key is missing.",
    "Rotate the access token every 30 days; the secret is kept in the vault.",
    "password: see the handbook. token: string. secret: true",
    "max_tokens=4096, token_count: 128, tokens: 65536",
    "Das Passwort ist abgelaufen. La contraseña es obligatoria.",
    "api_key = settings.OPENAI_API_KEY_2",
    "password=${DB_PASS2} token={{ vault_token_2 }}",
    "password = os.environ['DB_PASS2']",
    '{"password": "${DB_PASS2}"}',
    "Das Passwort ist 8-stellig. The password is 12-character long.",
    "docker run -u 1000:1000 image",
    "Cookie: a small one, and look (at) this",
    "import sk-learn-contrib-estimators-for-text",
    "risk-adjusted-portfolio-construction-2024-final-version",
    "basic authentication and bearer tokens are supported",
    "std::vector, Ada::Text_IO, dead::beef, 10:30:45, a:b:c",
    "git@github.com:team/project.git and icon@2x.png and react@18.2.0",
    "@alice wrote to #general at 10:30",
    "ssh 10.0.0.7, ping 192.168.1.1, listen on 127.0.0.1:8000 and 0.0.0.0",
    "postgresql://db.example.com:5432/memory and http://localhost:8000/x",
    "APACHE2FOUNDATION and ACCOUNTING2024DEPARTMENT",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "我们在2024年5月12日上午10点30分开会，预算是1234567元。",
    "会議は2024/05/12 10:30、部屋は415です。",
    "Встреча 12.05.2024 в 10:30, бюджет 1 234 567 рублей.",
    "اجتماع يوم 2024-05-12 الساعة 10:30",
]


@pytest.mark.parametrize("text", KEPT)
def test_ids_dates_versions_and_orders_stay(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("text", [*(text for text, _ in PERSONAL), *(text for text, _ in LABELLED), *KEPT])
def test_what_was_redacted_is_redacted_no_further(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text
    assert dict(redact(once.text).counts) == {}


PIECES = [
    *(text for text, _ in PERSONAL),
    *(text for text, _ in LABELLED),
    *KEPT,
    *(key for key, _ in SECRETS.values()),
]


@given(
    pieces=st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=6),
    between=st.sampled_from([" ", "\n", ", ", "; ", " — ", "。"]),
)
@hypothesis_settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_mixture_is_redacted_once_and_for_all(pieces: list[str], between: str) -> None:
    once = redact(between.join(pieces))
    assert redact(once.text).text == once.text


def test_nothing_is_taken_out_unless_the_settings_say_so(settings: Any) -> None:
    chosen(settings)
    text = f"ann@example.com, {SECRETS['aws'][0]}"
    assert (redact(text).text, redact_json({"password": "x"})) == (text, ({"password": "x"}, {}))


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (("secrets",), "ann@example.com has [redacted: API key]"),
        (("personal",), f"[redacted: e-mail] has {SECRETS['aws'][0]}"),
    ],
)
def test_secrets_and_personal_data_are_chosen_by_themselves(
    settings: Any, names: tuple[str, ...], wanted: str
) -> None:
    chosen(settings, *names)
    assert redact(f"ann@example.com has {SECRETS['aws'][0]}").text == wanted


def test_json_keeps_its_names_its_ids_and_its_shape() -> None:
    value = {
        "id": "call_4111111111111111",
        "arguments": '{"to": "ann@example.com", "password": "correct horse"}',
        "input": {"dbPassword": "correct horse", "token": "word", "to": ["ann@example.com", 7, None]},
        "ann@example.com": True,
    }
    done, counts = redact_json(value, kept=frozenset({"id"}))
    assert done == {
        "id": "call_4111111111111111",
        "arguments": '{"to": "[redacted: e-mail]", "password": "[redacted: password]"}',
        "input": {
            "dbPassword": "[redacted: password]",
            "token": "word",
            "to": ["[redacted: e-mail]", 7, None],
        },
        "[redacted: e-mail]": True,
    }
    assert counts == {"e-mail": 3, "password": 2}


def test_names_that_become_alike_are_numbered() -> None:
    value = {
        "ann@example.com": 1,
        "from ann@example.com": 2,
        "bob@example.com": 3,
        "eve@example.com": 4,
        "[redacted: e-mail] 2": 5,
        "order": 6,
    }
    done, counts = redact_json(value)
    assert done == {
        "[redacted: e-mail]": 1,
        "from [redacted: e-mail]": 2,
        "[redacted: e-mail] 3": 3,
        "[redacted: e-mail] 4": 4,
        "[redacted: e-mail] 2": 5,
        "order": 6,
    }
    assert (counts, redact_json(done)) == ({"e-mail": 4}, (done, {}))


def test_every_placeholder_is_known_as_one() -> None:
    assert [kind for kind in Kind if not PLACEHOLDER.fullmatch(kind.placeholder)] == []


def hostile(piece: str) -> str:
    """A text as long as one may be, of pieces that are all different."""
    return "".join(piece.format(number % 1_000, number) for number in range(MESSAGE_TEXT_LIMIT // 16))


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the library of telephone numbers is asked, each text in its turn."""
    asked: list[str] = []

    def told(digits: str, region: str | None) -> PhoneNumber:
        asked.append(digits)
        return parse(digits, region)

    monkeypatch.setattr("memory.ingest.redaction_phones.parse", told)
    return asked


@pytest.mark.parametrize("piece", ["0999 99 99 99 99 99 99 ", "00 1", "tel 030 123 4567 "])
def test_what_is_written_alike_is_asked_about_once(questions: list[str], piece: str) -> None:
    redact(piece * 100)
    few = len(questions)
    questions.clear()
    redact(piece * 3_000)
    assert few <= len(questions) <= few + 200


@pytest.mark.parametrize(
    "piece",
    ["0999 {:03} 99 {:04} 99 99, ", "+1 {:03} 1 {:04} 00, ", "030 {:03} {:04}, ", "tel {:03}9{:04}, "],
)
def test_a_hostile_text_asks_a_bounded_number_of_questions(questions: list[str], piece: str) -> None:
    once = redact(hostile(piece))
    assert 0 < len(questions) <= MOST_QUESTIONS
    # What was not asked about is gone all the same, and stays so.
    assert once.text.endswith("[redacted: phone number], ")
    assert redact(once.text).text == once.text


def test_many_texts_of_one_value_ask_no_more_than_one_text(questions: list[str]) -> None:
    done, _ = redact_json([f"0999 {number:04} 99 99" for number in range(2_000)])
    assert len(questions) <= MOST_QUESTIONS
    assert done[-1] == "[redacted: phone number]"
