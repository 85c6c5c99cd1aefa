"""Do fleets report what their server did? Three generators each of loadrig, k6 and locust, one killed.

The tools take turns, each against a fresh server with known stalls (native/stalling.c) on core 1, with all
generators on core 0. Asked for is an even rate; the true 99th percentile is simulated (bench.truth), not
asked of a tool. In one more block of runs a generator of each is killed midway.

loadrig: `attack --fleet 3`. k6: three processes with an execution segment each; its points (`--out json`) are
put together by hand, which gives the very percentile of what was measured; the usual mean of the three p99 is
shown beside it. locust: a master and three workers.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from tests.servers._daemon import free_port

from bench import parsers, truth
from bench.figures import Row, digits, key, markdown, shown, spread
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from bench.peers import PACKAGES, SCRIPTS, versions
from bench.server import stalling

WORKERS = 3
RATE = 500
"""Requests a second of the whole load: what three processes of locust can make on one core."""

CONNECTIONS = 150
"""Connections of the whole load: more than are due in a stall, so that none is given up for want of one."""

KILLED_AT = 0.5
"""Share of the load after which a generator is killed."""

STARTS_WITHIN_S = 20.0
ENDS_WITHIN_S = 40.0

K6_DURATION = "http_req_duration"


@dataclass(frozen=True)
class FleetRow:
    """Report of a fleet. p99_ms: of the whole fleet; None: it says none. says: of how it ended."""

    sent: int
    p99_ms: float | None
    says: str = ""
    mean_ms: float | None = None


@dataclass(frozen=True)
class FleetTask:
    """Order to a fleet. kill_s: seconds after the start at which one is killed; None: never."""

    url: str
    seconds: int
    folder: Path
    programs: dict[str, str]
    kill_s: float | None = None


def started(
    argv: Sequence[str],
    out: IO[bytes],
    errors: IO[bytes] | None = None,
    more: dict[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program on the generators' core, in a session of its own. errors: where not with the rest."""
    return subprocess.Popen(
        ["taskset", "-c", str(CLIENT_CORE), *argv],
        stdout=out, stderr=errors or subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
        env={**os.environ, **(more or {})},
    )  # fmt: skip


@contextlib.contextmanager
def ended(processes: Sequence[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Wait for processes at the end of the block; those that do not end are killed."""
    try:
        yield
        deadline = time.monotonic() + ENDS_WITHIN_S
        for process in processes:
            process.wait(timeout=max(0.1, deadline - time.monotonic()))
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def killed_later(task: FleetTask, victim: Callable[[], int | None]) -> None:
    """Kill a generator when it is time, where one is to be killed."""
    if task.kill_s is not None:
        time.sleep(task.kill_s)
        if (pid := victim()) is not None:
            os.kill(pid, signal.SIGKILL)


def exits(processes: Sequence[subprocess.Popen[bytes]]) -> str:
    """Return the exit codes of processes as a text."""
    return "exit " + " ".join(str(process.returncode) for process in processes)


def loadrig(task: FleetTask) -> FleetRow:
    """Run `loadrig attack --fleet`."""
    out = task.folder / "run"
    words = ["attack", task.url, "--rate", str(RATE), "-z", f"{task.seconds}s", "-c", str(CONNECTIONS)]
    argv = [sys.executable, "-m", "loadrig.cli", *words, "--fleet", str(WORKERS), "-o", str(out)]
    with open(task.folder / "words", "wb") as talk:
        process = started(argv, talk)
        with ended([process]):
            if task.kill_s is not None:
                wait_for(out / "trials" / "0001" / "frames.jsonl")
            killed_later(task, lambda: engine_of(process.pid))
    trial = json.loads((out / "trials" / "0001" / "result.json").read_text(encoding="utf-8"))
    generators = trial["fleet"]["generators"]
    says = exits([process])
    for each in generators:
        if each["lost"]:
            says += f"; {each['name']} lost at {each['lost_after_s']:.1f} s, taken over at "
            says += f"{each['taken_over_after_s']:.1f} s, {each['missed']} unsent; result marked disturbed"
    return FleetRow(sum(each["sent"] for each in generators), trial["latency_ms"]["response"]["p99"], says)


def engine_of(pid: int) -> int | None:
    """Return the pid of a generator of a loadrig."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    for child in children[1:]:
        if b"engine/__main__.py" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    return None


def wait_for(file: Path) -> None:
    """Wait until a file has something in it."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline and not (file.exists() and file.stat().st_size):
        time.sleep(0.05)


def k6(task: FleetTask) -> FleetRow:
    """Run k6 in segments, and put its points together."""
    edges = ["0", *(f"{number}/{WORKERS}" for number in range(1, WORKERS)), "1"]
    points = [task.folder / f"points{number}.json" for number in range(WORKERS)]
    more = {"URL": task.url, "CONNECTIONS": str(CONNECTIONS), "SECONDS": str(task.seconds), "RATE": str(RATE)}
    holes = [word for name, value in {**more, "MODEL": "open"}.items() for word in ("-e", f"{name}={value}")]
    processes = []
    with open(task.folder / "words", "wb") as talk:
        for number, file in enumerate(points):
            segment = f"{edges[number]}:{edges[number + 1]}"
            argv = [
                task.programs["k6"], "run", "-q", "--no-usage-report", "--address", "",
                "--execution-segment", segment, "--execution-segment-sequence", ",".join(edges),
                "--out", f"json={file}", *holes, str(SCRIPTS / "k6.js"),
            ]  # fmt: skip
            processes.append(started(argv, talk))
        with ended(processes):
            if task.kill_s is not None:
                wait_for(points[0])
            killed_later(task, lambda: processes[1].pid)
    times = [durations(file) for file in points]
    together = sorted(ms for each in times for ms in each)
    single = [truth.quantile(sorted(each), 0.99) for each in times if each]
    p99 = truth.quantile(together, 0.99) if together else None
    return FleetRow(len(together), p99, exits(processes), sum(single) / max(1, len(single)))


def durations(file: Path) -> list[float]:
    """Return the times of requests in k6's points; a last line that was cut off is left out."""
    times = []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        with contextlib.suppress(ValueError):
            point = json.loads(line)
            if point["type"] == "Point" and point["metric"] == K6_DURATION:
                times.append(float(point["data"]["value"]))
    return times


def locust(task: FleetTask) -> FleetRow:
    """Run a master and its workers."""
    port = str(free_port())
    script = ["-f", str(SCRIPTS / "locustfile.py")]
    per_user = {"PER_USER": str(RATE / CONNECTIONS)}
    argv = [
        task.programs["locust"], *script, "--headless", "--master", "--expect-workers", str(WORKERS),
        "--master-bind-host", "127.0.0.1", "--master-bind-port", port, "-u", str(CONNECTIONS),
        "-r", str(CONNECTIONS), "-t", f"{task.seconds}s", "--json", "-H", task.url.rstrip("/"),
    ]  # fmt: skip
    worker = [task.programs["locust"], *script, "--worker", "--master-host", "127.0.0.1"]
    report, words = task.folder / "report", task.folder / "words"
    with open(report, "wb") as out, open(words, "wb") as talk, open(task.folder / "workers", "wb") as theirs:
        processes = [started(argv, out, talk, per_user)]
        processes += [
            started([*worker, "--master-port", port], theirs, more=per_user) for _ in range(WORKERS)
        ]
        with ended(processes):
            if task.kill_s is not None:
                wait_until_said(words, "Ramping to")
            killed_later(task, lambda: processes[2].pid)
    text = words.read_text(encoding="utf-8", errors="replace")
    warnings = [line.partition("locust.runners: ")[2] for line in text.splitlines() if "WARNING" in line]
    read = parsers.locust(report.read_text(encoding="utf-8"), report)
    says = "; ".join([exits(processes[:1]), *filter(None, warnings[:1])])
    return FleetRow(read.requests + read.errors, read.latency_ms["p99"], says)


def wait_until_said(file: Path, words: str) -> None:
    """Wait until a program has written some words."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline and words not in file.read_text(encoding="utf-8", errors="replace"):
        time.sleep(0.05)


TOOLS: dict[str, Callable[[FleetTask], FleetRow]] = {"loadrig": loadrig, "k6": k6, "locust": locust}


def measure(lab: Bench) -> dict[str, Any]:
    """Return all of it in turns; the last block has the losses."""
    seconds = max(1, round(lab.length(6)))
    programs = {name: path for name in ("k6", "locust") if (path := lab.path_of(name)) != name}
    for name in {"k6", "locust"} - programs.keys():
        print(f"note: not on this machine: {name} ({PACKAGES[name]})", file=sys.stderr)
    lab.versions |= versions(programs, lab.folders)
    lab.commands = {"loadrig": f"loadrig attack URL --rate {RATE} -z {seconds}s --fleet {WORKERS}"}
    tools = [name for name in TOOLS if lab.is_asked(name) and (name == "loadrig" or name in programs)]
    rows: list[Row] = []
    for block in range(lab.runs + 1):
        is_killed = block == lab.runs
        for name in tools:
            folder = lab.folder / f"fleet-{block}-{name}"
            folder.mkdir()
            with lab.turn(), stalling(lab.natives.stalling, SERVER_CORE) as server:
                kill_s = KILLED_AT * seconds if is_killed else None
                row = TOOLS[name](FleetTask(server.url, seconds, folder, programs, kill_s))
            shutil.rmtree(folder)
            rows.append({"tool": name, "block": block, "is_killed": is_killed, **asdict(row)})
            print(f"  {block + 1}/{lab.runs + 1} {name:8} {row}", file=sys.stderr)
    times = "one run of each" if lab.runs == 1 else f"medians (least – most) of {lab.runs} runs of each"
    return {
        "how": f"{times} in turns, and one with a loss", "generators": WORKERS, "rate": RATE,
        "connections": CONNECTIONS, "seconds": seconds, "rows": rows,
    }  # fmt: skip


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line for each tool: what it sent, and what it reports, without a loss and with one."""
    asked, rows = section["rate"] * section["seconds"], section["rows"]
    times_ms = truth.latencies_ms(section["rate"], section["connections"], section["seconds"])
    true = " to ".join(dict.fromkeys(digits(edge) for edge in truth.quantiles_ms(times_ms)["p99"]))
    lines = []
    for name in dict.fromkeys(row["tool"] for row in rows):
        whole, killed = (
            [row for row in rows if row["tool"] == name and row["is_killed"] is is_killed]
            for is_killed in (False, True)
        )
        cells = [_cell(some, value) for some in (whole, killed) for value in ("sent", "p99_ms")]
        lines.append([name, cells[0], cells[1], _cell(whole, "mean_ms"), *cells[2:], _words(killed)])
    head = [
        "fleet", "sent", "p99 it reports, ms", "mean of its p99, ms", "sent, one killed",
        "p99, one killed, ms", "what it says of that",
    ]  # fmt: skip
    goal = f"{asked:,} requests were asked for; the true 99th percentile is {true} ms."
    return [goal, markdown(head, lines)]


def _cell(rows: Sequence[Row], name: str) -> str:
    """Return a figure over some runs, to the unit: requests and milliseconds are told in whole ones."""
    figure = spread(map(key(name), rows))
    if figure is None:
        return shown(None)
    low, high = f"{figure.low:,.0f}", f"{figure.high:,.0f}"
    return low if low == high else f"{figure.median:,.0f} ({low} – {high})"


def _words(rows: Sequence[Row]) -> str:
    return "; ".join(row["says"] for row in rows) or shown(None)
