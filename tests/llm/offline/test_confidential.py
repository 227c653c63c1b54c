"""What is a secret, and what only speaks of one."""

import pytest

from memory.llm.offline.confidential import holds_secret


@pytest.mark.parametrize(
    "said",
    [
        "My password is hunter2!swordfish.",
        "password: swordfish",
        "Das Passwort ist Kessel77.",
        "我的密码是 abc12345",
        "Use the API key Kx81-4407-ffab-2210 for the calls.",
        "The token for the registry is 91ab77cd.",
        "ghp_0123456789abcdefghijABCDEFGHIJ",
        "Connect to postgres://admin:s3cret@db.example:5432/app.",
        "-----BEGIN RSA PRIVATE KEY-----",
        "My card number ends, no wait: 4111-1111-1111-1111.",
        "Pay to DE89 3704 0044 0532 0130 00.",
        "aG93IGRvIHlvdSBkbz8gMTIz4Q9zZXI",
    ],
)
def test_secrets_are_found(said: str) -> None:
    assert holds_secret(said)


@pytest.mark.parametrize(
    "said",
    [
        "Never write passwords into the logs.",
        "The password is too weak.",
        "The password policy is strict.",
        "The API key must be rotated every month.",
        "My pin board is full.",
        "I ordered the stove under number 8812.",
        "The parcel has the number 4111 1111 1111 1112.",
        "See commit 0a1b2c3 of the repository.",
        "The run 0189f6de-6f2c-7d2a-9d6b-000000000001 failed.",
        "The key is under the mat.",
    ],
)
def test_speaking_of_secrets_is_none(said: str) -> None:
    assert not holds_secret(said)
