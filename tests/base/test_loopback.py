"""Hosts that are this machine itself."""

import pytest

from loadrig.base.loopback import is_loopback


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost", "LOCALHOST", "localhost."]
)
def test_loopback_is_known_by_number_and_by_name(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "shop.test", "localhost.test", "shop.localhost", "::2", ""])
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)
