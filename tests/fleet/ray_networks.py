"""Hosts of Ray with a network each, joined by a bridge: made by the first process of namespaces of its own.

    unshare --net --pid --fork --kill-child --mount-proc python -m tests.fleet.ray_networks SCENARIO FOLDER

All of it ends with that process, which ends as its input closes: networks, links, Ray and generators. A host
has two links, one to Ray and one to the server, so that a host that Ray has lost can still load the server.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loadrig.base import processes
from loadrig.base.errors import RigError
from loadrig.base.units import Count
from loadrig.fleet.fleet import GeneratorFleet
from loadrig.fleet.ray_hosts import RayHosts
from loadrig.plan.fleet_rules import FleetRules
from tests.fleet.test_skewed import config

RAY, LOAD = "10.77.0", "10.78.0"
"""Networks of the two bridges. This end is 1 in both; hosts are 11 and on."""

HEAD_PORT = 6399
STORE_BYTES = "80000000"
PER_SECOND = 50.0
FIRST_DEED_S, CUT_S, BACK_S = 4.0, 34.0, 26.0
"""Time of a loss, length of the load in which a host is cut off, and when that is back, in seconds."""

HEADLESS_S = 60.0
STARTS_WITHIN_S = 60.0

OWN_FILES = "mkdir -p /tmp/ray; mount -t tmpfs tmpfs /tmp/ray"
"""Order of a shell by which what Ray has on the disk is of one host: names of sockets, who its head is."""


Json = dict[str, Any]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class NetworkHost:
    """Host with a network of its own. number: last byte of its addresses."""

    def __init__(self, number: int) -> None:
        self.number, self.address, self.load_address = number, f"{RAY}.{number}", f"{LOAD}.{number}"
        words = ["unshare", "--net", "--mount", "sh", "-ec", f"{OWN_FILES}; echo ready; exec sleep infinity"]
        self._keeper = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert self._keeper.stdout is not None
        assert self._keeper.stdout.readline() == b"ready\n"
        for name, bridge, address in (("ray", "b-ray", self.address), ("load", "b-load", self.load_address)):
            outer = f"{name}{number}"
            ip("link", "add", outer, "type", "veth", "peer", "name", name, "netns", str(self._keeper.pid))
            ip("link", "set", outer, "master", bridge, "up")
            subprocess.run(self.inside("ip", "address", "add", f"{address}/24", "dev", name), check=True)
            subprocess.run(self.inside("ip", "link", "set", name, "up"), check=True)
        subprocess.run(self.inside("ip", "link", "set", "lo", "up"), check=True)

    def inside(self, *words: str) -> list[str]:
        """Return a command that runs on this host."""
        spaces = f"/proc/{self._keeper.pid}/ns"
        return ["nsenter", f"--net={spaces}/net", f"--mount={spaces}/mnt", *words]

    def link(self, state: str) -> None:
        """Let the link to Ray be up or down."""
        ip("link", "set", f"ray{self.number}", state)

    def kill(self) -> None:
        """Kill all of Ray that runs here; nothing is told to anybody."""
        ours = os.readlink(f"/proc/{self._keeper.pid}/ns/net")
        for pid in processes.table():
            try:
                is_here = pid != self._keeper.pid and os.readlink(f"/proc/{pid}/ns/net") == ours
            except OSError:
                continue  # it has ended
            if is_here:
                os.kill(pid, signal.SIGKILL)


def bridges() -> None:
    """Make the bridges, in the network of this process, which is a host too."""
    subprocess.run(["sh", "-ec", OWN_FILES], check=True)
    for name, network in (("b-ray", RAY), ("b-load", LOAD)):
        ip("link", "add", name, "type", "bridge")
        ip("address", "add", f"{network}.1/24", "dev", name)
        ip("link", "set", name, "up")
    ip("link", "set", "lo", "up")


def ray_start(folder: Path, place: Callable[..., list[str]], *words: str) -> subprocess.Popen[bytes]:
    start = [sys.executable, "-m", "ray.scripts.scripts", "start", "--object-store-memory", STORE_BYTES]
    with open(folder / "start.log", "ab") as log:
        return subprocess.Popen(place(*start, *words), stdout=log, stderr=log)


def is_started(start: subprocess.Popen[bytes]) -> None:
    assert start.wait(STARTS_WITHIN_S) == 0


def cluster(folder: Path, head: NetworkHost | None, hosts: list[NetworkHost]) -> str:
    """Start a head without cores, here or on a host of its own, and hosts with a core; return its address."""
    os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="1", RAY_USAGE_STATS_ENABLED="0")
    place = head.inside if head else here
    at = head.address if head else f"{RAY}.1"
    files = ["--include-dashboard", "false"]
    words = ["--head", "--node-ip-address", at, "--port", str(HEAD_PORT), "--num-cpus", "0"]
    is_started(ray_start(folder, place, *words, *files))
    address = f"{at}:{HEAD_PORT}"
    join = ["--address", address, "--node-ip-address"]
    starts = [ray_start(folder, host.inside, *join, host.address, "--num-cpus", "1") for host in hosts]
    if head:
        starts.append(ray_start(folder, here, *join, f"{RAY}.1", "--num-cpus", "0"))
    for start in starts:
        is_started(start)
    return address


def here(*words: str) -> list[str]:
    return list(words)


class CountingServer(BaseHTTPRequestHandler):
    """Server that keeps who asked, and when."""

    protocol_version = "HTTP/1.1"
    asked: list[tuple[float, str]]

    def do_GET(self) -> None:
        self.asked.append((time.monotonic(), self.client_address[0]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: the requests are in `asked`."""


@contextmanager
def server() -> Iterator[tuple[int, list[tuple[float, str]]]]:
    asked: list[tuple[float, str]] = []
    handler = type("Counting", (CountingServer,), {"asked": asked})
    with ThreadingHTTPServer((f"{LOAD}.1", 0), handler) as http:
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield http.server_port, asked
        http.shutdown()


Deeds = list[tuple[float, Callable[[GeneratorFleet], None]]]


class DeedsInTime:
    """Deeds done while a load runs, each at its time in seconds since the load began."""

    def __init__(self, fleet: GeneratorFleet, deeds: Deeds) -> None:
        self._fleet, self._left = fleet, sorted(deeds, key=lambda each: each[0])
        self.began_s = time.monotonic()

    def look(self) -> None:
        while self._left and time.monotonic() - self.began_s > self._left[0][0]:
            self._left.pop(0)[1](self._fleet)


def loaded(address: str, folder: Path, seconds: float, deeds: Deeds, **more: Any) -> Json:
    """Make a load of two generators; return what became of it."""
    hosts = RayHosts(
        FleetRules(Count(2), ray=address, spread="strict", unguarded=True), folder / "ray.log", **more
    )
    answer: Json = {"problem": None, "frames": [], "pids": []}
    with server() as (port, asked):
        try:
            with GeneratorFleet(hosts, 2) as fleet:
                answer["pids"] += fleet.pids
                whole = config(port, PER_SECOND, stop={"after_s": seconds, "requests": None})
                whole["server"] |= {"addresses": [f"{LOAD}.1:{port}"], "host": f"{LOAD}.1"}
                whole["frame_s"] = 0.5
                fleet.prepare(whole)
                fleet.begin(time.monotonic_ns() + fleet.lead_ns)
                events = DeedsInTime(fleet, deeds)
                try:
                    while (frame := fleet.next_frame(events.look)) is not None:
                        answer["frames"].append([time.monotonic() - events.began_s, frame.due])
                        events.look()
                finally:
                    answer["ended_s"] = time.monotonic() - events.began_s
                    answer["pids"] += fleet.pids
                    answer["loss"] = fleet.loss
                    answer["generators"] = fleet.facts()["fleet"]["generators"]
                    closing_s = time.monotonic()
        except RigError as error:
            problem = error.problems[0]
            answer["problem"] = [problem.code, problem.what, problem.mend]
        answer["totals"] = fleet.end.totals if fleet.end else None
        answer["closed_s"] = time.monotonic() - closing_s
        answer["asked"] = [[at_s - events.began_s, host] for at_s, host in asked]
        counted = len(asked)
        time.sleep(1.0)
        answer["asked_after"] = len(asked) - counted
    answer["alive"] = [pid for pid in set(answer["pids"]) if is_running(pid)]
    answer["by_host"] = Counter(host for _, host in asked)
    return answer


def is_running(pid: int) -> bool:
    stat = processes.stat(pid)
    return stat is not None and stat.state != "Z"


def cut(folder: Path) -> Json:
    """Cut a host off for a while, which can still reach the server."""
    hosts = [NetworkHost(number) for number in (11, 12, 13)]
    address = cluster(folder, None, hosts)
    cut_off: list[NetworkHost] = []

    def down(fleet: GeneratorFleet) -> None:
        cut_off.extend(host for host in hosts if host.address == fleet._seats[1].host)
        cut_off[0].link("down")

    deeds: Deeds = [(FIRST_DEED_S, down), (BACK_S, lambda _: cut_off[0].link("up"))]
    answer = loaded(address, folder, CUT_S, deeds)
    spare = answer["generators"][1]["host"].replace(RAY, LOAD)
    return {**answer, "cut": cut_off[0].load_address, "spare": spare}


def killed_head(folder: Path) -> Json:
    """Kill all of Ray on the head's machine, where neither we nor a generator is."""
    head, *hosts = [NetworkHost(number) for number in (10, 11, 12)]
    address = cluster(folder, head, hosts)
    return loaded(address, folder, HEADLESS_S, [(FIRST_DEED_S, lambda _: head.kill())])


def killed_head_here(folder: Path) -> Json:
    """Kill the head on the machine that we are on, with its raylet."""
    hosts = [NetworkHost(number) for number in (11, 12)]
    address = cluster(folder, None, hosts)

    def kill(_: GeneratorFleet) -> None:
        ours = os.readlink("/proc/self/ns/net")
        for pid in processes.table():
            with suppress(OSError):  # it has ended
                name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
                if name in ("gcs_server", "raylet") and os.readlink(f"/proc/{pid}/ns/net") == ours:
                    os.kill(pid, signal.SIGKILL)

    return loaded(address, folder, HEADLESS_S, [(FIRST_DEED_S, kill)])


def end_with_parent() -> None:
    """End this process, and with it all in its namespaces, once our input closes: a test may be killed."""
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def main(scenario: str, folder: Path) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    bridges()
    print(json.dumps(SCENARIOS[scenario](folder)), flush=True)


SCENARIOS: dict[str, Callable[[Path], Json]] = {
    "cut": cut,
    "head": killed_head,
    "head-here": killed_head_here,
}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
