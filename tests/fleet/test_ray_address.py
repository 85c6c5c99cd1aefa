"""Addresses of heads of Ray that `auto` stands for, and what is said of those that cannot be joined."""

import socket
from pathlib import Path

import pytest

from loadrig.fleet import _ray_address, _ray_cluster
from loadrig.fleet._ray_address import head_to_join
from loadrig.fleet._ray_cluster import RayCluster, RefusedCluster
from loadrig.fleet.ray_hosts import GENERATORS
from tests.fleet.test_ray_hosts_without import rules


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file in which `ray start` leaves an address; it is not there yet."""
    monkeypatch.setattr(_ray_address, "RUNNING", tmp_path / "ray_current_cluster")
    return tmp_path / "ray_current_cluster"


@pytest.mark.parametrize("written", ["", "10.0.0.7:1"])
@pytest.mark.parametrize(
    ("variable", "expected"),
    [("", None), ("auto", None), ("local", ""), ("10.0.0.6:1", "10.0.0.6:1")],
)
def test_auto_is_what_ray_takes_it_for(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    expected: str | None,
    written: str,
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", variable)
    if written:
        file.write_text(f"{written}\n", encoding="utf-8")
    address, source = head_to_join("auto")
    assert address == (written if expected is None else expected)
    assert bool(source) == bool(address)
    assert head_to_join("10.0.0.5:1") == ("10.0.0.5:1", "")


@pytest.mark.parametrize("source", ["RAY_ADDRESS", "ray_current_cluster"])
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://127.0.0.1"])
def test_an_address_that_is_not_of_the_plan_is_refused_where_it_stands(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, address: str
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if source == "RAY_ADDRESS":
        monkeypatch.setenv(source, address)
    else:
        file.write_text(address, encoding="utf-8")
    with pytest.raises(RefusedCluster) as caught:
        RayCluster(rules(tmp_path, ray="auto")).place()
    refused = caught.value
    assert refused.code == "fleet.no-head"
    assert source in refused.where
    assert "invalid literal" not in refused.arguments[1]
    assert GENERATORS.wording(refused.code, refused.about)(*refused.arguments).mend


@pytest.mark.parametrize(
    ("standing", "mode", "code", "about"),
    [
        ("open", "", "fleet.open-head", ""),
        ("token", "", "fleet.no-head", "no token"),
        ("token", "token", "fleet.no-head", "other token"),
        ("silent", "", "fleet.no-head", "silent"),
    ],
)
def test_a_head_that_is_not_joined_is_refused_for_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, standing: str, mode: str, code: str, about: str
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", mode)
    monkeypatch.setattr(_ray_cluster, "standing", lambda *_, **__: standing)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(RefusedCluster) as caught:
            RayCluster(rules(tmp_path, ray=address)).place()
    refused = caught.value
    assert (refused.code, refused.about) == (code, about)
    assert GENERATORS.wording(code, about)(*refused.arguments).mend
