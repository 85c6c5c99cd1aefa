"""Heads of Ray that are refused, as just anybody may use them."""

from pathlib import Path

import pytest

from loadrig.fleet import _ray_guard
from loadrig.fleet._ray_guard import is_open, listens_everywhere

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


@pytest.mark.parametrize(
    ("address", "everywhere", "environment", "answers", "expected"),
    [
        ("127.0.0.1:6379", False, {}, True, False),
        ("127.0.0.1:6379", True, {}, True, True),
        ("127.0.0.1:6379", True, {"RAY_AUTH_MODE": "token"}, False, False),
        ("10.0.0.5:6379", False, {}, False, True),
        ("10.0.0.5:6379", False, {"RAY_AUTH_MODE": "Token"}, False, False),
        ("10.0.0.5:6379", False, {"RAY_AUTH_MODE": "token"}, True, True),
        ("10.0.0.5:6379", False, {"RAY_USE_TLS": "1"}, True, False),
    ],
)
def test_a_head_that_others_may_use_is_open_whatever_we_bring(
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    everywhere: bool,
    environment: dict[str, str],
    answers: bool,
    expected: bool,
) -> None:
    monkeypatch.setattr(_ray_guard, "listens_everywhere", lambda _: everywhere)
    monkeypatch.setattr(_ray_guard, "_answers_anybody", lambda *_: answers)
    assert is_open(address, environment) is expected
