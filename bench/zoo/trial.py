"""A case in a network of its own: its healthy twin unwatched, then itself, watched.

  unshare --net --mount sh -c 'ip link set lo up && exec python -m bench.zoo.trial FOLDER'

FOLDER/spec.json says what to start and how to load it, and has no label. It leaves FOLDER/run, the recording,
and FOLDER/facts.json: the pids of the parts by their role, and what the load of twin and case met.
Servers have core 1, the generator core 0.
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
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.diagnosis import decoys
from bench.lab import CLIENT_CORE, SERVER_CORE
from bench.zoo import parts, stacks
from bench.zoo.parts import ORDERS, Site
from loadrig.recording.reader import Recording
from loadrig.trial.result import result_of

WARM_UP_S, TWIN_WARM_UP_S, TWIN_S, CAPACITY_S = 2, 1, 4.0, 3.0
FULL = {"users": 40}
"""A load that shows the capacity."""
WARMING = 16
"""Threads that ask before it counts."""
ENDS_S = 60.0
"""Seconds that a run may take longer than its load."""

Figures = dict[str, Any]


def workload(stack: str, load: Mapping[str, Any], capacity: float | None) -> dict[str, Any]:
    """Return what is asked, as a plan says it.

    load: of a case; capacity: requests a second of the healthy stack.
    """
    asked = load.get("asked") or stacks.STACKS[stack].asked
    plan: dict[str, Any] = {
        "requests": [{"get": path, "weight": weight} for path, weight in asked.items()],
        "timeout": load.get("timeout", "10s"),
    }  # fmt: skip
    if any("{number}" in path for path in asked):
        plan["feeds"] = {"number": {"random": [1, ORDERS]}}
    plan |= {name: load[name] for name in ("users", "think", "connections", "headers") if name in load}
    if "users" not in load and "share" in load:
        assert capacity is not None
        plan["rate"] = f"{load['share'] * capacity:.1f}/1s"
    if "users" not in load and "ramp" in load:
        assert capacity is not None
        low, high = (f"{share * capacity:.1f}/1s" for share in load["ramp"])
        seconds = f"{load['over_s']:g}s"
        plan["rate"] = {"stages": [{"to": low, "hold": f"{WARM_UP_S}s"}, {"to": high, "over": seconds}]}
    return plan


def run(folder: Path, port: int, asked: Mapping[str, Any], seconds: float, *, watched: bool) -> Path:
    """Load what listens on a port by the program that is judged, as a user would; gives the recording."""
    unseen_s = WARM_UP_S if watched else TWIN_WARM_UP_S
    plan: dict[str, Any] = {
        "loadrig": 1, "name": "shop", "target": {"external": f"http://127.0.0.1:{port}"}, "workload": asked,
        "trial": {
            "warm_up": {"at_least": f"{unseen_s}s", "at_most": f"{unseen_s}s"},
            "measure": {"at_least": f"{seconds:g}s", "at_most": f"{seconds:g}s"},
            "cpus": [CLIENT_CORE], "drain": "2s",
        },
    }  # fmt: skip
    if not watched:
        plan |= {"unwatched": "all", "profile": "never"}
    folder.mkdir()
    (folder / "plan.yaml").write_text(json.dumps(plan), encoding="utf-8")
    program = str(Path(sys.executable).with_name("loadrig"))
    done = subprocess.run(
        [program, "run", "plan.yaml", "--json", "--out", "run"], cwd=folder, capture_output=True, text=True,
        check=False, timeout=seconds + ENDS_S,
        preexec_fn=lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
    )  # fmt: skip
    trial = next((path.parent for path in (folder / "run").rglob("manifest.json")), None)
    if trial is None:
        raise RuntimeError(f"nothing was recorded: {done.stderr[-800:]}")
    return trial


def figures(trial: Path) -> Figures:
    """Return what the load of a recording met: rates, latencies and failures."""
    document = result_of(Recording.open(trial)).document
    outcomes, times = document.outcomes, document.latency_ms.response
    ended = sum(outcomes.values())
    return {
        "validity": document.validity.verdict, "offered_rps": document.load.offered_rps,
        "ok_rps": document.load.successful_rps, "outcomes": outcomes,
        "failed_share": 1 - outcomes["ok"] / ended if ended else 0.0,
        **{f"{q}_ms": None if times is None else times.seconds(q) * 1e3 for q in ("p50", "p95", "p99")},
    }  # fmt: skip


def warm(port: int, asked: Mapping[str, int], seconds: float) -> None:
    """Ask for a while from a few threads: connections are made and code is compiled before it counts."""
    end = time.monotonic() + seconds
    paths, weights = list(asked), list(asked.values())

    def ask() -> None:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=2.0)) as connection:
            while time.monotonic() < end:
                path = random.choices(paths, weights)[0].replace("{number}", str(random.randint(1, ORDERS)))
                try:
                    connection.request("GET", path)
                    connection.getresponse().read()
                except (OSError, http.client.HTTPException):
                    connection.close()

    threads = [threading.Thread(target=ask) for _ in range(WARMING)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def up(
    spec: Mapping[str, Any], dials: Mapping[str, Any], home: Path, load: Mapping[str, Any]
) -> Iterator[Site]:
    """Start a stack with its decoys, and warm it unless the load wants it cold."""
    home.mkdir()
    site = Site(home)
    with ExitStack() as stack:
        stack.enter_context(stacks.started(spec["stack"], dials, site))
        if not load.get("cold"):
            kind = stacks.STACKS[spec["stack"]]
            warm(site.port, load.get("asked") or kind.asked, kind.warmed_s)
        for name in spec["decoys"]:
            stack.enter_context(DECOYS[name](site.port))
        if load.get("slow_clients"):
            stack.enter_context(parts.slow_clients(site.port, load["slow_clients"]))
        yield site


DECOYS = {**decoys.ALL, "idle_crowd": parts.idle_crowd}


def _mended(
    spec: Mapping[str, Any], sick: Mapping[str, Any], home: Path, asked: Mapping[str, Any]
) -> Figures:
    """Return what the load meets where one of two faults is mended."""
    with up(spec, {**spec["healthy"], **sick}, home, spec["load"]) as site:
        return figures(run(home / "work", site.port, asked, spec["twin_s"], watched=False))


def _network(spec: Mapping[str, Any], *, sick: bool) -> None:
    """Set the kernel of the namespace: numbers, and a shape of the loopback."""
    for name, value in (spec["sysctl"] if sick else {}).items():
        Path("/proc/sys", *name.split(".")).write_text(str(value), encoding="ascii")
    if sick and spec["shape"]:
        words = ["tc", "qdisc", "add", "dev", "lo", "root", *spec["shape"].split()]
        subprocess.run(words, check=True)


def main() -> int:
    """Measure the twin, mends of one of two faults, then the case, and write down what is what."""
    folder = Path(sys.argv[1])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
    os.sched_setaffinity(0, {SERVER_CORE})
    capacity = None
    with tempfile.TemporaryDirectory(prefix="shop-") as name:
        home = Path(name)
        home.chmod(0o755)
        twin_load = spec["twin_load"]
        with up({**spec, "decoys": []}, spec["healthy"], home / "first", twin_load) as site:
            if {"share", "ramp"} & {*spec["load"], *twin_load}:
                asked = workload(spec["stack"], {**twin_load, **FULL}, None)
                trial = run(home / "capacity", site.port, asked, CAPACITY_S, watched=False)
                capacity = float(figures(trial)["ok_rps"])
            asked = workload(spec["stack"], twin_load, capacity)
            twin = figures(run(home / "twin", site.port, asked, spec["twin_s"], watched=False))
        mended = [
            _mended(spec, sick, home / f"mended{number}", asked) for number, sick in enumerate(spec["mended"])
        ]
        _network(spec, sick=True)
        with up(spec, {**spec["healthy"], **spec["sick"]}, home / "second", spec["load"]) as site:
            asked = workload(spec["stack"], spec["load"], capacity)
            trial = run(home / "work", site.port, asked, spec["seconds"], watched=True)
            pids = site.pids
        for log in (home / "second").rglob("*.log"):
            if log.stat().st_size < 200_000:
                shutil.copy(log, folder / log.name)
        facts = {"capacity_rps": capacity, "twin": twin, "mended": mended, "pids": pids, **figures(trial)}
        shutil.rmtree(folder / "run", ignore_errors=True)
        shutil.move(trial, folder / "run")
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
