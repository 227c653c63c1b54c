"""Which addresses may be asked."""

import pytest

from memory.claims.live_addresses import (
    Hosts,
    LiveError,
    filled,
    is_reachable,
    target_of,
    template_problem,
)

HOSTS = Hosts(
    frozenset({"billing.example.com", "crm.internal:8443", "localhost:8000", "10.0.0.5", "[::1]:9"}),
    frozenset({"localhost:8000", "10.0.0.5", "[::1]:9"}),
)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://billing.example.com/plan", ("https", "billing.example.com", 443)),
        ("https://BILLING.example.com:443/plan", ("https", "billing.example.com", 443)),
        ("https://crm.internal:8443/", ("https", "crm.internal", 8443)),
        ("http://localhost:8000/", ("http", "localhost", 8000)),
        ("http://10.0.0.5/", ("http", "10.0.0.5", 80)),
        ("http://[::1]:9/", ("http", "::1", 9)),
    ],
)
def test_hosts_of_the_list_may_be_asked(url: str, place: tuple[str, str, int]) -> None:
    assert target_of(url, HOSTS).origin == place


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://evil.example.com/", "lies on a host that is not allowed"),
        ("https://billing.example.com.evil.example/", "lies on a host that is not allowed"),
        ("https://billing.example.com:8443/", "lies on a host that is not allowed"),
        ("https://crm.internal/", "lies on a host that is not allowed"),
        ("http://billing.example.com/", "has to be asked over https"),
        ("https://user:secret@billing.example.com/", "has an address that cannot be read"),
        ("https://billing.example.com@evil.example/", "has an address that cannot be read"),
        ("file:///etc/passwd", "has an address that cannot be read"),
        ("https:///plan", "has an address that cannot be read"),
        ("https://billing.example.com:99999/", "has an address that cannot be read"),
    ],
)
def test_anything_else_is_not_asked(url: str, reason: str) -> None:
    with pytest.raises(LiveError, match=f"^{reason}$"):
        target_of(url, HOSTS)


@pytest.mark.parametrize(
    ("address", "in_public", "in_private"),
    [
        ("93.184.216.34", True, True),
        ("2606:2800:220:1::1", True, True),
        ("127.0.0.1", False, True),
        ("10.1.2.3", False, True),
        ("192.168.0.1", False, True),
        ("100.64.0.1", False, True),
        ("::1", False, True),
        ("fd00::1", False, True),
        ("::ffff:127.0.0.1", False, True),
        ("64:ff9b::7f00:1", False, True),
        ("2002:7f00:1::", False, True),
        ("169.254.169.254", False, False),
        ("::ffff:169.254.169.254", False, False),
        ("fe80::1%eth0", False, False),
        ("0.0.0.0", False, False),
        ("224.0.0.1", False, False),
        ("255.255.255.255", False, False),
        ("::", False, False),
    ],
)
def test_where_a_host_may_lie(address: str, in_public: bool, in_private: bool) -> None:
    found = [is_reachable(address, may_be_private=private) for private in (False, True)]
    assert found == [in_public, in_private]


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("https://a.example/{kind}/{identifier}?of={predicate}", None),
        ("http://localhost:8000/plan", None),
        ("https://a.example/{name}", "holds {name}; known are {kind}, {identifier}, {predicate}"),
        ("https://a.example/{", "holds a brace that belongs to no place"),
        ("https://{kind}.example/", "has to name its host in full"),
        ("ftp://a.example/", "has to begin with https:// and a host, or with http:// where"),
        ("billing_plan", "has to begin with https:// and a host, or with http:// where"),
        ("https://u:p@a.example/", "holds a user, a password or a fragment"),
        ("https://a.example:port/", "is no address"),
        ("https://ä.example/", "holds a character that has to be encoded"),
    ],
)
def test_what_an_address_of_a_source_looks_like(template: str, problem: str | None) -> None:
    found = template_problem(template)
    assert found == problem if problem is None else (found or "").startswith(problem)


def test_places_are_encoded_parts() -> None:
    places = {"kind": "customer", "identifier": "a/b?c=1&d#e é", "predicate": "billing.plan"}
    assert filled("https://a.example/{identifier}?p={predicate}", places) == (
        "https://a.example/a%2Fb%3Fc%3D1%26d%23e%20%C3%A9?p=billing.plan"
    )


@pytest.mark.parametrize("identifier", [".", ".."])
def test_a_name_cannot_leave_its_part(identifier: str) -> None:
    places = {"kind": "customer", "identifier": identifier, "predicate": "billing.plan"}
    with pytest.raises(LiveError, match="cannot be asked about such a name"):
        filled("https://a.example/customers/{identifier}/plan", places)
