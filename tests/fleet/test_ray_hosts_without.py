"""Hosts of Ray without loadrig: they get what a generator needs of ours, or the error says what differs."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from loadrig.fleet import _ray_actor, _ray_again, _ray_cluster
from loadrig.fleet._ray_cluster import ClusterRules, RayCluster, RefusedCluster
from loadrig.fleet.ray_hosts import GENERATORS
from tests.fleet.ray_clusters import cluster_of
from tests.native.test_config import config

DEADLINE_S = 60.0

OURS = {"loadrig": "1.2", "python": "3.11", "machine": "linux x86_64"}

Json = dict[str, Any]


def rules(folder: Path, **more: Any) -> ClusterRules:
    usual = ClusterRules(
        ray="10.0.0.5:1", generators=2, spread="pack", cpus=1, unguarded=False, mergers=0,
        folder=str(folder), program=_ray_actor.GENERATOR, apart=False, variables={},
    )  # fmt: skip
    return replace(usual, **more)


@pytest.fixture
def brought(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """Return what Ray, which is a made-up one, was asked to bring to two hosts."""
    nodes = [
        {
            "NodeID": str(n),
            "Alive": True,
            "Resources": {"CPU": 2.0},
            "NodeManagerAddress": f"10.0.0.{n}",
            "NodeManagerPort": 1,
        }
        for n in (1, 2)
    ]
    ray = types.ModuleType("ray")
    monkeypatch.setattr(ray, "nodes", lambda: nodes, raising=False)
    monkeypatch.setattr(ray, "shutdown", lambda: None, raising=False)
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(_ray_cluster, "_carried", lambda: _ray_actor)
    monkeypatch.setattr(_ray_actor, "facts_of_host", lambda: OURS)
    environments: list[Mapping[str, Any]] = []
    monkeypatch.setattr(RayCluster, "_init", lambda _, environment: environments.append(environment))
    return environments


def hosts_are(monkeypatch: pytest.MonkeyPatch, facts: Sequence[Mapping[str, str]]) -> None:
    monkeypatch.setattr(_ray_cluster, "_facts", lambda _: facts)


def free_cores_are(monkeypatch: pytest.MonkeyPatch, free: float) -> None:
    """Let both hosts of the made-up Ray have so many cores that nobody has."""
    state = types.ModuleType("ray._private.state")
    free_cores = {name: {"CPU": free} for name in ("1", "2")}
    monkeypatch.setattr(state, "available_resources_per_node", lambda: free_cores, raising=False)
    monkeypatch.setitem(sys.modules, "ray._private", types.ModuleType("ray._private"))
    monkeypatch.setitem(sys.modules, "ray._private.state", state)


def test_hosts_that_are_like_ours_get_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, brought: list[Mapping[str, Any]]
) -> None:
    hosts_are(monkeypatch, [OURS, {**OURS, "machine": "linux aarch64"}])
    assert len(RayCluster(rules(tmp_path))._compared()) == 2
    assert brought == []


@pytest.mark.parametrize(
    ("private", "unguarded", "guarded", "refused"),
    [
        (["127.0.0.1"], False, False, "10.0.0.1, 10.0.0.2"),
        (["127.0.0.1", "10.0.0.1"], False, False, "10.0.0.2"),
        (["127.0.0.1", "10.0.0.1", "10.0.0.2"], False, False, ""),
        (["127.0.0.1"], True, False, ""),
        (["127.0.0.1"], False, True, ""),
        # The head itself has been looked at.
        ([], False, False, ""),
    ],
)
def test_hosts_that_are_open_to_others_while_their_head_is_not_are_named(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    private: list[str],
    unguarded: bool,
    guarded: bool,
    refused: str,
) -> None:
    del brought  # the made-up Ray
    monkeypatch.setattr(_ray_cluster, "is_private", lambda address: address.partition(":")[0] in private)
    monkeypatch.setattr(_ray_cluster, "is_guarded", lambda *_: guarded)
    monkeypatch.setattr(_ray_cluster, "standing", lambda *_, **__: "")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        cluster = RayCluster(rules(tmp_path, unguarded=unguarded))
        if not refused:
            cluster._join(address)
            return
        with pytest.raises(RefusedCluster) as caught:
            cluster._join(address)
    assert (caught.value.code, caught.value.arguments) == ("fleet.open-head", (address, refused))
    assert GENERATORS.wording(caught.value.code, caught.value.about)(*caught.value.arguments).mend


def test_where_a_host_has_no_loadrig_all_get_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, brought: list[Mapping[str, Any]]
) -> None:
    hosts_are(monkeypatch, [OURS, {**OURS, "loadrig": ""}])
    assert len(RayCluster(rules(tmp_path))._compared()) == 2
    ((module,),) = (each["py_modules"] for each in brought)
    program = [sys.executable, "-I", "-S", str(Path(module) / "engine" / "__main__.py")]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/") as generator:
        assert generator.stdin is not None
        assert generator.stdout is not None
        generator.stdin.write(json.dumps(config()).encode() + b"\n")
        generator.stdin.flush()
        assert json.loads(generator.stdout.readline())["ready"]
        generator.stdin.close()


@pytest.mark.parametrize(
    ("differs", "mergers", "name"),
    [
        ({"loadrig": "1.1"}, 0, "loadrig"),
        ({"python": "3.12"}, 0, "python"),
        ({"loadrig": "", "python": "3.12"}, 0, "python"),
        ({"loadrig": "", "machine": "linux aarch64"}, 0, "machine"),
        ({"loadrig": ""}, 2, "loadrig"),
    ],
)
def test_what_differs_is_named_with_its_host(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    differs: Json,
    mergers: int,
    name: str,
) -> None:
    hosts_are(monkeypatch, [OURS, {**OURS, **differs}])
    with pytest.raises(RefusedCluster) as caught:
        RayCluster(rules(tmp_path, mergers=mergers))._compared()
    assert caught.value.code == "fleet.other-version"
    assert caught.value.arguments[:2] == ("10.0.0.2", name)
    assert caught.value.about == ("machine" if name == "machine" else "")
    assert GENERATORS.wording("fleet.other-version", caught.value.about)(*caught.value.arguments).mend
    assert brought == []


@pytest.mark.parametrize(
    ("spread", "generators", "cpus", "mergers", "refusal"),
    [
        ("strict", 2, 2, 2, ("fleet.too-few-cores", "mergers")),
        ("strict", 3, 1, 0, ("fleet.too-few-hosts", "")),
        ("pack", 3, 1, 2, ("fleet.too-few-cores", "mergers")),
        ("pack", 2, 2, 2, ("fleet.too-few-cores", "mergers")),
        ("pack", 3, 2, 2, ("fleet.too-few-cores", "")),
    ],
)
def test_a_core_is_wanted_for_each_merger_beside_those_of_the_generators(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    spread: str,
    generators: int,
    cpus: int,
    mergers: int,
    refusal: tuple[str, str],
) -> None:
    hosts_are(monkeypatch, [OURS, OURS])
    wanted = rules(tmp_path, spread=spread, generators=generators, cpus=cpus, mergers=mergers)
    with pytest.raises(RefusedCluster) as caught:
        RayCluster(wanted)._compared()
    refused = caught.value
    assert (refused.code, refused.about) == refusal
    assert GENERATORS.wording(refused.code, refused.about)(*refused.arguments).mend


@pytest.mark.parametrize(
    ("spread", "generators", "cpus", "mergers"), [("strict", 2, 1, 2), ("pack", 3, 1, 1), ("pack", 1, 2, 2)]
)
def test_mergers_have_the_cores_that_generators_leave(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    spread: str,
    generators: int,
    cpus: int,
    mergers: int,
) -> None:
    hosts_are(monkeypatch, [OURS, OURS])
    wanted = rules(tmp_path, spread=spread, generators=generators, cpus=cpus, mergers=mergers)
    assert len(RayCluster(wanted)._compared()) == 2


@pytest.mark.parametrize(("free", "expected"), [(1.0, "2"), (0.0, "0")])
@pytest.mark.parametrize("spread", ["pack", "strict"])
def test_cores_that_others_have_are_told_from_those_that_are_not_there(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    free: float,
    expected: str,
    spread: str,
) -> None:
    free_cores_are(monkeypatch, free)
    monkeypatch.setattr(_ray_cluster, "PLACED_WITHIN_S", 0.0)
    util = types.ModuleType("ray.util")
    never = types.SimpleNamespace(wait=lambda _: False)
    monkeypatch.setattr(util, "placement_group", lambda *_, **__: never, raising=False)
    monkeypatch.setitem(sys.modules, "ray.util", util)
    cluster = RayCluster(rules(tmp_path, generators=3 if spread == "pack" else 2, spread=spread))
    monkeypatch.setattr(cluster, "give_back", lambda: True)
    with pytest.raises(RefusedCluster) as caught:
        cluster._seated(_ray_cluster._nodes())
    assert (caught.value.about, caught.value.arguments[1]) == ("busy", expected)
    assert GENERATORS.wording(caught.value.code, "busy")(*caught.value.arguments).mend


@pytest.mark.parametrize(
    ("silent", "free", "spread", "place"),
    [
        ((), 2.0, "pack", None),
        (("10.0.0.1:1",), 2.0, "pack", "2"),
        (("10.0.0.1:1",), 2.0, "strict", None),
        (("10.0.0.1:1",), 0.0, "pack", None),
        (("10.0.0.1:1", "10.0.0.2:1"), 2.0, "pack", None),
    ],
)
def test_a_part_goes_to_a_host_that_answers_and_has_room_where_its_own_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    silent: Sequence[str],
    free: float,
    spread: str,
    place: str | None,
) -> None:
    free_cores_are(monkeypatch, free)
    for module in (_ray_cluster, _ray_again):
        monkeypatch.setattr(module, "answers", lambda address: address not in silent)
    cluster = RayCluster(rules(tmp_path, spread=spread))
    cluster._nodes = ["1", "2"]
    assert cluster._elsewhere(0) == place


@pytest.mark.parametrize(
    ("generators", "silent", "place"),
    [(["2"], (), "2"), (["2"], ("10.0.0.2:1",), "1"), (["1", "2"], (), "1"), ([], (), "1")],
)
def test_a_fresh_merger_leaves_hosts_without_a_generator_to_fresh_generators(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    brought: list[Mapping[str, Any]],
    generators: Sequence[str],
    silent: Sequence[str],
    place: str,
) -> None:
    free_cores_are(monkeypatch, 1.0)
    monkeypatch.setattr(_ray_again, "answers", lambda address: address not in silent)
    cluster = RayCluster(rules(tmp_path, spread="strict", mergers=1))
    cluster._nodes = list(generators)
    assert cluster._place_of_merger() == place


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder whose sockets have short paths."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="loadrig-test-") as path:
        yield Path(path)


FLEET_ON_BARE_HOSTS = """
import json, sys
from pathlib import Path
from loadrig.fleet import _ray_cluster
real = _ray_cluster._facts
_ray_cluster._facts = lambda nodes: [{**facts, "loadrig": ""} for facts in real(nodes)]
with _ray_cluster.RayCluster(_ray_cluster.ClusterRules(**json.loads(sys.argv[1]))) as fleet:
    (seat,) = fleet.place()
    words = Path(f"/proc/{seat.pid}/cmdline").read_text().split(chr(0))
    print("program", next(word for word in words if word.endswith("__main__.py")))
"""


@pytest.mark.integration
@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'loadrig[fleet]'")
def test_ray_brings_the_generator(monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path) -> None:
    with cluster_of(1, monkeypatch, folder) as cluster:
        # In a process of its own, as Ray reads its settings once.
        text = json.dumps(asdict(rules(tmp_path, ray=cluster.address, generators=1)))
        words = [sys.executable, "-c", FLEET_ON_BARE_HOSTS, text]
        done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    (program,) = (line.split()[1] for line in done.stdout.splitlines() if line.startswith("program "))
    assert not program.startswith(str(Path(_ray_cluster.__file__).parents[2]))
    assert f"{os.sep}py_modules_files{os.sep}" in program
