"""Record a surface: every setting of the gunicorn space on a real server, by loadrig's own study.

python -m bench.tune.record OUT [--replicates 5] [--seconds 20] [--recycled] [--run FOLDER]

A plan with `find: grid` and a block a replicate is carried out in FOLDER, and goes on there if stopped.
Its ledger becomes OUT.csv, with a row a trial, and OUT.json beside it: what was recorded, where, when.
"""

import argparse
import csv
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.tune.surface import BUSY, REPLICATE, SECONDS, SPEED
from bench.tune.synthetic import CLASSES, GTHREAD, MB, RECYCLED
from loadrig import __version__
from loadrig.base.setting import Knob, Setting
from loadrig.plan.load import read as read_plan
from loadrig.plan.model import Goal, Plan
from loadrig.recording.layout import RunFolder
from loadrig.study.carry_out import carry_out
from loadrig.study.trials import DoneTrial
from loadrig.target.gunicorn import KNOBS

KNOWN: Mapping[str, Knob] = KNOBS
GOALS = (
    Goal("errors < 0.5%", "errors", True, 0.005, "1"),
    Goal("memory < 400MB", "memory", True, 400 * MB, "B"),
)
MEASURES = ("throughput", "errors", "memory", "p50", "p95", "p99", "cpu_per_request", BUSY, SPEED)

APP = '''"""Waits more than it computes, as an app that asks others does."""

import json
import time

WAIT_S, ROUNDS = 0.020, 9_000


def app(environ, start_response):
    time.sleep(WAIT_S)
    total = 0
    for n in range(ROUNDS):
        total += n * n % 7
    body = json.dumps({"total": total}).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]
'''

# A connection for each request: which worker has how many of the kept ones is settled when they are opened,
# and two starts of one setting differ by up to twice.
PLAN = """loadrig: 1
name: surface
target: {{gunicorn: {{app: "waits:app", cpus: [1]}}}}
workload: {{users: {users}, connections: {{keep_alive: false}}, requests: [{{get: /}}]}}
knobs:
  worker_class: [{classes}]
  workers: {workers}
  threads: {{values: {threads}, when: worker_class == gthread}}
{more}trial:
  cpus: [0]
  warm_up: {{at_least: 2s, at_most: 2s}}
  measure: {{at_least: {seconds:g}s, at_most: {seconds:g}s}}
study: {{find: grid, most: 1000, blocks: {blocks}}}
"""


def plan_text(*, seconds: float, blocks: int, users: int, small: bool, recycled: bool) -> str:
    """Return the plan that records. small: a corner of the space, to see that it works."""
    return PLAN.format(
        users=users,
        seconds=seconds,
        blocks=blocks,
        classes="sync, gthread" if small else ", ".join(map(str, CLASSES)),
        workers="1..2" if small else "1..9",
        threads="[1, 4]" if small else "1..16",
        more=f"  {RECYCLED.name}: {list(RECYCLED.values)}\n" if recycled else "",
    )


def rows(trials: Sequence[DoneTrial], seconds: float) -> list[dict[str, Any]]:
    """Return a row a trial; of a trial that failed without figures, of a void one none."""
    names = list(dict.fromkeys(name for trial in trials for name in trial.setting))
    runs: dict[str, int] = {}
    rows = []
    for trial in trials:
        if trial.validity == "void":
            continue
        text = json.dumps(dict(trial.setting), sort_keys=True)
        runs[text] = runs.get(text, 0) + 1
        figures = {name: trial.measures[name].value for name in MEASURES if name in trial.measures}
        row: dict[str, Any] = {name: trial.setting.get(name, "") for name in names}
        rows.append({**row, REPLICATE: runs[text], SECONDS: seconds, **figures})
    return rows


def write(out: Path, table: Sequence[Mapping[str, Any]], plan: Plan, machine: Mapping[str, Any]) -> None:
    """Write the table, and the facts beside it."""
    measures = [name for name in MEASURES if any(name in row for row in table)]
    heads = [name for name in table[0] if name not in MEASURES] + measures
    with out.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, heads, restval="")
        writer.writeheader()
        writer.writerows(table)
    base: Setting = {knob.name: knob.base for knob in plan.knobs if not knob.when}
    facts = {
        "name": out.stem, "synthetic": False, "by": "throughput", "cores": 1.0, "base": base,
        "when": {"threads": {name: list(values) for name, values in GTHREAD.items()}},
        "recorded": datetime.now(UTC).isoformat(timespec="seconds"), "loadrig": __version__,
        "machine": dict(machine), "plan": plan.text, "app": APP,
    }  # fmt: skip
    out.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Record, or go on recording."""
    parser = argparse.ArgumentParser(prog="python -m bench.tune.record", description=(__doc__ or "").strip())
    parser.add_argument("out", type=Path, help="OUT.csv and OUT.json are written")
    parser.add_argument("--replicates", type=int, default=5, help="trials of each setting (default: 5)")
    parser.add_argument("--seconds", type=float, default=20.0, help="measured in each (default: 20)")
    parser.add_argument("--users", type=int, default=40, help="users without pauses (default: 40)")
    parser.add_argument("--recycled", action="store_true", help="with four values of max_requests")
    parser.add_argument("--small", action="store_true", help="six settings, to see that it works")
    parser.add_argument(
        "--trials", type=int, default=None, help="stop after so many in all (default: the end)"
    )
    parser.add_argument("--run", type=Path, default=Path("runs/surface"), help="the study's folder")
    asked = parser.parse_args()
    asked.run.mkdir(parents=True, exist_ok=True)
    (asked.run / "waits.py").write_text(APP, encoding="utf-8")
    text = plan_text(
        seconds=asked.seconds, blocks=asked.replicates, users=asked.users, small=asked.small,
        recycled=asked.recycled,
    )  # fmt: skip
    plan = read_plan(text, str(asked.run / "plan.yaml"))
    run = RunFolder(asked.run)
    if not run.ledger.is_file():
        run.plan.write_text(text, encoding="utf-8")
    outcome = carry_out(plan, run, most_trials=asked.trials)
    table = rows(outcome.trials, asked.seconds)
    if not table:
        sys.exit("nothing was recorded")
    write(asked.out, table, plan, outcome.document.machine)
    print(f"{len(table)} trials of {len(outcome.document.settings)} settings, pid {os.getpid()}")


if __name__ == "__main__":
    main()
