"""Clusters of Ray on this machine for tests: a head and raylets, on loopback, with a token of their own.

They are started by a process of their own, as Ray reads its settings once, when it is loaded.
"""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base import processes

STORE_BYTES = 80_000_000

ENDS_WITHIN_S = 30.0

ROOT = Path(__file__).resolve().parents[2]


class SmallCluster:
    """Head without cores, and hosts of a core each. address: of the head."""

    def __init__(self, address: str) -> None:
        self.address = address

    def kill_host_of(self, pid: int) -> None:
        """Kill the raylet of a generator, whose actor's parent it is; what it started is left to itself."""
        os.kill(parent_of(parent_of(pid)), signal.SIGKILL)


def folders_of_ray() -> set[Path]:
    """Return the folders of Rays of loadrig's own that are on this machine, whoever started those."""
    return set(Path("/tmp").glob("loadrig-*-ray-*"))


def parent_of(pid: int) -> int:
    stat = processes.stat(pid)
    assert stat is not None
    return stat.parent


@contextmanager
def cluster_of(
    hosts: int, monkeypatch: pytest.MonkeyPatch, folder: Path, auth_mode: str = "token"
) -> Iterator[SmallCluster]:
    """Yield a cluster with so many hosts, by whose settings this process goes; nothing is left of it."""
    monkeypatch.setenv("RAY_AUTH_MODE", auth_mode)
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    paths = (str(ROOT / "python"), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    words = [sys.executable, "-m", "tests.fleet.ray_clusters", str(hosts), str(folder)]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cluster:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        try:
            address = cluster.stdout.readline().decode().strip()
            assert address, "the cluster did not start"
            yield SmallCluster(address)
        finally:
            cluster.stdin.close()
            cluster.wait(timeout=ENDS_WITHIN_S)


def main(hosts: int, folder: str) -> None:
    """Start a cluster, write its address, and end it as our input closes."""
    import ray._common.utils
    import ray._private.utils
    from ray.cluster_utils import Cluster

    # This machine belongs to no cluster, whatever a test starts.
    ray._private.utils.write_ray_address = lambda *_: None
    ray._common.utils.reset_ray_address = lambda *_: None
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    settings = {"object_store_memory": STORE_BYTES, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**settings, "num_cpus": 0, "temp_dir": folder})
    try:
        for _ in range(hosts):
            cluster.add_node(**settings, num_cpus=1)
        out.write(f"{cluster.address}\n")
        out.flush()
        sys.stdin.buffer.read()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
