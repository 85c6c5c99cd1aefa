"""Heads of Ray that are refused, as just anybody may use them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from loadrig.fleet import _ray_guard
from loadrig.fleet._ray_guard import is_private, listens_everywhere, standing

HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
ROW = "   0: {ip}:{port:04X} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 0 0 1 1 0 100\n"

LOOPBACK, ALL, ALL6 = "0100007F", "00000000", "0" * 32


def table(folder: Path, ip: str, port: int, state: str = "0A") -> Path:
    path = folder / "tcp"
    path.write_text(HEADER + ROW.format(ip=ip, port=port, state=state), encoding="ascii")
    return path


@pytest.mark.parametrize(
    ("ip", "port", "state", "expected"),
    [
        (ALL, 6379, "0A", True),
        (ALL6, 6379, "0A", True),
        (LOOPBACK, 6379, "0A", False),
        (ALL, 6380, "0A", False),
        (ALL, 6379, "01", False),
    ],
)
def test_a_port_is_open_to_all_where_its_listener_has_no_address(
    tmp_path: Path, ip: str, port: int, state: str, expected: bool
) -> None:
    tables = (table(tmp_path, ip, port, state), tmp_path / "no tcp6")
    assert listens_everywhere(6379, tables) is expected


TOKEN, TLS = {"RAY_AUTH_MODE": "Token", "RAY_AUTH_TOKEN": "0"}, {"RAY_USE_TLS": "1"}
OWN, OTHER = "127.0.0.1:6379", "10.0.0.5:6379"


@pytest.mark.parametrize(
    ("address", "everywhere", "environment", "answers", "expected"),
    [
        (OWN, False, {}, ("answers", "answers"), ""),
        (OWN, False, {}, ("turns away", "turns away"), "token"),
        (OWN, True, {}, ("answers", "answers"), "open"),
        (OWN, True, TOKEN, ("answers", "turns away"), ""),
        (OTHER, False, {}, ("answers", "answers"), "open"),
        (OTHER, False, {}, ("turns away", "turns away"), "token"),
        (OTHER, False, {}, ("silent", "silent"), "silent"),
        (OTHER, False, TOKEN, ("answers", "turns away"), ""),
        (OTHER, False, TOKEN, ("turns away", "turns away"), "token"),
        (OTHER, False, TOKEN, ("answers", "answers"), "open"),
        (OTHER, False, TLS, ("answers", "silent"), ""),
    ],
)
def test_a_head_is_not_joined_where_others_may_use_it_or_it_turns_us_away(
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    everywhere: bool,
    environment: dict[str, str],
    answers: tuple[str, str],
    expected: str,
) -> None:
    """Two answers of a head: to us, and to somebody without a token."""
    asked: list[Mapping[str, str]] = []

    def answer(_: str, settings: Mapping[str, str]) -> str:
        asked.append(settings)
        return answers[0] if settings == environment else answers[1]

    monkeypatch.setattr(_ray_guard, "listens_everywhere", lambda _: everywhere)
    monkeypatch.setattr(_ray_guard, "_answer", answer)
    assert standing(address, environment, unguarded=False) == expected
    assert not any("RAY_AUTH_TOKEN" in settings for settings in asked[1:])
    assert standing(address, environment, unguarded=True) == ("token" if expected == "token" else "")


@pytest.mark.parametrize(
    ("address", "expected"),
    [("127.0.0.1:7001", True), ("[::1]:7001", True), ("127.0.0.2:7002", False), ("10.0.0.5:7001", False)],
)
def test_an_address_is_private_where_it_is_of_this_machine_and_its_listener_listens_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, address: str, expected: bool
) -> None:
    monkeypatch.setattr(_ray_guard, "listens_everywhere", lambda port: port == 7002)
    assert is_private(address) is expected
