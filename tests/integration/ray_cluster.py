"""Ray cluster of raylets that each have an address of their own, in namespaces of its own: run by a test.

    unshare --net --pid --fork --kill-child --mount-proc python -m tests.integration.ray_cluster WORDS

Ray listens on all addresses of its network, so it is started where nobody else is; with its first process all
of it ends. WORDS are FOLDER, CORES (of each raylet) and ORDER, which a shell runs beside it: in FOLDER,
`raylet-N` has the pid of the raylet at 127.0.0.N. Where FOLDER has `other-N`, that raylet takes modules from
there first.
"""

import os
import subprocess
import sys
from pathlib import Path

HEAD = "127.0.0.1:6399"
"""Address of the head, which has no cores for a node."""

STORE_BYTES = "80000000"


def start(folder: Path, cores: list[str]) -> None:
    """Start a head, and a raylet for each number of cores, at 127.0.0.2 and on."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="1", RAY_USAGE_STATS_ENABLED="0")
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--object-store-memory", STORE_BYTES]
    head = ["--head", "--node-ip-address", "127.0.0.1", "--port", HEAD.rpartition(":")[2], "--num-cpus", "0"]
    # Sockets are in it, whose paths may have 107 bytes.
    files = ["--include-dashboard", "false", "--temp-dir", str(folder / "r")]
    subprocess.run([*ray, *head, *files], check=True, stdout=subprocess.DEVNULL)
    pids = raylets()
    for number, count in enumerate(cores, 2):
        words = ["--address", HEAD, "--node-ip-address", f"127.0.0.{number}", "--num-cpus", count]
        paths = os.pathsep.join([str(folder / f"other-{number}"), os.environ.get("PYTHONPATH", "")])
        subprocess.run(
            [*ray, *words], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": paths}
        )
        (pid,) = raylets() - pids
        pids |= {pid}
        (folder / f"raylet-{number}").write_text(str(pid), encoding="ascii")


def raylets() -> set[int]:
    """Return the pids of the raylets."""
    names = {path: path.read_text(encoding="utf-8").strip() for path in Path("/proc").glob("[0-9]*/comm")}
    return {int(path.parent.name) for path, name in names.items() if name == "raylet"}


if __name__ == "__main__":
    start(Path(sys.argv[1]), sys.argv[2].split(","))
    sys.exit(subprocess.run(["sh", "-ec", sys.argv[3]], cwd=sys.argv[1], check=False).returncode)
