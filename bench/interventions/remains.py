"""Remains of an intervention: a real server under constant load, before, during and after each.

A round is one trial: it is looked at the server, a change is made and undone as in a proof, it is looked
again, the next change, until each member has had its turns, in random order; in some turns nothing is
changed, which says what time alone does. What runs is the trial's own runner with an experiment of ours; the
server has core 1, the generator core 0.

Beside throughput a look notes what others had of the cores, and how fast the server's was (`yardstick`): on a
shared machine both differ more from look to look than what an intervention could leave. `afterwards` allows
for them; what is left shows all the same: a core that is idle though there is work, or more work for each
answer.
"""

import importlib
import json
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.servers.redis import started_redis

from bench.diagnosis.ledger import BenchLedger
from bench.interventions.yardstick import BenchYardstick
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from loadrig._native import Histogram
from loadrig.base import cgroups, leases, processes
from loadrig.base.component import HOST, SERVER
from loadrig.base.leased import ChangeFacts, Facts, ProcessFacts
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Step
from loadrig.interventions.dependency_delay import Inserted, insert
from loadrig.interventions.dependency_delay import step as delay_step
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.proving.live import FRAME_S
from loadrig.proving.use import CpuUse
from loadrig.recording.frame import Frame
from loadrig.recording.layout import RunFolder
from loadrig.recording.steps import NS
from loadrig.trial.runner import run_trial
from loadrig.trial.spec import Experiment, TrialSpec, Watcher
from loadrig.trial.surroundings import parse_stat, parse_stolen

NOTHING = "nothing"
LEVERS: Mapping[str, Lever | None] = {
    NOTHING: None,
    "cpu_quota": Lever("cpu", SERVER),
    "stopped": Lever("cpu", SERVER),
    "cores": Lever("cores", HOST),
    "dependency_delay": Lever("delay", "redis"),
}
"""Levers that each live member is asked to pull."""

USERS, THREADS = 16, 16
WARM_UP_S, LOOKED_S, SLOT_S, SETTLE_S = 4.0, 4.0, 1.5, 0.5
"""In seconds: before the first look; each look; each slot of a change, and what is left out before it."""
TURNS = 2
"""Turns of each member in a round."""
DELAY_S = 0.005

STAT = Path("/proc/stat")


class Round(Experiment):
    """One trial's experiment, see trial.spec. Afterwards it has looks and turns.

    looks: facts of each look, one more than there are turns. turns: of each member, what was changed, and the
    frames while it was and was not.
    """

    frame_s = FRAME_S
    level_most = None

    def __init__(
        self, members: Sequence[str], looked_s: float, inserted: Inserted, yardstick: BenchYardstick
    ) -> None:
        self._members, self._looked_s = members, looked_s
        self._inserted, self._yardstick = inserted, yardstick
        self._stack = ExitStack()
        self._parts = self._in_turn()
        self._from_s, self._until_s = 0.0, 0.0
        self._into: list[Frame] = []
        self.looks: list[dict[str, float]] = []
        self.turns: list[dict[str, Any]] = []

    def see(self, frame: Frame) -> None:
        """Keep the frame where it belongs; go on where a part is over."""
        start_s = (frame.t_ns - self._stage.start_ns) / NS
        end_s = start_s + frame.len_ns / NS
        if start_s >= self._from_s - FRAME_S / 2:
            self._into.append(frame)
        if end_s < self._until_s - FRAME_S / 2 or self._why:
            return
        try:
            self._into, settle_s, length_s = next(self._parts)
        except StopIteration:
            self._why = "each had its turn"
            return
        self._from_s = end_s + settle_s
        self._until_s = self._from_s + length_s

    def close(self) -> None:
        """Undo what a round that was cut short has changed."""
        self._stack.close()

    def _in_turn(self) -> Iterator[tuple[list[Frame], float, float]]:
        """Yield the place of each part's frames, the wait before it, and its length, in seconds."""
        yield [], 0.0, WARM_UP_S
        yield from self._look(0.0)
        for member in self._members:
            before = self._state()
            turn: dict[str, Any] = {"member": member, "title": "", "ratio": None}
            turn |= {"changed": [], "unchanged": []}
            try:
                step = self._step(member)
            except Unavailable as no:
                step, turn["unavailable"] = None, no.reason
            if step is None:
                yield [], 0.0, 2 * (SETTLE_S + SLOT_S)
            else:
                turn |= {"title": step.title, "ratio": step.ratio, "used": self.used.get(SERVER, 0.0)}
                with self._stack:
                    change = self._stack.enter_context(step.held())
                    for part, is_changed in (("changed", True), ("unchanged", False)):
                        change(is_changed)
                        yield turn[part], SETTLE_S, SLOT_S
            turn["left"] = sorted(before ^ self._state())
            self.turns.append(turn)
            yield from self._look(SETTLE_S)

    def _look(self, settle_s: float) -> Iterator[tuple[list[Frame], float, float]]:
        # What is used is known from the look alone: in its turn each member has slowed the server down.
        use, look, frames = CpuUse(), CoresLook(self._yardstick), list[Frame]()
        use.look(self._stage.components())
        yield frames, settle_s, self._looked_s
        self.used = use.cores(self._stage.components())
        self.looks.append(look.facts(sum(self.used.values()), frames))

    def _step(self, member: str) -> Step | None:
        lever = LEVERS[member]
        if lever is None:
            return None
        if lever.change == "delay":
            return delay_step(self._inserted, DELAY_S)
        scene = Scene(tuple(self._stage.components()), self.used, self._stage.cpus)
        step: Step = importlib.import_module(f"loadrig.interventions.{member}").able(lever, scene)
        return step

    def _state(self) -> set[str]:
        assert self._stage.target.pid is not None
        return state(self._stage.target.pid)


class CoresLook:
    """Look at the cores of server and generator, since it was made."""

    def __init__(self, yardstick: BenchYardstick) -> None:
        self._yardstick = yardstick
        self._began, self._text, self._work = (
            time.monotonic(),
            STAT.read_text(encoding="ascii"),
            yardstick.read(),
        )

    def facts(self, used: float, frames: Sequence[Frame]) -> dict[str, float]:
        """Return the state of both since then. used: cores that the server and its services used.

        others: share of the server's core that others had. held_up: share of the time that the generator
        waited for its core, or that was stolen of it. speed: of the server's core, pieces of work a second.
        """
        now_s, text = time.monotonic() - self._began, STAT.read_text(encoding="ascii")
        (busy, whole), (busy_before, whole_before) = (
            parse_stat(text_then)[f"cpu{SERVER_CORE}"] for text_then in (text, self._text)
        )
        stolen_ns, stolen_before_ns = (
            parse_stolen(text_then, {CLIENT_CORE}).get(CLIENT_CORE, 0) for text_then in (text, self._text)
        )
        waited_ns: int = sum(thread.run_delay_ns for frame in frames for thread in frame.threads)
        pieces, used_s = (new - old for new, old in zip(self._yardstick.read(), self._work, strict=True))
        return {
            "per_second": _per_second(frames),
            "p99_ms": _p99_ms(frames),
            "others": max(0.0, (busy - busy_before) / max(whole - whole_before, 1) - used),
            "held_up": max(stolen_ns - stolen_before_ns, waited_ns) / NS / now_s,
            "speed": pieces / used_s if pieces else math.nan,
        }


def _what_is_held(facts: Facts) -> str:
    """Return what a lease of a change is of, for people."""
    match facts:
        case ChangeFacts(what=what):
            return what
        case ProcessFacts(command=command):
            return command
        case _:
            return ""


def state(pid: int) -> set[str]:
    """Return the state of a server's processes in words: cores, priority, stopped or not, groups, limits.

    And what this program holds that it would have to undo.
    """
    own = [lease for lease in leases.listed() if lease.rig_pid == os.getpid() and lease.is_of_change]
    remains = {f"{lease.kind}: {_what_is_held(lease.facts)}" for lease in own}
    for place, task in enumerate(sorted(processes.tree(pid, processes.table()))):
        stat = processes.stat(task)
        stands = "stopped" if stat is not None and stat.state in "Tt" else "runs"
        cores, policy = sorted(os.sched_getaffinity(task)), os.sched_getscheduler(task)
        groups = sorted(f"{name} {group}" for name, group in cgroups.of(task).items())
        remains.add(
            f"process {place}: {stands}, cores {cores}, policy {policy}, nice {os.getpriority(0, task)},"
            f" {cgroups.limits(task)}, {groups}"
        )
    return remains


def play(seed: int, looked_s: float = LOOKED_S, turns: int = TURNS) -> list[dict[str, Any]]:
    """Return one round: a row for each turn. looked_s: how long it is looked each time, in seconds."""
    with tempfile.TemporaryDirectory(prefix="loadrig-bench-") as home, ExitStack() as stack:
        folder = Path(home)
        redis = stack.enter_context(started_redis(folder))
        os.sched_setaffinity(redis.pid, {SERVER_CORE})
        plan, log = _plan(redis.port, seed), folder / "proxy.log"
        way = insert(plan, plan.base_setting, "redis", "127.0.0.1", redis.port, log, (CLIENT_CORE,))
        inserted = stack.enter_context(way)
        chance = random.Random(seed)
        members = [member for _ in range(turns) for member in chance.sample(list(LEVERS), k=len(LEVERS))]
        yardstick = stack.enter_context(BenchYardstick(SERVER_CORE))
        experiment = Round(members, looked_s, inserted, yardstick)
        spec = TrialSpec(inserted.plan, plan.base_setting, seed, experiment=experiment)
        run_trial(spec, RunFolder(folder / "run").trial(1), Watcher())
        counters = inserted.proxy.counters()
        delay_ms = counters.delayed_ns / max(counters.delayed, 1) / 1e6
    rows = []
    for turn, before, after in zip(experiment.turns, experiment.looks, experiment.looks[1:], strict=False):
        row = {
            "member": turn["member"], "round": seed, "title": turn["title"], "ratio": turn["ratio"],
            "left": turn["left"], "before": before, "after": after,
        }  # fmt: skip
        if turn["unchanged"]:
            row |= {part: _per_second(turn[part]) for part in ("changed", "unchanged")}
            row["used"] = turn["used"]
        if turn["member"] == "dependency_delay":
            row |= {"asked_ms": 1e3 * DELAY_S, "delay_ms": delay_ms}
        if "unavailable" in turn:
            row["unavailable"] = turn["unavailable"]
        rows.append(row)
    return rows


def _plan(port: int, seed: int) -> Plan:
    document = {
        "loadrig": 1, "name": "small",
        "target": {
            "gunicorn": {
                "app": "small:app", "chdir": str(Path(__file__).parent), "cpus": [SERVER_CORE],
                "env": {"REDIS_PORT": str(port)},
            }
        },
        "knobs": {"worker_class": "gthread", "threads": THREADS},
        "workload": {"users": USERS, "requests": [{"get": "/"}], "timeout": "5s"},
        "trial": {
            "cpus": [CLIENT_CORE], "seed": seed, "warm_up": {"at_least": "1s", "at_most": "1s"},
            "measure": {"at_least": "100s", "at_most": "100s"},
        },
    }  # fmt: skip
    return read(json.dumps(document), "small.yaml")


def _per_second(frames: Sequence[Frame]) -> float:
    """Good answers a second."""
    good: int = sum(row.count for frame in frames for row in frame.routes if row.outcome == "ok")
    lasted_ns: int = sum(frame.len_ns for frame in frames)
    return good / lasted_ns * NS


def _p99_ms(frames: Sequence[Frame]) -> float:
    merged = Histogram()
    for frame in frames:
        for tag, encoded in frame.histograms.items():
            if (tag.outcome, tag.kind) == ("ok", "response"):
                merged.add(Histogram.decode(encoded))
    return merged.quantile_ns(0.99) / 1e6


def run(lab: Bench, ledger: BenchLedger, rounds: int, looked_s: float, turns: int) -> list[dict[str, Any]]:
    """So many rounds; those that the ledger does not have are made. All rows."""
    rows: list[dict[str, Any]] = []
    for number in range(rounds):
        key = f"remains:{looked_s:g}:{turns}:{number}"
        if key not in ledger.rows:
            with lab.turn():
                ledger.add({"key": key, "rows": play(number, looked_s, turns)})
        for row in ledger.rows[key]["rows"]:
            print(f"  round {number + 1}/{rounds} {_brief(row)}", file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def _brief(row: Mapping[str, Any]) -> str:
    if "unavailable" in row:
        return f"{row['member']:16} not here: {row['unavailable']}"
    before, after = row["before"]["per_second"], row["after"]["per_second"]
    line = f"{row['member']:16} {before:7.0f}/s before {after:7.0f}/s after"
    return f"{line} {row['changed']:7.0f}/s changed" if "changed" in row else line
