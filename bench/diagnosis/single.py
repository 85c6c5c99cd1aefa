"""One run in a network of its own: a stack, a decoy, the program that loads and watches it.

  unshare --net sh -c 'ip link set lo up && exec python -m bench.diagnosis.single FOLDER'

FOLDER/spec.json says what to start and how to load it, and has no label. It leaves facts.json (which
component is which part) and the run's folder. With `by_rig` the rig starts the application, which has knobs
then; with `budget_s` it proves what it found, and leaves proof.json in the run's folder. The applications and
their databases have core 1, the generator core 0; a network of its own has its own port range, counters and
TIME_WAIT.
"""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
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
from bench.diagnosis.start import ITEMS, PIDS, RunningStack, StackWish, offered, started

SYSTEM_CORES, GENERATOR_CORE = (1,), 0
WARM_UP_S = 2
COLD_S, COLD_JVM_S = 4, 6
"""Warm-up of what the rig has just started: nobody has asked it before."""
PROFILED = frozenset({"go"})
"""Stacks of which a profile is to be had for the asking, from the server itself: it is taken before a proof,
sick or healthy."""
PROFILE_S = 4
PROOF_ENDS_S = 120
"""Seconds that a proof may take longer than its budget: its last trial, starts and ends."""
ASKED_S, ASKING = 2.0, 16
PASSWORD = "STORE_PASSWORD"


def warm_up_s(spec: Mapping[str, Any]) -> int:
    """Return how long a run's load is not counted."""
    if not spec.get("by_rig"):
        return WARM_UP_S
    return COLD_JVM_S if spec["wish"]["stack"] == "jvm" else COLD_S


def plan(spec: Mapping[str, Any], running: RunningStack) -> dict[str, Any]:
    """Return the plan of a run: JSON is YAML.

    The spec's load: `users` or `rate`, and what else the workload has.
    """
    load, seconds, unseen_s = spec["load"], spec["seconds"], warm_up_s(spec)
    requests = [
        {"name": "item", "get": "/item/{number}", "weight": 8, "headers": load.get("headers", {})},
        {"name": "list", "get": "/list", "weight": 2},
    ]
    workload = {
        "requests": requests, "feeds": {"number": {"random": [1, ITEMS]}}, "timeout": "2s",
        **{name: value for name, value in load.items() if name not in ("headers", "watched")},
    }  # fmt: skip
    plan = {
        "loadrig": 1, "name": "store", "target": running.target, "workload": workload,
        "permit": ["node-inspector", "jvm-attach"],
        "goals": list(spec["goals"]),
        "trial": {
            "warm_up": {"at_least": f"{unseen_s}s", "at_most": f"{unseen_s}s"},
            "measure": {"at_least": f"{seconds:g}s", "at_most": f"{seconds:g}s"},
            "cpus": [GENERATOR_CORE], "drain": "2s",
        },
    }  # fmt: skip
    if load.get("watched", True):
        plan["probes"] = [
            {kind: {"user": user, "password_env": PASSWORD}} for kind, user in running.kinds.items()
        ]
    else:
        plan["unwatched"] = "all"
    if spec.get("budget_s") and spec["wish"]["stack"] in PROFILED:
        plan["profile"] = {"when": "at saturation", "for": f"{PROFILE_S}s", "components": ["server"]}
    if running.knobs:
        plan["knobs"] = dict(running.knobs)
    if spec.get("budget_s"):
        plan["prove"] = {"after_run": False, "allow": list(running.allow)}
    return plan


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
    # So that all it started ends with it, also when it is asked to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
    for name, value in spec["sysctl"].items():
        Path("/proc/sys", *name.split(".")).write_text(str(value), encoding="ascii")
    os.sched_setaffinity(0, SYSTEM_CORES)
    with tempfile.TemporaryDirectory(prefix="store-") as name, ExitStack() as stack:
        home = Path(name)
        running = (_offered if spec.get("by_rig") else _warmed)(spec, home, stack)
        (home / "plan.yaml").write_text(json.dumps(plan(spec, running)), encoding="utf-8")
        words = ["run", "plan.yaml", "--json", "--out", "run"]
        facts = _told(words, home, running, spec["seconds"] + 90)
        if spec.get("budget_s") and (home / "run").is_dir():
            words = ["diagnose", "run", "--prove", "--json", "--budget", f"{spec['budget_s']:g}s"]
            facts["proof"] = _told(words, home, running, spec["budget_s"] + PROOF_ENDS_S)
        facts["pids"] = {**running.pids, **_pids(home / PIDS)}
        for log in home.glob("*.log"):
            shutil.copy(log, folder / log.name)
        if (home / "run").is_dir():
            if not spec.get("keep"):
                shutil.rmtree(home / "run" / "proof" / "trials", ignore_errors=True)
            shutil.rmtree(folder / "run", ignore_errors=True)
            shutil.move(home / "run", folder / "run")
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return 0


def _warmed(spec: Mapping[str, Any], home: Path, stack: ExitStack) -> RunningStack:
    """Return an application that runs and was asked for a while, with its decoys."""
    running = stack.enter_context(started(StackWish(**spec["wish"]), home))
    if not spec["sysctl"]:  # ports that are used once are gone for a minute
        warm(running.port, spec["load"].get("login", {}).get("post"))
    for decoy in spec["decoys"]:
        stack.enter_context(decoys.ALL[decoy](running.port))
    return running


def _offered(spec: Mapping[str, Any], home: Path, stack: ExitStack) -> RunningStack:
    """Return an application for the rig to start; its decoys are there before it is."""
    running = stack.enter_context(offered(StackWish(**spec["wish"]), home))
    with decoys.stand_in(running.port):
        for decoy in spec["decoys"]:
            stack.enter_context(decoys.ALL[decoy](running.port))
    return running


def _told(words: list[str], home: Path, running: RunningStack, within_s: float) -> dict[str, Any]:
    """Run the program on all cores: how it ended, what it said of errors, how long it took."""
    program = str(Path(sys.executable).with_name("loadrig"))
    began = time.monotonic()
    try:
        done = subprocess.run(
            [program, *words], capture_output=True, text=True, check=False, cwd=home, timeout=within_s,
            env={**os.environ, PASSWORD: running.password},
            preexec_fn=lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
        )  # fmt: skip
        code, errors = done.returncode, done.stderr[-1500:]
    except subprocess.TimeoutExpired:
        code, errors = -1, f"loadrig {words[0]} did not end within {within_s:.0f} s"
    return {"code": code, "errors": errors, "took_s": time.monotonic() - began}


def _pids(file: Path) -> dict[str, int]:
    """Pids of what the rig has started first; none where it has started nothing."""
    if not file.exists():
        return {}
    pids: dict[str, int] = json.loads(file.read_text(encoding="ascii"))
    return pids


if __name__ == "__main__":
    sys.exit(main())
