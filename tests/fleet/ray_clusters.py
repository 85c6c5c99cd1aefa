"""Clusters of Ray on this machine for tests: a head and raylets, on loopback, with a token of their own."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

STORE_BYTES = 80_000_000


class SmallCluster:
    """Head without cores, and hosts of a core each. address: of the head."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self.address: str = cluster.address
        self._hosts: list[Any] = []

    def add_host(self) -> None:
        """Start another raylet."""
        host = self._cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES, include_dashboard=False)
        self._hosts.append(host)

    def host_of(self, pid: int) -> Any:
        """Return the host on which a generator runs: its actor's parent is the raylet."""
        actor = parent_of(pid)
        raylet = parent_of(actor)
        return next(host for host in self._hosts if raylet in pids_of(host))

    def kill(self, host: Any) -> None:
        """Kill a raylet with SIGKILL; what it started is left to itself."""
        host.kill_raylet()


def parent_of(pid: int) -> int:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    return int(stat.rpartition(")")[2].split()[1])


def pids_of(host: Any) -> list[int]:
    return [each.process.pid for every in host.all_processes.values() for each in every]


@contextmanager
def cluster_of(
    hosts: int, monkeypatch: pytest.MonkeyPatch, folder: Path, auth_mode: str = "token"
) -> Iterator[SmallCluster]:
    """Yield a cluster with so many hosts; nothing is left of it."""
    monkeypatch.setenv("RAY_AUTH_MODE", auth_mode)
    monkeypatch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    house = str(Path(__file__).resolve().parents[2] / "python")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (house, os.environ.get("PYTHONPATH", "")))))
    import ray._common.utils
    import ray._private.utils
    from ray.cluster_utils import Cluster

    # This machine belongs to no cluster, whatever a test starts.
    monkeypatch.setattr(ray._private.utils, "write_ray_address", lambda *_: None)
    monkeypatch.setattr(ray._common.utils, "reset_ray_address", lambda *_: None)
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 0, "object_store_memory": STORE_BYTES, "include_dashboard": False,
            "temp_dir": str(folder),
        },
    )  # fmt: skip
    try:
        small = SmallCluster(cluster)
        for _ in range(hosts):
            small.add_host()
        yield small
    finally:
        cluster.shutdown()
