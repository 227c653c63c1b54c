"""Light, dark, or as the machine has it."""

import pytest
from django.test import Client


@pytest.mark.parametrize(
    ("cookie", "html", "meta"),
    [
        ("dark", '<html lang="en" data-theme="dark">', 'content="dark"'),
        ("light", '<html lang="en" data-theme="light">', 'content="light"'),
        ("auto", '<html lang="en">', 'content="light dark"'),
        ('"><script>', '<html lang="en">', 'content="light dark"'),
    ],
)
def test_the_server_renders_what_the_cookie_says(
    cookie: str, html: str, meta: str, client: Client, db: None
) -> None:
    client.cookies["memseek_theme"] = cookie
    response = client.get("/showcase/")
    content = response.content.decode()
    assert html in content
    assert meta in content
    assert "Cookie" in response["Vary"]


@pytest.mark.parametrize(
    ("wanted", "goes"),
    [
        ("/showcase/agent-memory/?a=1#atoms", "/showcase/agent-memory/?a=1#atoms"),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),
        ("", "/"),
    ],
)
def test_a_choice_is_kept_and_leads_back_and_nowhere_else(
    wanted: str, goes: str, client: Client, db: None
) -> None:
    response = client.post("/showcase/theme/", {"theme": "dark", "next": wanted})
    assert (response.status_code, response["Location"]) == (302, goes)
    assert response.cookies["memseek_theme"].value == "dark"


def test_what_is_no_theme_is_the_machines_own(client: Client, db: None) -> None:
    response = client.post("/showcase/theme/", {"theme": "sepia"})
    assert response.cookies["memseek_theme"].value == "auto"


def test_a_choice_needs_its_token(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post("/showcase/theme/", {"theme": "dark"}).status_code == 403
