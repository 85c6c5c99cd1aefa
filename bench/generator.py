"""How many requests a CPU second of the generator sends, beside wrk: interleaved, on the same core.

  bench/generator.py [--blocks 6] [--seconds 5] [--connections 64] [--results FOLDER]

nginx has core 1 (a single process, a two-byte answer), the generator core 0. Each block runs both
once, in random order; the ratio is judged over blocks: Hodges-Lehmann centre, 95 % interval. Goals:
at least 0.7 of wrk's requests per client CPU second, and less than 60 MB at its peak.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import measuring
import results
import server

RATIO_WANTED = 0.7
PEAK_BYTES_MOST = 60_000_000
CLIENT_CORE, SERVER_CORE = 0, 1


def main() -> int:
    """Run, print, write. Returns 0 when both goals are met, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=6, help="how often each is run (default: 6)")
    parser.add_argument(
        "--seconds", type=int, default=5, choices=range(1, 11), help="of each run (default: 5)"
    )
    parser.add_argument("--connections", type=int, default=64, help="kept alive (default: 64)")
    parser.add_argument(
        "--results", type=Path, default=results.FOLDER, help="where results go (default: bench/results)"
    )
    asked = parser.parse_args()
    wrk = server.program("wrk", "wrk")
    server.program("nginx", "nginx")
    if not {CLIENT_CORE, SERVER_CORE} <= os.sched_getaffinity(0):
        sys.exit("this benchmark needs cores 0 and 1, one for each side")

    noise = results.noise()
    for warning in noise:
        print(f"note: {warning}", file=sys.stderr)
    runs: dict[str, list[measuring.Run]] = {"loadrig": [], "wrk": []}
    order = random.Random(1)
    with server.nginx(SERVER_CORE) as target:
        argv = measuring.wrk_argv(wrk, target.url, asked.connections, asked.seconds)
        config = measuring.engine_config(target.port, asked.connections, asked.seconds, CLIENT_CORE)
        for block in range(asked.blocks):
            for name in order.sample(sorted(runs), k=2):
                if name == "wrk":
                    run = measuring.run_wrk(argv, CLIENT_CORE)
                else:
                    run = measuring.run_engine(config, CLIENT_CORE)
                runs[name].append(run)
                print(
                    f"block {block + 1}: {name:8} {run.per_cpu_s:10,.0f} requests per CPU second",
                    file=sys.stderr,
                )
        versions = {"nginx": target.version, "wrk": _wrk_version(wrk)}
        commands = {
            "nginx": target.argv,
            "wrk": ["wrk", *argv[1:]],
            "loadrig": ["python", "-m", "loadrig.engine"],
        }

    ratio = _ratio(runs)
    peak = max(run.peak_bytes for run in runs["loadrig"])
    print(_table(runs))
    reached = "reached" if ratio["centre"] >= RATIO_WANTED else "missed"
    print(
        f"loadrig/wrk, requests per client CPU second: {ratio['centre']:.2f}"
        f" ({ratio['low']:.2f} to {ratio['high']:.2f}, {asked.blocks} blocks);"
        f" at least {RATIO_WANTED} wanted: {reached}"
    )
    kept = "kept" if peak < PEAK_BYTES_MOST else "broken"
    print(f"peak memory {peak / 1e6:.1f} MB; less than {PEAK_BYTES_MOST / 1e6:.0f} MB wanted: {kept}")
    path = results.write(
        "generator",
        {
            "connections": asked.connections, "seconds": asked.seconds, "blocks": asked.blocks,
            "cores": {"client": CLIENT_CORE, "server": SERVER_CORE},
            "noise": noise, "versions": versions, "commands": commands, "engine_config": config,
            "ratio_per_cpu_s": ratio, "peak_bytes": peak,
            "median_per_cpu_s": {
                name: statistics.median(run.per_cpu_s for run in all_) for name, all_ in runs.items()
            },
            "runs": {name: [run.to_json() for run in all_] for name, all_ in runs.items()},
        },
        asked.results,
    )  # fmt: skip
    print(f"written: {path}", file=sys.stderr)
    return 0 if reached == "reached" and kept == "kept" else 1


def _ratio(runs: dict[str, list[measuring.Run]]) -> dict[str, Any]:
    """loadrig/wrk over the blocks. Fewer than six pairs have no exact interval; then the range is shown."""
    ours = [run.per_cpu_s for run in runs["loadrig"]]
    theirs = [run.per_cpu_s for run in runs["wrk"]]
    # Imported here: numpy in this process while it forks would be pages to copy in every run.
    from loadrig.stats.compare import PAIRS_NEEDED, paired

    if len(ours) >= PAIRS_NEEDED:
        effect = paired(theirs, ours)
        low, high = effect.ratio_interval
        return {"centre": effect.ratio, "low": low, "high": high, "how": "Hodges-Lehmann, 95 %"}
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    return {
        "centre": statistics.median(ratios), "low": min(ratios), "high": max(ratios),
        "how": "median and range",
    }  # fmt: skip


def _table(runs: dict[str, list[measuring.Run]]) -> str:
    lines = [f"{'':10}{'requests per CPU second':>26}{'(least - most)':>22}{'requests/s':>12}{'peak MB':>10}"]
    for name, all_ in runs.items():
        per_cpu = [run.per_cpu_s for run in all_]
        spread = f"({min(per_cpu):,.0f} - {max(per_cpu):,.0f})"
        rate = statistics.median(run.requests / run.seconds for run in all_)
        peak = max(run.peak_bytes for run in all_) / 1e6
        lines.append(f"{name:10}{statistics.median(per_cpu):26,.0f}{spread:>22}{rate:12,.0f}{peak:10.1f}")
    return "\n".join(lines)


def _wrk_version(wrk: str) -> str:
    # `wrk -v` prints its name and its help, and ends with 1.
    said = subprocess.run([wrk, "-v"], capture_output=True, text=True, check=False)
    return (said.stdout + said.stderr).splitlines()[0].split(" Copyright")[0].removeprefix("wrk ").strip()


if __name__ == "__main__":
    sys.exit(main())
