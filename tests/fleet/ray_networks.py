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
from functools import partial
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
from tests.fleet.watched_hosts import WatchedHosts

RAY, LOAD = "10.77.0", "10.78.0"
"""Networks of the two bridges. This end is 1 in both; hosts are 11 and on."""

HEAD_PORT = 6399
STORE_BYTES = "80000000"
PER_SECOND = 50.0
FRAME_S = 0.5
FIRST_DEED_S, CUT_S, BACK_S = 4.0, 46.0, 40.0
"""Time of a loss, length of the load in which a host is cut off, and when that is back, in seconds: fresh
generators were there after 24 of these on a busy machine."""

HEADLESS_S, AGAIN_S = 60.0, 25.0
LOSSY_S, LOST_SHARE, STALL_S = 20.0, 0.05, 4.0
"""Length of a load whose links lose packets, their share, and how long one link is down; times in seconds."""

LOSING = [
    "bpf", "direct-action", "bytecode",
    f"4,32 0 0 {0xFFFFF000 + 56},53 1 0 {round(LOST_SHARE * 2**32)},6 0 0 2,6 0 0 0",
]  # fmt: skip
"""Filter of a link's end: load a random number (SKF_AD_RANDOM), and drop the packet where it is small."""

DELAY_S, FAR_S = 0.05, 10.0
"""Time that a link to a far host takes each way, and length of the load that is made there, in seconds."""

SLOW_S = 0.2
"""Time that a link takes each way, in seconds: enough to reset a connection while a line is on its way."""

LEVELS, TURNED_S = {3.0: 30.0, 6.0: 20.0, 9.0: 40.0}, 25.0
"""Levels of a load, in requests a second, by the time of their order, and its length; times in seconds."""

NARROW = ["tbf", "rate", "2mbit", "burst", "10kb", "latency", "300ms"]
"""Queue of a link's end, which passes on a thousandth of what a link without it does."""

AHEAD_S = 100_000
"""Lead of a clock, in seconds: more than a day."""

STARTS_WITHIN_S = 60.0

SPACES = (("net", "net"), ("mount", "mnt"), ("time", "time"))

OWN_FILES = "mkdir -p /tmp/ray; mount -t tmpfs tmpfs /tmp/ray"
"""Order of a shell by which what Ray has on the disk is of one host: names of sockets, who its head is."""


Json = dict[str, Any]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class NetworkHost:
    """Host with a network of its own.

    number: last byte of its addresses; ahead_s: lead of its clock; delay_s: time that its link to Ray takes
    each way.
    """

    def __init__(self, number: int, ahead_s: int = 0, delay_s: float = 0.0) -> None:
        self.number, self.address, self.load_address = number, f"{RAY}.{number}", f"{LOAD}.{number}"
        clock = ["--time", "--monotonic", str(ahead_s), "--boottime", str(ahead_s)]
        words = ["unshare", "--net", "--mount", *clock, "--fork", "--kill-child"]
        words += ["sh", "-ec", f"{OWN_FILES}; echo $$; exec sleep infinity"]
        unsharing = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert unsharing.stdout is not None
        self._keeper = int(unsharing.stdout.readline())
        self._keepers = {self._keeper, unsharing.pid}
        for name, bridge, address in (("ray", "b-ray", self.address), ("load", "b-load", self.load_address)):
            outer = f"{name}{number}"
            if name == "ray" and delay_s:
                far = f"far{number}"
                make_delayed(outer, far, delay_s)
                ip("link", "set", far, "netns", str(self._keeper), "name", name)
            else:
                ip("link", "add", outer, "type", "veth", "peer", "name", name, "netns", str(self._keeper))
            ip("link", "set", outer, "master", bridge, "up")
            subprocess.run(self.inside("ip", "address", "add", f"{address}/24", "dev", name), check=True)
            subprocess.run(self.inside("ip", "link", "set", name, "up"), check=True)
        subprocess.run(self.inside("ip", "link", "set", "lo", "up"), check=True)

    def inside(self, *words: str) -> list[str]:
        """Return a command that runs on this host."""
        spaces = f"/proc/{self._keeper}/ns"
        return ["nsenter", *(f"--{kind}={spaces}/{name}" for kind, name in SPACES), *words]

    def link(self, state: str) -> None:
        """Let the link to Ray be up or down."""
        ip("link", "set", f"ray{self.number}", state)

    def spoil(self) -> None:
        """Let the link to Ray be narrow, and lose packets at random, each way. Once."""
        for place, end in ((here, f"ray{self.number}"), (self.inside, "ray")):
            subprocess.run(place("tc", "qdisc", "add", "dev", end, "clsact"), check=True)
            subprocess.run(place("tc", "filter", "add", "dev", end, "egress", *LOSING), check=True)
            subprocess.run(place("tc", "qdisc", "add", "dev", end, "root", *NARROW), check=True)

    def reset(self) -> None:
        """End all connections over the link to Ray, as a device between us would."""
        subprocess.run(self.inside("ss", "-K", "dst", f"{RAY}.0/24"), check=True, capture_output=True)

    def forget(self, pid: int) -> None:
        """Drop all that a process sends here over its connections of now: a firewall has forgotten them."""
        connections = here("ss", "-Htnp", "state", "established", "dst", self.address)
        listing = subprocess.run(connections, check=True, capture_output=True, text=True).stdout
        own = [line.split()[2] for line in listing.splitlines() if f"pid={pid}," in line]
        ports = [each.rpartition(":")[2] for each in own]
        assert ports
        # Load the port that a packet comes from, and drop it where that is any of these.
        jumps = [f"21 {len(ports) - number} 0 {port}" for number, port in enumerate(ports)]
        bytecode = ",".join([str(len(ports) + 3), "40 0 0 34", *jumps, "6 0 0 0", "6 0 0 2"])
        end = ["dev", f"ray{self.number}"]
        subprocess.run(here("tc", "qdisc", "add", *end, "clsact"), check=True)
        words = ["egress", "bpf", "direct-action", "bytecode", bytecode]
        subprocess.run(here("tc", "filter", "add", *end, *words), check=True)

    def pids(self) -> list[int]:
        """Return the processes that run here."""
        return [pid for pid in in_network_of(self._keeper) if pid not in self._keepers]

    def has(self, word: str) -> bool:
        """Return whether a process runs here in whose name a word is."""
        return any(word in processes.command_line(pid) for pid in self.pids())

    def kill(self) -> None:
        """Kill all of Ray that runs here; nothing is told to anybody."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def make_delayed(near: str, far: str, delay_s: float) -> None:
    """Make a link of two devices, which lasts as long as this process."""
    words = [sys.executable, "-m", "tests.fleet.delayed_link", near, far, str(delay_s)]
    link = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert link.stdout is not None
    assert link.stdout.readline()
    LINKS.append(link)


LINKS: list[subprocess.Popen[bytes]] = []
"""Delayed links, which end as their inputs close."""


def in_network_of(keeper: int | str) -> list[int]:
    """Return the processes of a network. keeper: pid of one of them."""
    theirs = os.readlink(f"/proc/{keeper}/ns/net")
    pids = []
    for pid in processes.table():
        with suppress(OSError):  # it has ended
            if os.readlink(f"/proc/{pid}/ns/net") == theirs:
                pids.append(pid)
    return pids


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


def cluster(folder: Path, head: NetworkHost | None, hosts: list[NetworkHost], cores: int = 1) -> str:
    """Start a head without cores, here or on a host of its own, and hosts; return its address."""
    os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="1", RAY_USAGE_STATS_ENABLED="0")
    is_started(start_head(folder, head))
    join(folder, head, hosts, cores)
    return f"{head.address if head else f'{RAY}.1'}:{HEAD_PORT}"


def start_head(folder: Path, head: NetworkHost | None) -> subprocess.Popen[bytes]:
    place, at = (head.inside, head.address) if head else (here, f"{RAY}.1")
    words = ["--head", "--node-ip-address", at, "--port", str(HEAD_PORT), "--num-cpus", "0"]
    return ray_start(folder, place, *words, "--include-dashboard", "false")


def join(folder: Path, head: NetworkHost | None, hosts: list[NetworkHost], cores: int = 1) -> None:
    """Let hosts join a head, each under a label, and this machine, where it has none."""
    words = ["--address", f"{head.address if head else f'{RAY}.1'}:{HEAD_PORT}"]
    starts = []
    for host in hosts:
        own = ["--node-ip-address", host.address, "--num-cpus", str(cores), "--labels", f"at=h{host.number}"]
        starts.append(ray_start(folder, host.inside, *words, *own))
    if head:
        starts.append(ray_start(folder, here, *words, "--node-ip-address", f"{RAY}.1", "--num-cpus", "0"))
    for start in starts:
        is_started(start)


def here(*words: str) -> list[str]:
    return list(words)


class CountingServer(BaseHTTPRequestHandler):
    """Server that keeps who asked, and when."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one packet: the second of two waits for the client to acknowledge the first
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
    hosts = WatchedHosts(
        FleetRules(Count(2), ray=address, spread="strict", unguarded=True), folder / "ray.log", **more
    )
    answer: Json = {"problem": None, "frames": [], "pids": []}
    with server() as (port, asked):
        try:
            with GeneratorFleet(hosts, 2) as fleet:
                answer["pids"] += fleet.pids
                whole = config(port, PER_SECOND, stop={"after_s": seconds, "requests": None})
                whole["server"] |= {"addresses": [f"{LOAD}.1:{port}"], "host": f"{LOAD}.1"}
                whole["frame_s"] = FRAME_S
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
                    answer["ordered"] = [[at_s - events.began_s, index] for at_s, index in hosts.ordered]
                    answer |= fleet.facts()["fleet"]
                    closing_s = time.monotonic()
        except RigError as error:
            problem = error.problems[0]
            answer["problem"] = [problem.code, problem.what, problem.mend]
            if "ended_s" not in answer:
                return answer  # there was no load
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
    return {**answer, "cut": cut_off[0].load_address, "cut_host": cut_off[0].address, "spare": spare}


def killed_head(folder: Path) -> Json:
    """Kill all of Ray on the head's machine, where neither we nor a generator is."""
    head, *hosts = [NetworkHost(number) for number in (10, 11, 12)]
    address = cluster(folder, head, hosts)
    return loaded(address, folder, HEADLESS_S, [(FIRST_DEED_S, lambda _: head.kill())])


def killed_head_here(folder: Path) -> Json:
    """Kill the head on the machine that we are on, with its raylet."""
    hosts = [NetworkHost(number) for number in (11, 12)]
    address = cluster(folder, None, hosts)
    return loaded(address, folder, HEADLESS_S, [(FIRST_DEED_S, lambda _: kill_ray_here())])


def kill_ray_here() -> None:
    for pid in in_network_of("self"):
        if processes.command_line(pid).partition(" ")[0].endswith(("/gcs_server", "/raylet")):
            os.kill(pid, signal.SIGKILL)


def head_again(folder: Path) -> Json:
    """Kill all of Ray on the head's machine, and start a head there again; then also the hosts."""
    head, *hosts = [NetworkHost(number) for number in (10, 11, 12)]
    address = cluster(folder, head, hosts)

    def begin_again() -> None:
        # By this file `ray start` takes the head for running: it was killed, and not stopped.
        subprocess.run(head.inside("rm", "/tmp/ray/ray_current_cluster"), check=True)
        start_head(folder, head)

    deeds: Deeds = [
        (FIRST_DEED_S, lambda _: head.kill()),
        (FIRST_DEED_S + 1.0, lambda _: begin_again()),
    ]
    first = loaded(address, folder, AGAIN_S, deeds)
    first["actors"] = [host.number for host in hosts if host.has("GeneratorActor")]
    # The head is there, and no host that it knows of.
    second = loaded(address, folder, 2.0, [])
    kill_ray_here()
    for host in hosts:
        host.kill()
    join(folder, head, hosts)
    return {**first, "without_hosts": second, "with_hosts": loaded(address, folder, 4.0, [])}


def cut_merger(folder: Path) -> Json:
    """Cut off a host with a generator and a merger on it, which can still reach the server."""
    hosts = [NetworkHost(number) for number in (11, 12, 13)]
    address = cluster(folder, None, hosts, cores=2)
    cut_off: list[NetworkHost] = []

    def down(fleet: GeneratorFleet) -> None:
        makers = {seat.host for seat in fleet._seats}
        cut_off.extend(host for host in hosts if host.address in makers and host.has("MergerActor"))
        cut_off[0].link("down")

    deeds: Deeds = [(FIRST_DEED_S, down), (BACK_S, lambda _: cut_off[0].link("up"))]
    answer = loaded(address, folder, CUT_S, deeds, mergers=2)
    return {**answer, "cut": cut_off[0].load_address, "cut_host": cut_off[0].address}


def lossy(folder: Path) -> Json:
    """Let the links to all hosts be narrow and lose packets, and one of them all packets for a while."""
    hosts = [NetworkHost(number) for number in (11, 12)]
    address = cluster(folder, None, hosts)

    def spoil(_: GeneratorFleet) -> None:
        for host in hosts:
            host.spoil()

    deeds: Deeds = [
        (2.0, spoil),
        (6.0, lambda _: hosts[0].link("down")),
        (6.0 + STALL_S, lambda _: hosts[0].link("up")),
    ]
    return loaded(address, folder, LOSSY_S, deeds)


def reset(folder: Path) -> Json:
    """Reset all connections of a host to Ray, twice, while a load runs."""
    hosts = [NetworkHost(number) for number in (11, 12)]
    address = cluster(folder, None, hosts)
    deeds: Deeds = [(at_s, lambda _: hosts[0].reset()) for at_s in (3.0, 6.0)]
    return loaded(address, folder, LOSSY_S, deeds)


def forgotten(folder: Path) -> Json:
    """Let who is between us forget our connections to a host: nothing comes there over them any more."""
    hosts = [NetworkHost(number) for number in (11, 12)]
    address = cluster(folder, None, hosts)

    def forget(fleet: GeneratorFleet) -> None:
        assert isinstance(fleet._hosts, RayHosts)
        assert fleet._hosts._process is not None
        hosts[0].forget(fleet._hosts._process.pid)

    return loaded(address, folder, LOSSY_S, [(FIRST_DEED_S, forget)])


def reset_order(folder: Path) -> Json:
    """Give the load another level, and reset all connections of a host to Ray while that is on its way."""
    hosts = [NetworkHost(11, delay_s=SLOW_S), NetworkHost(12)]
    address = cluster(folder, None, hosts)

    def turn(fleet: GeneratorFleet, level: float) -> None:
        threading.Thread(target=hosts[0].reset).start()
        fleet.level(level, time.monotonic_ns() + fleet.lead_ns)

    deeds: Deeds = [(at_s, partial(turn, level=level)) for at_s, level in LEVELS.items()]
    return loaded(address, folder, TURNED_S, deeds)


def far(folder: Path) -> Json:
    """Make a load on hosts behind links that take their time, with an order while it runs."""
    hosts = [NetworkHost(number, delay_s=DELAY_S) for number in (11, 12)]
    address = cluster(folder, None, hosts)
    return loaded(address, folder, FAR_S, [(FIRST_DEED_S, lambda fleet: fleet.renew("test"))])


def skewed(folder: Path) -> Json:
    """Make a load on hosts whose clocks are ahead of ours."""
    hosts = [NetworkHost(number, ahead_s) for number, ahead_s in ((11, AHEAD_S), (12, 0))]
    return loaded(cluster(folder, None, hosts), folder, 4.0, [])


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
    "head-again": head_again,
    "merger": cut_merger,
    "lossy": lossy,
    "reset": reset,
    "forgotten": forgotten,
    "reset-order": reset_order,
    "far": far,
    "skewed": skewed,
}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
