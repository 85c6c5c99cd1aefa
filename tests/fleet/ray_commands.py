"""Commands whose load three hosts of Ray make, each with networks of its own, see `ray_networks`.

    unshare --net --pid --fork --kill-child --mount-proc python -m tests.fleet.ray_commands SCENARIO FOLDER

The answer is a line of JSON.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from loadrig.base import processes
from tests.fleet.ray_networks import (
    LOAD,
    Json,
    NetworkHost,
    bridges,
    cluster,
    end_with_parent,
    ip,
    server,
)  # fmt: skip

SECONDS, PER_SECOND = 6, 60
"""Length of a load whose command goes on to its end, in seconds, and its requests a second."""

GENERATORS = 3

HURT_SECONDS, BETWEEN_S = 45, 3.0
"""Length of a load whose generator and host are killed, and time between the two, in seconds: Ray takes 15 to
notice the second."""

PLAN = """\
loadrig: 1
allow: ["{host}"]
target: {{external: {{url: "http://{host}:{port}", pid: {pid}}}}}
workload: {{rate: {{rate: {per_second}, arrivals: constant}}, requests: [{{get: /}}]}}
trial: {{warm_up: 0s, measure: {{at_least: {seconds}s, at_most: {seconds}s}}}}
fleet: {{ray: "{ray}", generators: {generators}, spread: strict, unguarded: true}}
"""

ENDS_WITHIN_S = 60.0
"""Longest wait for a command, and for what it started to be gone, in seconds."""

SERVE = "serve"

ENGINE = "engine/__main__.py"
"""Part of the command line of a generator."""


class ServerProcess:
    """Server in a process of its own: what is of its tree is the server, and so no Ray may be in it."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-m", "tests.fleet.ray_commands", SERVE, str(folder)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid, self.port = self._process.pid, int(self._answer())

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def by_host(self) -> dict[str, int]:
        """Return how many requests each host has sent."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        counts: dict[str, int] = json.loads(self._answer())
        return counts

    def after(self, seconds: float = 1.0) -> int:
        """Return how many requests come from now on for a while."""
        before = sum(self.by_host().values())
        time.sleep(seconds)
        return sum(self.by_host().values()) - before


def serve() -> None:
    """Serve until our input closes, and say at each line who asked."""
    with server() as (port, asked):
        print(port, flush=True)
        for _ in sys.stdin:
            print(json.dumps(Counter(host for _, host in list(asked))), flush=True)


class CommandOnHosts:
    """Command that runs a plan of three generators on three hosts. seconds: length of its load."""

    def __init__(
        self, folder: Path, hosts: list[NetworkHost], ray: str, target: ServerProcess, seconds: int
    ) -> None:
        self._hosts, self._out, self._state = hosts, folder / "out", folder / "state"
        plan = PLAN.format(
            host=f"{LOAD}.1",
            port=target.port,
            pid=target.pid,
            per_second=PER_SECOND,
            seconds=seconds,
            ray=ray,
            generators=GENERATORS,
        )
        (folder / "plan.yaml").write_text(plan, encoding="utf-8")
        words = [sys.executable, "-m", "loadrig.cli", "run", str(folder / "plan.yaml"), "-o", str(self._out)]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def ended(self) -> Json:
        """Wait for its end; return its exit code, its last words, and the trial's result."""
        _, words = self.process.communicate(timeout=ENDS_WITHIN_S)
        results = list(self._out.glob("trials/*/result.json"))
        assert results, words
        return {
            "code": self.process.returncode,
            "words": words,
            "result": json.loads(results[0].read_bytes()),
        }

    def failed(self) -> Json:
        """Wait for its end before any load; return exit code and last words, and whether it has a folder."""
        _, words = self.process.communicate(timeout=ENDS_WITHIN_S)
        return {"code": self.process.returncode, "words": words, "out": self._out.exists()}

    def generators(self) -> list[list[int]]:
        """Return the generators on each host."""
        return [[pid for pid in host.pids() if ENGINE in processes.command_line(pid)] for host in self._hosts]

    def rest(self) -> Json:
        """Return what is there of it: generators, processes and folders of ours for Ray, and their leases."""
        name = f"loadrig-{self.process.pid}-"
        leases = [
            json.loads(file.read_bytes())["facts"] for file in self._state.glob("loadrig/leases/*.json")
        ]
        return {
            "alive": [pid for pids in self.generators() for pid in pids],
            "carriers": [pid for pid in processes.table() if "_ray_carrier" in processes.command_line(pid)],
            "folders": [path.name for path in Path("/tmp").glob(f"{name}*-ray-*")],
            "leases": [each for each in leases if "ray" in (each.get("command"), *_words(each))],
        }


def _words(facts: Json) -> list[str]:
    """Return the words of the name of a leased folder."""
    return str(facts.get("folder", "")).split("-")


def whole(folder: Path) -> Json:
    """Let the command go on to its end."""
    hosts = [NetworkHost(number) for number in (11, 12, 13)]
    ray, target = cluster(folder, None, hosts), ServerProcess(folder)
    command = CommandOnHosts(folder, hosts, ray, target, SECONDS)
    answer = command.ended()
    return {**answer, "asked_after": target.after(), **command.rest(), "by_host": target.by_host()}


def hurt(folder: Path) -> Json:
    """Kill a generator while the command goes on, and later another one's host; there is one to spare."""
    hosts = [NetworkHost(number) for number in (11, 12, 13, 14)]
    ray, target = cluster(folder, None, hosts), ServerProcess(folder)
    command = CommandOnHosts(folder, hosts, ray, target, HURT_SECONDS)
    wait_for(lambda: len(target.by_host()) == GENERATORS)
    at_work = [place for place, pids in enumerate(command.generators()) if pids]
    first, second = at_work[:2]
    os.kill(command.generators()[first][0], signal.SIGKILL)
    wait_for(lambda: bool(command.generators()[first]))
    time.sleep(BETWEEN_S)
    hosts[second].kill()
    answer = command.ended()
    names = {"killed_generator": hosts[first].address, "killed_host": hosts[second].address}
    return {**answer, **names, "asked_after": target.after(), **command.rest()}


def unreachable(folder: Path) -> Json:
    """Let one of the hosts have no link to the server."""
    hosts = [NetworkHost(number) for number in (11, 12, 13)]
    ray, target = cluster(folder, None, hosts), ServerProcess(folder)
    ip("link", "set", f"load{hosts[2].number}", "down")
    command = CommandOnHosts(folder, hosts, ray, target, SECONDS)
    answer = command.failed()
    return {**answer, "asked_after": sum(target.by_host().values()), **command.rest()}


def killed(folder: Path) -> Json:
    """Kill the command while all hosts load the server."""
    hosts = [NetworkHost(number) for number in (11, 12, 13)]
    ray, target = cluster(folder, None, hosts), ServerProcess(folder)
    command = CommandOnHosts(folder, hosts, ray, target, 300)
    wait_for(lambda: len(target.by_host()) == len(hosts))
    before = command.rest()
    command.process.kill()
    command.process.wait()
    began_s = time.monotonic()
    wait_for(lambda: not command.rest()["alive"])
    silent_s, after = time.monotonic() - began_s, target.after()
    wait_for(lambda: not any(command.rest().values()))
    return {"before": before, "silent_s": silent_s, "asked_after": after, **command.rest()}


def wait_for(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, or for long enough: the test looks itself."""
    until_s = time.monotonic() + ENDS_WITHIN_S
    while not is_so() and time.monotonic() < until_s:
        time.sleep(0.1)


def main(scenario: str, folder: Path) -> None:
    if scenario == SERVE:
        serve()
        return
    threading.Thread(target=end_with_parent, daemon=True).start()
    bridges()
    print(json.dumps(SCENARIOS[scenario](folder)), flush=True)


SCENARIOS: dict[str, Callable[[Path], Json]] = {
    "whole": whole,
    "hurt": hurt,
    "unreachable": unreachable,
    "killed": killed,
}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
