"""Runs every test in lanes, one summary at the end: `scripts/lanes.py [LANE…]`, all lanes without a name.

cargo: the Rust tests.
waits: tests of real servers, by five workers, when cargo's have ended.
pure: all others, beside those two, at a low priority: they use what the servers leave of the cores.
quiet: tests that need a core without neighbours, one after the other, at the end.
What each lane is for stands in tests/lanes.py. LOADRIG_MOST_SKIPPED=N: fail if more than N tests are skipped.
"""

import os
import re
import resource
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.testing.leftovers import BESIDE_OTHERS, nothing_left_behind

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "target" / "lanes"
FAILURES = "failed.txt"
PYTEST = (".venv/bin/python", "-m", "pytest", "-q", "-rfE")
TWO_WORKERS = ("--workers", "2")
FIVE_WORKERS = ("--workers", "5")
LOW_PRIORITY = ("nice", "-n", "18")
"""Priority of tests that no clock decides, one above the lowest, to which followers of a run and the pages of
`loadrig ui` go: beside tests of a much higher one they got a tenth of a core, and a report was late."""
# The crate of the bindings is tested from Python: alone it would need Python's library to link with.
CARGO = ("cargo", "test", "--workspace", "--exclude", "loadrig-py", "--locked", "--quiet")
COMMANDS = {
    "cargo": CARGO,
    "pure": (*LOW_PRIORITY, *PYTEST, "--lane", "pure", *TWO_WORKERS),
    "waits": (*PYTEST, "--lane", "waits", *FIVE_WORKERS),
    "quiet": (*PYTEST, "--lane", "quiet"),
}
STAGES = ((("cargo", "waits"), ("pure",)), (("quiet",),))
"""Stages, one after the other, each of tracks beside each other, each of lanes one after the other."""

SPEAKING = ("waits", "quiet")
"""Lanes that write to the terminal, of which no two are run beside each other."""

FIRST_WORKERS = {"pure": 0, "waits": 2}
"""Number of a lane's first worker among those of all lanes: each takes ports of its own (tests/servers)."""

SLOWEST_GROUPS, SLOWEST_TESTS = 12, 15


@dataclass
class LaneOutcome:
    """Outcome of one lane. slow: seconds of each test of pytest's, by its file and name.

    failures: file and name of each test that failed, with the first line of the reason.
    """

    lane: str
    seconds: float
    is_good: bool
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    slow: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def main(asked: Sequence[str]) -> int:
    """Run the lanes that are asked for, print what they came to; 1 if one of them failed, else 0."""
    unknown = set(asked) - COMMANDS.keys()
    if unknown:
        print(f"no lane {', '.join(sorted(unknown))}; there are {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / FAILURES).unlink(missing_ok=True)
    outcomes: list[LaneOutcome] = []
    for stage in STAGES:
        outcomes += run_stage([[lane for lane in track if not asked or lane in asked] for track in stage])
    return tell(outcomes)


def run_stage(tracks: Sequence[Sequence[str]]) -> list[LaneOutcome]:
    """Run tracks beside each other, the lanes of each one after the other.

    If something is left when all of them have ended, all have failed: whose it is cannot be told.
    """
    with ThreadPoolExecutor() as pool:
        try:
            # While lanes run beside each other none can tell what it leaves from what another one uses.
            with nothing_left_behind(threads=False):
                runs = [
                    pool.submit(lambda lanes: [run_lane(lane) for lane in lanes], track) for track in tracks
                ]
                outcomes = [outcome for run in runs for outcome in run.result()]
        except AssertionError as leftovers:
            outcomes = [outcome for run in runs for outcome in run.result()]
            print(f"\nFAILED after all lanes beside each other have ended: {leftovers}")
            for outcome in outcomes:
                outcome.is_good = False
    return outcomes


def run_lane(lane: str) -> LaneOutcome:
    """Run a lane; of one that does not write to the terminal a log is kept, and shown if it has failed."""
    # Python need not compile the tests anew for each worker of each lane.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {BESIDE_OTHERS: "1", "LOADRIG_FIRST_WORKER": str(FIRST_WORKERS.get(lane, 0))}
    result_of(lane).unlink(missing_ok=True)
    command = [*COMMANDS[lane], *([] if lane == "cargo" else [f"--junitxml={result_of(lane)}"])]
    began = time.monotonic()
    if lane in SPEAKING:
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    else:
        with log_of(lane).open("w", encoding="utf-8") as log:
            code = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
            ).returncode
    outcome = outcome_of(lane, time.monotonic() - began, code)
    if lane not in SPEAKING and not outcome.is_good:
        print(log_of(lane).read_text(encoding="utf-8"))
    return outcome


def log_of(lane: str) -> Path:
    """File that keeps what a lane says beside others."""
    return RESULTS / f"{lane}.log"


def result_of(lane: str) -> Path:
    """File to which a lane writes what it came to."""
    return log_of(lane) if lane == "cargo" else RESULTS / f"{lane}.xml"


def outcome_of(lane: str, seconds: float, code: int) -> LaneOutcome:
    """Read what a lane has written; a lane that wrote nothing has failed."""
    outcome = LaneOutcome(lane, seconds, is_good=code == 0)
    try:
        read = _read_cargo if lane == "cargo" else _read_pytest
        read(result_of(lane), outcome)
    except (OSError, ElementTree.ParseError) as error:
        print(f"lane {lane}: {error}", file=sys.stderr)
        outcome.is_good = False
    return outcome


def _read_cargo(log: Path, outcome: LaneOutcome) -> None:
    text = log.read_text(encoding="utf-8")
    for passed, failed, ignored in re.findall(
        r"^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored;", text, re.MULTILINE
    ):
        outcome.passed += int(passed)
        outcome.failed += int(failed)
        outcome.skipped["a Rust test that is marked to be ignored"] += int(ignored)
    outcome.skipped = +outcome.skipped


def _read_pytest(document: Path, outcome: LaneOutcome) -> None:
    for case in ElementTree.parse(document).getroot().iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        skip = case.find("skipped")
        faults = [*case.iter("failure"), *case.iter("error")]
        if faults:
            outcome.failed += 1
            outcome.failures.append(f"{name}: {faults[0].get('message', '').partition(chr(10))[0]}")
        elif skip is not None:
            outcome.skipped[skip.get("message", "").removeprefix("Skipped: ")] += 1
        else:
            outcome.passed += 1
        outcome.slow[name] = outcome.slow.get(name, 0.0) + float(case.get("time", 0))


def tell(outcomes: Sequence[LaneOutcome]) -> int:
    """Print the tables, what was skipped, and the closing line; return the exit code."""
    print("\nwhere the time went")
    print(f"  {'lane':8} {'seconds':>8} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for outcome in outcomes:
        print(
            f"  {outcome.lane:8} {outcome.seconds:8.1f} {outcome.passed:7} {outcome.failed:7}"
            f" {outcome.skipped.total():8}" + ("" if outcome.is_good else "  failed")
        )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    # By it a machine that is slow is told from tests that do more.
    print(f"CPU time of all of them: {used.ru_utime + used.ru_stime:.0f} s")
    slow = {name: seconds for outcome in outcomes for name, seconds in outcome.slow.items()}
    rooms: Counter[str] = Counter()
    for name, seconds in slow.items():
        rooms[".".join(name.partition("::")[0].split(".")[:2])] += seconds  # type: ignore[assignment]
    print("slowest rooms, the seconds of their tests added up")
    for room, seconds in rooms.most_common(SLOWEST_GROUPS):
        print(f"  {seconds:8.1f}  {room}")
    print("slowest tests")
    for name in sorted(slow, key=lambda name: -slow[name])[:SLOWEST_TESTS]:
        print(f"  {slow[name]:8.1f}  {name}")
    skipped = sum((outcome.skipped for outcome in outcomes), Counter[str]())
    print(f"skipped on this machine: {skipped.total() or 'nothing'}")
    for reason, count in skipped.most_common():
        print(f"  {count:8}  {reason}")
    is_good = all(outcome.is_good for outcome in outcomes)
    most = os.environ.get("LOADRIG_MOST_SKIPPED")
    if most is not None and skipped.total() > int(most):
        is_good = False
        print(f"{skipped.total()} tests were skipped, more than the {most} that are allowed here")
    # Also for the end of all stages, as what comes after the tests may be long.
    failures = "".join(f"failed: {line}\n" for outcome in outcomes for line in outcome.failures)
    (RESULTS / FAILURES).write_text(failures, encoding="utf-8")
    print(failures, end="")
    for outcome in outcomes:
        if not outcome.is_good:
            print(f"lane {outcome.lane} failed; again, just that lane: scripts/test.sh {outcome.lane}")
    passed, failed = (sum(getattr(outcome, kind) for outcome in outcomes) for kind in ("passed", "failed"))
    print(f"{passed} passed, {failed} failed, {skipped.total()} skipped")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
