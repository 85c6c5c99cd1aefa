"""A study on hosts of Ray whose servers are containers: each trial has its own, and none is left."""

import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.test_nodes_live import TOLD, all_ran_once, manifests
from tests.integration.test_ray_nodes_live import LOADRIG, SERVER, beside_raylets, folder
from tests.integration.test_ray_nodes_live import pytestmark as of_ray_nodes

__all__ = ["folder"]  # fixtures

pytestmark = [
    *of_ray_nodes,
    pytest.mark.skipif(shutil.which("dockerd") is None, reason="no engine: apt-get install docker.io"),
]

IMAGE = "shop:1"

ENGINE = (
    "dockerd --data-root {0}/images --exec-root {0}/x --pidfile {0}/dockerd.pid --host unix://{0}/d.sock "
    "--cgroup-parent loadrig-test --storage-driver vfs --iptables=false --bridge=none "
    ">{0}/dockerd.log 2>&1 </dev/null & engine=$!; until docker info >/dev/null 2>&1; do "
    "kill -0 $engine || {{ tail {0}/dockerd.log; exit 1; }}; sleep 0.2; done; "
    f"tar --create --file - --files-from /dev/null | docker import - {IMAGE} >/dev/null"
)
"""Order that starts an engine in the namespaces of the cluster, with an image that has nothing in it."""

ENDED = (
    "docker ps --all --quiet >left; docker image rm {image} >/dev/null; "
    "kill $(cat dockerd.pid); while test -e dockerd.pid; do sleep 0.1; done"
)
"""Order that ends it; which containers were there is in the file `left`."""

GROUPS = Path("/sys/fs/cgroup")


def run_of(folder: Path) -> str:
    """Return the command of a container, which has Python and its own file of this machine."""
    paths = [
        *(path for path in ("/usr", "/lib", "/lib64") if Path(path).exists()),
        sys.base_prefix,
        str(folder),
    ]
    mounts = " ".join(f"--volume {path}:{path}:ro" for path in paths)
    python = str(Path(sys.base_prefix) / "bin" / "python3")
    return f"docker run --rm --network host --env LOADRIG_TARGET {mounts} {IMAGE} {python} {folder}/server.py"


def remove_groups() -> None:
    """Remove the control groups of the engine, which may have been killed; version 1 has one of each kind."""
    roots = [*GROUPS.glob("loadrig-test"), *GROUPS.glob("*/loadrig-test")]
    for group in sorted((each for root in roots for each in [root, *root.rglob("*/")]), reverse=True):
        with suppress(OSError):  # two names of one kind, or the last process is about to end
            group.rmdir()


def in_containers(folder: Path, monkeypatch: pytest.MonkeyPatch, order: str) -> tuple[int, str]:
    """Run an order beside hosts that have an engine; it ends before they do."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/d.sock")
    (folder / "server.py").write_text(SERVER)
    plan = (folder / "plan.yaml").read_text(encoding="utf-8")
    plan = plan.replace(f"{sys.executable} server.py", run_of(folder)).replace(", files: [server.py]", "")
    (folder / "plan.yaml").write_text(plan)
    ended = ENDED.format(image=IMAGE)
    try:
        outcome = beside_raylets(folder, f"{ENGINE.format(folder)}; {order}; {ended}; exit $code")
    finally:
        remove_groups()
    leftovers = folder / "left"
    assert leftovers.is_file(), outcome[1]
    assert leftovers.read_text(encoding="ascii") == ""
    return outcome


def test_each_trial_has_a_container_of_its_own_and_none_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = f"code=0; {LOADRIG} run plan.yaml --out out || code=$?"
    code, text = in_containers(folder, monkeypatch, order)
    assert code in TOLD, text
    assert all_ran_once(folder)
    ran = manifests(folder)
    assert {manifest["node"] for manifest in ran} == {"127.0.0.2", "127.0.0.3"}
    for index in range(1, len(ran) + 1):
        # A container has its own name, and the root of its image for a folder.
        log = (folder / "out" / "trials" / f"{index:04d}" / "target.log").read_text(encoding="utf-8")
        assert log.startswith("/ "), log
