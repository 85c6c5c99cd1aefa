"""Losses on a cluster of Ray of this machine: an actor, a host; the load goes on, or says that it ended."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import leases
from loadrig.base.errors import PlanError
from loadrig.base.units import Count
from loadrig.fleet import _ray_guard
from loadrig.fleet.fleet import GeneratorFleet
from loadrig.fleet.ray_hosts import RayHosts
from loadrig.plan.fleet_rules import FleetRules
from loadrig.recording.frame_document import LiveFrameDocument
from tests.fleet.ray_clusters import SmallCluster, cluster_of, parent_of
from tests.fleet.test_ray_hosts import is_alive
from tests.fleet.test_skewed import config
from tests.native.test_process import shop

pytest.importorskip("ray", reason="Ray is not installed: pip install 'loadrig[fleet]'")

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.nightly]

PER_SECOND = 100.0

Json = dict[str, Any]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder whose sockets have short paths."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="loadrig-test-") as path:
        yield Path(path)


def rules_of(cluster: SmallCluster, **more: Any) -> FleetRules:
    return FleetRules(Count(2), ray=cluster.address, spread="strict", **more)


def refusal_of(cluster: SmallCluster, folder: Path, **more: Any) -> str:
    hosts = RayHosts(rules_of(cluster, **more), folder / "ray.log")
    with hosts, pytest.raises(PlanError) as caught:
        hosts.start(2)
    return caught.value.problems[0].code


def begun(fleet: GeneratorFleet, port: int, seconds: float) -> None:
    fleet.prepare(config(port, PER_SECOND, stop={"after_s": seconds, "requests": None}))
    fleet.begin(time.monotonic_ns() + fleet.lead_ns)


def rest_of(fleet: GeneratorFleet) -> list[LiveFrameDocument]:
    frames = []
    while (frame := fleet.next_frame()) is not None:
        frames.append(frame)
    return frames


def test_where_an_actor_and_then_a_host_is_killed_a_fresh_one_takes_over(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    with cluster_of(3, monkeypatch, folder) as cluster:
        hosts = RayHosts(rules_of(cluster), tmp_path / "ray.log")
        with shop() as (port, _), GeneratorFleet(hosts, 2) as fleet:
            marker = hosts._marker
            begun(fleet, port, 40.0)
            assert fleet.next_frame() is not None
            first, second = fleet.pids
            os.kill(parent_of(first), signal.SIGKILL)
            for _ in range(50):
                assert fleet.next_frame() is not None
            cluster.kill_host_of(second)
            rest_of(fleet)
            facts = fleet.facts()["fleet"]["generators"]
            pids = {first, second, *fleet.pids}
        assert not any(map(is_alive, pids))
        assert not leases.started_by(marker, None, None)
    assert (fleet.losses, fleet.is_whole) == ((), True)
    assert fleet.end is not None
    # Whatever was due is in the result: what was due and not sent, and what had no answer, is counted.
    assert fleet.end.totals["due"] == pytest.approx(40 * PER_SECOND, abs=4)
    for each in facts:
        assert each["lost"]
        # A busy machine may have left some unsent beside them.
        assert each["due"] - each["sent"] >= each["missed"] > 0
        assert each["taken_over_after_s"] > each["lost_after_s"]


def test_where_no_host_has_room_the_load_ends_and_says_so(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr("loadrig.fleet.fleet.SILENT_FOR_S", 5.0)
    with cluster_of(2, monkeypatch, folder) as cluster:
        hosts = RayHosts(rules_of(cluster), tmp_path / "ray.log")
        with shop() as (port, _), GeneratorFleet(hosts, 2) as fleet:
            begun(fleet, port, 15.0)
            assert fleet.next_frame() is not None
            pid = fleet.pids[1]
            cluster.kill_host_of(pid)
            while fleet.is_whole and fleet.next_frame() is not None:
                pass
            assert not is_alive(pid)
            assert not fleet.is_whole
            assert fleet.loss
            assert [seat.index for seat, _ in fleet.losses] == [1]


def test_a_head_is_open_where_it_answers_without_token_or_tls(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    with cluster_of(0, monkeypatch, folder) as cluster:
        bare = _ray_guard._without_token(os.environ)
        assert _ray_guard._answer(cluster.address, os.environ) == "answers"
        assert _ray_guard._answer(cluster.address, bare) == "turns away"
        monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
        assert refusal_of(cluster, tmp_path) == "fleet.no-head"
    with cluster_of(0, monkeypatch, folder, auth_mode="disabled") as cluster:
        assert _ray_guard._answer(cluster.address, os.environ) == "answers"
        everywhere = _ray_guard.listens_everywhere(int(cluster.address.rpartition(":")[2]))
        is_open = everywhere or not _ray_guard.is_loopback(cluster.address)
        assert refusal_of(cluster, tmp_path) == ("fleet.open-head" if is_open else "fleet.too-few-hosts")
        assert refusal_of(cluster, tmp_path, unguarded=True) == "fleet.too-few-hosts"
        # A token that is set here alone makes no guard.
        monkeypatch.setenv("RAY_AUTH_MODE", "token")
        standing = _ray_guard.standing(cluster.address, os.environ, unguarded=False)
        assert standing == ("open" if is_open else "")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the certificate is made by openssl")
def test_a_cluster_with_tls_is_joined_with_its_certificates_alone(
    monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=ray"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(["openssl", *words, *names, *files], check=True, capture_output=True)
    monkeypatch.setenv("RAY_USE_TLS", "1")
    for name, path in (("SERVER_CERT", certificate), ("SERVER_KEY", key), ("CA_CERT", certificate)):
        monkeypatch.setenv(f"RAY_TLS_{name}", str(path))
    with cluster_of(2, monkeypatch, folder, auth_mode="disabled") as cluster:
        hosts = RayHosts(rules_of(cluster), tmp_path / "ray.log")
        with shop() as (port, _), GeneratorFleet(hosts, 2) as fleet:
            begun(fleet, port, 2.0)
            rest_of(fleet)
        assert fleet.end is not None
        assert fleet.end.totals["due"] == pytest.approx(2 * PER_SECOND, abs=2)


def test_a_load_over_mergers_of_ray_is_the_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    hosts = RayHosts(FleetRules(Count(3), ray="auto"), tmp_path / "ray.log", mergers=2)
    with shop() as (port, _), GeneratorFleet(hosts, 3) as fleet:
        marker = hosts._marker
        begun(fleet, port, 12.0)
        assert fleet.next_frame() is not None
        os.kill(fleet.pids[2], signal.SIGKILL)
        rest_of(fleet)
        facts = fleet.facts()["fleet"]["generators"]
    assert (fleet.losses, fleet.is_whole) == ((), True)
    assert fleet.end is not None
    assert fleet.end.totals["due"] == pytest.approx(12 * PER_SECOND, abs=2)
    assert sum(each["due"] for each in facts) == fleet.end.totals["due"]
    assert facts[2]["taken_over_after_s"] is not None
    assert facts[2]["missed"] > 0
    assert not leases.started_by(marker, None, None)


def mergers_of(marker: str) -> list[int]:
    """Return the processes of mergers among those of a Ray of our own."""
    pids = leases.started_by(marker, None, None)
    return [pid for pid in pids if b"MergerActor" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_where_a_merger_of_ray_is_killed_a_fresh_one_takes_over_with_all_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    hosts = RayHosts(FleetRules(Count(2), ray="auto"), tmp_path / "ray.log", mergers=2)
    with shop() as (port, _), GeneratorFleet(hosts, 2) as fleet:
        marker, before = hosts._marker, fleet.pids
        begun(fleet, port, 20.0)
        assert fleet.next_frame() is not None
        os.kill(mergers_of(marker)[0], signal.SIGKILL)
        rest_of(fleet)
        facts = fleet.facts()["fleet"]["generators"]
        after = fleet.pids
    assert (fleet.losses, fleet.is_whole) == ((), True)
    assert fleet.end is not None
    assert fleet.end.totals["due"] == pytest.approx(20 * PER_SECOND, abs=2)
    assert sum(each["due"] for each in facts) == fleet.end.totals["due"]
    (lost,) = (index for index, each in enumerate(facts) if each["lost"])
    assert facts[lost]["taken_over_after_s"] > facts[lost]["lost_after_s"]
    assert facts[lost]["missed"] > 0
    assert before[lost] != after[lost]
    assert not any(map(is_alive, {*before, *after}))
    assert not leases.started_by(marker, None, None)
