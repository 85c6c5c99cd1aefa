"""A network of its own: only loopback, with its settings, and nothing of it in ours."""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from loadrig.base.errors import TargetError
from loadrig.labs import network
from loadrig.labs.format import LabNetwork

INSIDE = """
import json, os, socket
from loadrig.labs.format import LabNetwork
from loadrig.labs.network import enter
enter(LabNetwork(ports="20000-20009", tw_reuse=0, tw_buckets=400))
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(server.getsockname()) as client:
        port = client.getsockname()[1]
read = lambda name: open(f"/proc/sys/net/ipv4/{name}").read().split()
print(json.dumps({
    "net": os.readlink("/proc/self/ns/net"), "port": port, "buckets": read("tcp_max_tw_buckets"),
    "reuse": read("tcp_tw_reuse"), "cards": [name for _, name in socket.if_nameindex()],
}))
"""


@pytest.mark.integration
def test_what_is_set_is_set_only_inside() -> None:
    before = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text()
    done = subprocess.run(
        [sys.executable, "-c", INSIDE], capture_output=True, text=True, timeout=30, check=False
    )
    if "cannot be" in done.stderr:
        pytest.skip(f"network namespaces cannot be made here: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    inside = json.loads(done.stdout)
    assert inside["net"] != os.readlink("/proc/self/ns/net")
    assert 20000 <= inside["port"] <= 20009
    assert (inside["reuse"], inside["buckets"]) == (["0"], ["400"])
    assert "lo" in inside["cards"]
    assert Path("/proc/sys/net/ipv4/ip_local_port_range").read_text() == before


def test_only_what_is_named_is_set() -> None:
    assert network.settings(LabNetwork()) == {}
    assert network.settings(LabNetwork(ports="1-2", tw_reuse_delay=5)) == {
        "ip_local_port_range": "1 2",
        "tcp_tw_reuse_delay": "5",
    }


def test_where_it_is_not_permitted_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = mock.Mock(unshare=mock.Mock(return_value=-1))
    monkeypatch.setattr(ctypes, "CDLL", mock.Mock(return_value=refusing))
    with pytest.raises(TargetError) as caught:
        network.enter(LabNetwork())
    assert caught.value.problems[0].code == "lab.namespace"
