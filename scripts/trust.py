"""Trust in the checks on the rig: sabotages that are caught, clean runs that are flagged.

    .venv/bin/python scripts/trust.py                    every sabotage once, 100 clean runs (12 minutes)
    .venv/bin/python scripts/trust.py --clean 0          the sabotages alone; clean runs stay as they were
    .venv/bin/python scripts/trust.py --only clock       the sabotages with this in their name; others stay
    .venv/bin/python scripts/trust.py --rounds 0         the clean runs alone
    .venv/bin/python scripts/trust.py --lock FILE        hold this lock while running, in turns

Prints a line a run and both rates with exact binomial intervals, and writes all of it to
bench/results/trust_DATE.json. What else used the cores during a run is measured, from /proc/stat less
what this script's own processes used, and kept beside it. A run beside which others used more than
2 % of the cores is not a clean one, whatever came of it: it is counted apart, and done again.
"""

import argparse
import fcntl
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

HOUSE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOUSE))

from tests.sabotage.catalogue import SABOTAGES  # noqa: E402
from tests.sabotage.clean import KINDS  # noqa: E402
from tests.sabotage.harness import Impossible, SabotageOutcome  # noqa: E402

from bench.results import text  # noqa: E402
from loadrig.base.processes import TICKS_PER_S  # noqa: E402
from loadrig.trial import calibration  # noqa: E402
from loadrig.trial.surroundings import machine, parse_stat  # noqa: E402

Found = dict[str, Any]

TRIES = 4
"""Runs made at most for each clean one that is wanted."""

TURN_S = 90.0
"""Seconds that a lock is held at a time: with the run that is under way, less than two minutes."""

QUIET_SHARE = 0.02
"""Share of the cores that others use, up to which a run is clean. The system's own threads use about 1 %."""

QUIET_WITHIN_S = 600.0
"""So long a run may wait for a quiet machine."""


class LockTurn:
    """A file's lock, held for run after run and given up in between once others have waited long enough."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._since = 0.0

    def take(self) -> None:
        """Hold the lock for the next run."""
        if self._path is None:
            return
        if self._file is not None and time.monotonic() - self._since > TURN_S:
            self.give_up()
            time.sleep(0.5)
        if self._file is None:
            self._file = self._path.open("a")
            fcntl.flock(self._file, fcntl.LOCK_EX)
            self._since = time.monotonic()

    def give_up(self) -> None:
        """Let others have it."""
        if self._file is not None:
            self._file.close()
            self._file = None


def main() -> int:
    """Run, print, keep; 1 where fewer than 19 of 20 were caught or more than 2 % flagged."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--clean", type=int, default=100, help="clean runs (default: 100)")
    words.add_argument("--rounds", type=int, default=1, help="times that each sabotage is done (default: 1)")
    words.add_argument("--only", default="", help="sabotages whose name holds this (default: all)")
    words.add_argument("--lock", type=Path, help="a file to lock in turns of 90 s (default: none)")
    asked = words.parse_args()
    turn = LockTurn(asked.lock)
    chosen = [sabotage for sabotage in SABOTAGES if asked.only in sabotage.name]
    path = HOUSE / "bench" / "results" / f"trust_{time.strftime('%Y-%m-%d')}.json"
    sabotages: list[Found] = []
    clean: list[Found] = []
    kinds = list(KINDS.items())
    with tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        turn.take()
        ceiling = calibration.calibrate(pairs=0)
        print(f"this machine's generator makes {ceiling.per_second:,.0f} requests a second at most")
        for sabotage in chosen * asked.rounds:
            sabotages.append(_sabotage(sabotage, turn))
            _keep(path, ceiling.per_second, sabotages, clean)
        while sum(map(_is_quiet, clean)) < asked.clean and len(clean) < TRIES * asked.clean:
            clean.append(_clean(*kinds[sum(map(_is_quiet, clean)) % len(kinds)], turn))
            _keep(path, ceiling.per_second, sabotages, clean)
    turn.give_up()
    summary = _keep(path, ceiling.per_second, sabotages, clean)
    for name, share in summary.items():
        low, high = (f"{bound:.1%}" for bound in share["interval"])
        print(f"{name}: {share['hits']} of {share['of']} ({share['share']:.1%}; 95 %: {low} to {high})")
    for each in sabotages:
        if "skipped" in each:
            print(f"not done, it needs {each['skipped']}: {each['name']}")
    print(f"kept in {path.relative_to(HOUSE)}")
    caught, flagged = summary["sabotages caught"], summary["clean runs flagged"]
    return int(caught["share"] < 0.95 or flagged["share"] > 0.02)


def _keep(path: Path, per_second: float, sabotages: list[Found], clean: list[Found]) -> Found:
    """Write all that was found until now, so that a run that is broken off loses nothing; the rates.

    What this run has not done stays as an earlier one of the day left it.
    """
    before: Found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    redone = {row["name"] for row in sabotages}
    earlier = [row for row in before.get("sabotages", []) if row["name"] not in redone]
    sabotages, clean = earlier + sabotages, clean or before.get("clean", [])
    done = [row["caught"] for row in sabotages if "caught" in row]
    flagged = [run["flagged"] for run in clean if _is_quiet(run)]
    disturbed = [run["flagged"] for run in clean if not _is_quiet(run)]
    summary = {
        "sabotages caught": _share(sum(done), len(done)),
        "clean runs flagged": _share(sum(flagged), len(flagged)),
        "runs flagged that others disturbed": _share(sum(disturbed), len(disturbed)),
    }
    document = {
        "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": "scripts/trust.py",
        "machine": machine().to_json(),
        "ceiling_per_second": per_second,
        "summary": summary,
        "sabotages": sabotages,
        "clean": clean,
    }
    path.write_text(text(document), encoding="utf-8")
    return summary


def _sabotage(sabotage: Any, turn: LockTurn) -> Found:
    about = {"name": sabotage.name, "check": sabotage.check}
    try:
        outcome, others = _run(sabotage.commit, turn)
    except Impossible as missing:
        return {**about, "skipped": str(missing)}
    except AssertionError as broken:
        print(f"MISSED  {sabotage.check:4}  {sabotage.name}: {broken}", flush=True)
        return {**about, "caught": False, "said": [str(broken)[-500:]]}
    is_caught = sabotage.is_caught_by(outcome)
    ending = "" if is_caught else f": {outcome}"
    print(f"{'caught' if is_caught else 'MISSED'}  {sabotage.check:4}  {sabotage.name}{ending}", flush=True)
    reasons = [f"{reason['check']} {reason['level']}: {reason['text']}" for reason in outcome.reasons]
    return {
        **about,
        "caught": is_caught,
        "verdict": outcome.verdict,
        "said": reasons or outcome.errors.strip().splitlines()[:1],
        "others_share": others,
    }


def _clean(kind: str, commit: Callable[[Path], SabotageOutcome], turn: LockTurn) -> Found:
    _await_quiet(turn)
    outcome, others = _run(commit, turn)
    if outcome.result is None:
        sys.exit(f"a clean run failed: {outcome}")
    is_flagged = outcome.verdict != "valid"
    ending = f"FLAGGED  {outcome}" if is_flagged else "valid"
    print(f"clean   {kind}: {ending} (others used {others:.1%} of the cores)", flush=True)
    return {
        "kind": kind,
        "flagged": is_flagged,
        "said": [f"{reason['check']} {reason['level']}: {reason['text']}" for reason in outcome.reasons],
        "not_checked": sorted(outcome.result["validity"]["not_checked"]),
        "lag_p99_us": outcome.result["generator"]["lag_us"]["p99"],
        "others_share": others,
    }


def _await_quiet(turn: LockTurn) -> None:
    """Return once the machine has been quiet for half a second, or after the longest wait."""
    deadline = time.monotonic() + QUIET_WITHIN_S
    while time.monotonic() < deadline:
        turn.take()
        busy_s, began = _busy_s(), time.monotonic()
        time.sleep(0.5)
        if _busy_s() - busy_s <= 2 * QUIET_SHARE * (time.monotonic() - began) * (os.cpu_count() or 1):
            return
        # Nobody is to wait for a run that cannot begin.
        turn.give_up()
        time.sleep(1.0)


def _is_quiet(run: Found) -> bool:
    return bool(run["others_share"] <= QUIET_SHARE)


def _run(commit: Callable[[Path], SabotageOutcome], turn: LockTurn) -> tuple[SabotageOutcome, float]:
    """Return one run, and the share of all cores that others used meanwhile."""
    turn.take()
    with tempfile.TemporaryDirectory() as folder:
        busy_s, own_s, began = _busy_s(), _own_s(), time.monotonic()
        outcome = commit(Path(folder))
        others_s = (_busy_s() - busy_s) - (_own_s() - own_s)
        length_s = (time.monotonic() - began) * (os.cpu_count() or 1)
    return outcome, max(0.0, others_s / length_s)


def _busy_s() -> float:
    cores = parse_stat(Path("/proc/stat").read_text(encoding="ascii"))
    return sum(used for used, _ in cores.values()) / TICKS_PER_S


def _own_s() -> float:
    """CPU time of this process and of all that it has waited for."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _share(hits: int, n: int) -> Found:
    from scipy.stats import binomtest

    if not n:
        return {"hits": 0, "of": 0, "share": 0.0, "interval": [0.0, 1.0]}
    interval = binomtest(hits, n).proportion_ci(0.95, method="exact")
    return {"hits": hits, "of": n, "share": hits / n, "interval": [float(interval.low), float(interval.high)]}


if __name__ == "__main__":
    sys.exit(main())
