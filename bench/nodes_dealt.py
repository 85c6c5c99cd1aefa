"""Studies and tunings dealt to 1, 2 and 4 nodes by the driver itself, and a study on real nodes.

The driver (study.dealing) deals real trials' tasks to simulated nodes: what a trial shows is made up at once,
and its end comes in simulated time, so that 4 nodes need no 8 cores. The tunings run on a surface of
bench.tune (Flask under gunicorn); each node has a speed and a weather of its own. The live study starts real
servers on this machine.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.tune import replay
from bench.tune.surface import Surface
from bench.tune.weather import TuningWeather
from loadrig.base.estimate import Estimate
from loadrig.plan.quick import quick_plan, read_quick
from loadrig.recording.layout import RunFolder
from loadrig.study.dealing import Dealer, DealRules, DealtStrategy, NodeSeat, Running
from loadrig.study.ledger import Ledger
from loadrig.study.trials import DoneTrial
from loadrig.study.watch import StudyWatcher
from loadrig.trial.interruption import Interruption
from loadrig.trial.spec import TrialSpec

NODES = (1, 2, 4)

LEVEL, SPEEDS = 0.03, 0.1
"""Standard deviations of logarithms: of a trial of a tuning, and of how fast nodes are."""


@dataclass
class SimulatedTime(Executor):
    """Executor in simulated time: a trial is worked out as it begins, and ends when its seconds are over."""

    now_s: float = 0.0
    ends: dict[Future[DoneTrial], float] = field(default_factory=dict)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Begin a trial now."""
        future: Future[DoneTrial] = Future()
        trial: DoneTrial = fn(*args, **kwargs)
        future.set_result(trial)
        self.ends[future] = self.now_s + trial.seconds
        return future

    def wait(self, running: Running) -> Running:
        """Go on to the end of the trial that ends first."""
        first = min(running, key=lambda future: self.ends[future])
        self.now_s = self.ends.pop(first)
        return [first]


@dataclass
class WorkedOutNode:
    """Node whose trials are worked out."""

    name: str
    trial: Callable[[TrialSpec], DoneTrial]

    def run(self, spec: TrialSpec) -> DoneTrial:
        """Return a trial as if it had run."""
        return replace(self.trial(spec), node=self.name)

    def stop(self) -> None:
        """Do nothing: no trial runs."""

    def close(self) -> None:
        """Do nothing: nothing was started."""


def dealt(strategy: DealtStrategy, nodes: list[WorkedOutNode]) -> tuple[float, tuple[DoneTrial, ...]]:
    """Deal a study to nodes; return the simulated seconds that it took, and its trials."""
    simulated = SimulatedTime()
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder))
        with Ledger.open(run.ledger, read_quick(quick_plan("http://127.0.0.1:1/"))) as ledger:
            dealer = Dealer(
                strategy, ledger, run, DealRules(), StudyWatcher(), [NodeSeat(node) for node in nodes],
                wait=simulated.wait,
            )  # fmt: skip
            dealer.deal(simulated, Interruption())
            return simulated.now_s, ledger.trials


def tuned(surface: Surface, seed: int, count: int) -> tuple[float, float, float]:
    """Tune on so many nodes; return the wall time in seconds, the trial time in seconds, and the regret."""
    strategy = replay.tuning(surface, seed)

    def node(number: int) -> WorkedOutNode:
        weather = TuningWeather(LEVEL, 1000 * seed + number)
        speed = math.exp(np.random.default_rng([seed, number]).normal(0, SPEEDS))

        def trial(spec: TrialSpec) -> DoneTrial:
            worked_out = replay.done(surface, weather, spec, float(spec.plan.trial.measure.at_most))
            rate = worked_out.measures.get("throughput")
            if rate is None:
                return worked_out
            faster = Estimate(rate.value * speed, rate.unit)
            return replace(worked_out, measures={**worked_out.measures, "throughput": faster})

        return WorkedOutNode(f"node{number + 1}", trial)

    wall_s, trials = dealt(strategy, [node(number) for number in range(count)])  # type: ignore[arg-type]
    answer = strategy.answer()
    regret = float("inf") if answer.setting is None else surface.regret(surface.number(answer.setting))
    return wall_s, sum(trial.seconds for trial in trials), regret


SERVER = """\
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

PLAN = """\
loadrig: 1
target:
  command:
    argv: "{python} server.py {{port}}"
    knob_flags: {{level: {{flag: "{{}}", words: [low, high]}}}}
workload: {{rate: 40, requests: [{{get: /}}]}}
knobs: {{level: [low, high]}}
trial: {{warm_up: 0s, measure: 3s, seed: 7}}
study: {{find: grid, blocks: 4, by: p95}}
nodes: {{cpus: {cpus}}}
"""


def live(count: int) -> tuple[float, dict[str, str]]:
    """Run a study on so many real nodes of a core each; return its wall time in s, and its standings."""
    cores = [str(core) for core in sorted(os.sched_getaffinity(0))[:count]]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "server.py").write_text(SERVER)
        plan = PLAN.format(python=sys.executable, cpus=json.dumps(cores))
        (Path(folder) / "plan.yaml").write_text(plan)
        words = [sys.executable, "-m", "loadrig.cli", "run", "plan.yaml", "--out", "out", "--json"]
        began_s = time.monotonic()
        ended = subprocess.run(words, cwd=folder, capture_output=True, check=False)
        wall_s = time.monotonic() - began_s
        document = json.loads(ended.stdout)
    return wall_s, {row["label"]: row["standing"] for row in document["settings"]}
