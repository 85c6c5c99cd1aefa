"""Cost of a long soak to the rig: memory while it is written, on disk, and to make and hold its report.

  python -m bench.soak.scale --hours 0.25 --folder FOLDER        write, then measure the report apart
  python -m bench.soak.scale --hours 4 --folder FOLDER --only write     one part

No load and no server: frames and samples of a made-up soak go through the real recording writer, as fast as
it takes them, at their true number and size. What takes long is measured over parts of a soak and is given
for an hour, with what is there at its begin apart. Histograms are drawn from a pool, as making them is the
generator's work and not the rig's. Every part runs in a process of its own, whose greatest memory the kernel
tells.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from loadrig.base.series import Sample
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_config, engine_frame, histogram_of

NS = 1_000_000_000

ROUTES, SERIES, A_SECOND = 50, 300, 500.0
"""Routes, series and requests a second of the soak that the issue names; the rate is ours: ten answers a
second of each route."""

POOL = 400
"""Distinct histograms of one second of one route."""

GAPS = 200
"""Sampled gaps between sends in a frame, as the generator gives them by default."""

MOST_MB, MOST_DISK_MB, MOST_OPEN_S = 200.0, 100.0, 5.0
"""The goals, for four hours."""

WHOLE_H = 4.0

Row = dict[str, Any]


def write(folder: Path, hours: float, routes: int, series: int) -> Row:
    """Write a soak, and say what it cost; memory at four instants, in MB."""
    rng = np.random.default_rng(7)
    names = [f"/api/resource-{number:02d}" for number in range(routes)]
    counts = [int(count) + 1 for count in rng.poisson(A_SECOND / routes, POOL)]
    pool = [histogram_of(0.02 * np.exp(0.6 * rng.standard_normal(count))) for count in counts]
    frames = int(hours * 3600)
    trial = TrialFolder(folder)
    sizes: list[tuple[float, float]] = [(0.0, _rss_mb())]
    began_s, cpu_s = time.monotonic(), time.process_time()
    start_ns = time.monotonic_ns()
    with TrialWriter(trial, _manifest(start_ns)) as writer:
        trial.write_config(engine_config(names, "rate", A_SECOND))
        for number in range(frames):
            t_ns = start_ns + number * NS
            picks = rng.integers(0, POOL, (routes, 2))
            rows: list[Mapping[str, Any]] = [
                {
                    "route": name, "class": "service", "outcome": "ok", "count": counts[pick], "bytes": 5_120,
                    "response": pool[pick], "service": pool[two],
                }
                for name, (pick, two) in zip(names, picks.tolist(), strict=True)
            ]  # fmt: skip
            gaps = rng.exponential(NS / A_SECOND, GAPS).astype(np.int64).tolist()
            writer.frame(engine_frame(number, t_ns, NS, rows, gaps_ns=gaps, planned=A_SECOND))
            values = rng.normal(100, 1, series).tolist()
            writer.samples(
                [
                    Sample(t_ns, "process", f"metric_{n % 30}", f"pid:{n // 30}", v)
                    for n, v in enumerate(values)
                ]
            )
            # As if a second had passed: what waits for its batch is on the disk by then.
            writer._flushed_ns = 0
            if number % max(1, frames // 4) == max(1, frames // 4) - 1:
                sizes.append((number / 3600, _rss_mb()))
        end_ns = start_ns + frames * NS
        writer.manifest_update(
            measured={"from_ns": start_ns, "to_ns": end_ns, "why": "the time was up"},
            warm_up={"verdict": "none", "seconds": 0.0, "why": "made up"},
            end={"why": "time", "t_ns": end_ns, "totals": {}, "max_rss_bytes": 0}, ended="time",
        )  # fmt: skip
    return {
        "hours": hours, "rss_mb": sizes, "peak_mb": _peak_mb(), "cpu_s": time.process_time() - cpu_s,
        "seconds": time.monotonic() - began_s, "files_mb": _files_mb(folder),
    }  # fmt: skip


def seal(folder: Path) -> Row:
    """Do what the writer does when it seals, and say what it cost and what is left on the disk."""
    from loadrig.recording import manifest, sealing, series_store, thinning

    trial = TrialFolder(folder)
    began_s, cpu_s = time.monotonic(), time.process_time()
    thinning.thin(trial, manifest.read(trial))
    thinned_s = time.monotonic() - began_s
    series_store.compact(trial.series_stream, trial.series)
    sealing.seal(trial)
    files = _files_mb(folder)
    return {
        "seconds": time.monotonic() - began_s, "thinning_s": thinned_s, "cpu_s": time.process_time() - cpu_s,
        "peak_mb": _peak_mb(), "disk_mb": sum(files.values()), "files_mb": files,
    }  # fmt: skip


def _files_mb(folder: Path) -> dict[str, float]:
    return {path.name: path.stat().st_size / 1e6 for path in sorted(folder.iterdir())}


def result(folder: Path) -> Row:
    """Work out what the trial says, as the rig does once it is sealed."""
    from loadrig.recording.files import write_json
    from loadrig.recording.reader import Recording
    from loadrig.trial.result import result_of

    began_s, cpu_s = time.monotonic(), time.process_time()
    write_json(TrialFolder(folder).result, result_of(Recording.open(folder)).to_json())
    return {
        "seconds": time.monotonic() - began_s, "cpu_s": time.process_time() - cpu_s, "peak_mb": _peak_mb(),
    }  # fmt: skip


def report(folder: Path) -> Row:
    """Make the page of a soak's folder, and say what it cost."""
    from loadrig import report as page

    began_s, cpu_s = time.monotonic(), time.process_time()
    out = folder.parent / f"{folder.name}.html"
    page.write_html(folder, out)
    return {
        "seconds": time.monotonic() - began_s, "cpu_s": time.process_time() - cpu_s, "peak_mb": _peak_mb(),
        "page_mb": out.stat().st_size / 1e6,
    }  # fmt: skip


def opened(folder: Path) -> Row:
    """Open the page that `report` made in a headless browser, until all that is seen is drawn."""
    from playwright.sync_api import sync_playwright

    page = folder.parent / f"{folder.name}.html"
    program = next(path for name in ("chromium", "google-chrome") if (path := shutil.which(name)))
    seconds = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(3):
            tab = browser.new_page()
            began_s = time.monotonic()
            tab.goto(page.as_uri())
            tab.wait_for_function("window.loadrig && loadrig.charts.length > 0")
            seconds.append(time.monotonic() - began_s)
            tab.close()
        browser.close()
    return {"seconds": seconds}


def soak(folder: Path) -> Row:
    """Make the answer of `loadrig soak` of a folder: two goals over stretches, slopes, drift, mix."""
    from loadrig.base.documents import plain
    from loadrig.recording.manifest_document import AskedGoal
    from loadrig.recording.reader import Recording
    from loadrig.soaking.result import document

    began_s, cpu_s = time.monotonic(), time.process_time()
    recording = Recording.open(folder)
    goals = [
        AskedGoal(text=text, measure="p95", limit=limit, unit="s", over_s=30.0)
        for text, limit in (("p95 < 500ms for 30s", 0.5), ("p95 < 60ms for 30s", 0.06))
    ]
    answer = document(recording, goals)
    size = len(json.dumps(plain(answer)))
    return {
        "seconds": time.monotonic() - began_s, "cpu_s": time.process_time() - cpu_s, "peak_mb": _peak_mb(),
        "json_kb": size / 1e3, "headline": answer.headline,
    }  # fmt: skip


def _manifest(start_ns: int) -> dict[str, Any]:
    return {
        "plan_name": "made-up soak", "setting": {}, "seed": 7, "index": 1, "block": 0, "repeat": 0,
        "is_base": True, "machine": {"cpus": 2, "kernel": "6.1"}, "surroundings": {},
        "generator": {"cpus": [1], "threads": 1, "note": ""},
        "load": {"model": "rate", "keep_alive": True}, "goals": [], "address": "http://127.0.0.1:8000",
        "target": {"kind": "external", "pid": None, "argv": [], "cpus": [], "cgroup": None, "ready_s": None},
        "observer": {"cpu_s": 0.01, "ticks": 1, "samples": 3, "missed": 0, "every_s": 1.0},
        "start_ns": start_ns,
        "metrics": {
            f"process.metric_{n}": {"unit": "1", "kind": "gauge", "doc": "Made up."} for n in range(30)
        },
    }  # fmt: skip


def _rss_mb() -> float:
    with Path("/proc/self/statm").open(encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


PARTS: Mapping[str, Callable[[Path], Row]] = {
    "seal": seal, "result": result, "report": report, "open": opened, "soak": soak,
}  # fmt: skip


def main() -> int:
    """Run the parts, each in a process of its own, and print what they cost as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.soak.scale", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--hours", type=float, default=0.1, help="of the soak (default: 0.1)")
    parser.add_argument("--routes", type=int, default=ROUTES, help=f"default: {ROUTES}")
    parser.add_argument("--series", type=int, default=SERIES, help=f"default: {SERIES}")
    parser.add_argument(
        "--folder", type=Path, required=True, help="an empty one; what is written stays there"
    )
    parser.add_argument("--only", choices=["write", *PARTS], help="one part (default: all)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    trial = asked.folder / f"soak-{asked.hours:g}h"
    if asked.here:
        figures = (
            write(trial, asked.hours, asked.routes, asked.series)
            if asked.only == "write"
            else PARTS[asked.only](trial)
        )
        print(json.dumps({asked.only: figures}))
        return 0
    for part in [asked.only] if asked.only else ["write", *PARTS]:
        command = [
            sys.executable, "-m", "bench.soak.scale", "--here", "--only", part, "--hours", str(asked.hours),
            "--routes", str(asked.routes), "--series", str(asked.series), "--folder", str(asked.folder),
        ]  # fmt: skip
        subprocess.run(command, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
