"""One run in a network of its own: a stack, a decoy, the program that loads and watches it.

  unshare --net sh -c 'ip link set lo up && exec python -m bench.diagnosis.one FOLDER'

FOLDER/spec.json says what to start and how to load it, and has no label. It leaves facts.json (which
component is which part) and the run's folder. The applications and their databases have core 1, the
generator core 0; a network of its own has its own port range, counters and TIME_WAIT.
"""

import contextlib
import http.client
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.diagnosis import decoys
from bench.diagnosis.start import ITEMS, Running, Wish, started

SYSTEM_CORES, GENERATOR_CORE = (1,), 0
WARM_UP_S = 2
ASKED_S, ASKING = 2.0, 16
PASSWORD = "STORE_PASSWORD"


def plan(address: str, spec: Mapping[str, Any], running: Running) -> dict[str, Any]:
    """The plan of a run: JSON is YAML. The spec's load: `users` or `rate`, and what else the workload has."""
    load, seconds = spec["load"], spec["seconds"]
    requests = [
        {"name": "item", "get": "/item/{number}", "weight": 8, "headers": load.get("headers", {})},
        {"name": "list", "get": "/list", "weight": 2},
    ]
    workload = {
        "requests": requests, "feeds": {"number": {"random": [1, ITEMS]}}, "timeout": "2s",
        **{name: value for name, value in load.items() if name not in ("headers", "watched")},
    }  # fmt: skip
    return {
        "loadrig": 1, "name": "store", "target": {"external": address}, "workload": workload,
        "goals": list(spec["goals"]),
        "trial": {
            "warm_up": {"at_least": f"{WARM_UP_S}s", "at_most": f"{WARM_UP_S}s"},
            "measure": {"at_least": f"{seconds:g}s", "at_most": f"{seconds:g}s"},
            "cpus": [GENERATOR_CORE], "drain": "2s",
        },
        **(
            {
                "probes": [
                    {kind: {"user": user, "password_env": PASSWORD}} for kind, user in running.kinds.items()
                ]
            }
            if load.get("watched", True)
            else {"unwatched": "all"}
        ),
    }  # fmt: skip


def warm(port: int, login: str | None) -> None:
    """Ask it for a while from a few threads: connections are made and code is compiled before it counts.

    login: the path of logins, where the load has some.
    """
    end = time.monotonic() + ASKED_S

    def ask() -> None:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5.0)) as connection:
            while time.monotonic() < end:
                try:
                    connection.request("GET", f"/item/{random.randint(1, ITEMS)}")
                    connection.getresponse().read()
                    if login is not None:
                        connection.request("POST", login)
                        connection.getresponse().read()
                except (OSError, http.client.HTTPException):
                    connection.close()

    threads = [threading.Thread(target=ask) for _ in range(ASKING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> int:
    """Start, load, and write down what is what."""
    folder = Path(sys.argv[1])
    spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
    for name, value in spec["sysctl"].items():
        Path("/proc/sys", *name.split(".")).write_text(str(value), encoding="ascii")
    os.sched_setaffinity(0, SYSTEM_CORES)
    with tempfile.TemporaryDirectory(prefix="store-") as home, ExitStack() as stack:
        running = stack.enter_context(started(Wish(**spec["wish"]), Path(home)))
        if not spec["sysctl"]:  # ports that are used once are gone for a minute
            warm(running.port, spec["load"].get("login", {}).get("post"))
        for decoy in spec["decoys"]:
            stack.enter_context(decoys.ALL[decoy](running.port))
        path = Path(home) / "plan.yaml"
        address = f"http://127.0.0.1:{running.port}"
        path.write_text(json.dumps(plan(address, spec, running)), encoding="utf-8")
        program = str(Path(sys.executable).with_name("loadrig"))
        began = time.monotonic()
        done = subprocess.run(
            [program, "run", str(path), "--json", "--out", str(Path(home) / "run")],
            capture_output=True, text=True, check=False, cwd=home, timeout=spec["seconds"] + 60,
            env={**os.environ, PASSWORD: running.password},
            preexec_fn=lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        )  # fmt: skip
        facts = {
            "code": done.returncode, "errors": done.stderr[-1500:], "took_s": time.monotonic() - began,
            "pids": dict(running.pids),
        }  # fmt: skip
        for log in Path(home).glob("*.log"):
            shutil.copy(log, folder / log.name)
        if (Path(home) / "run").is_dir():
            shutil.rmtree(folder / "run", ignore_errors=True)
            shutil.move(Path(home) / "run", folder / "run")
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
