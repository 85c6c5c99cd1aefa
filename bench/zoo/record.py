"""Recording: a case is one process, in a network of its own, so that a lock can be taken around each.

What was recorded is not recorded again. While it runs, a case lies at a path that says nothing of it.
"""

import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.zoo.cases import ZooCase
from bench.zoo.harm import harms
from bench.zoo.setup import prepare
from bench.zoo.trial import TWIN_S

ROOT = Path(__file__).parents[2]
WITHIN_S, ENDS_S = 115.0, 30.0
FACTS, RUN = "facts.json", "run"

Facts = dict[str, Any]


def record(cases: list[ZooCase], out: Path, lock: Path | None, *, again: bool = False) -> None:
    """Run cases that are not there yet, and print a line for each. lock: held for each case."""
    prepare()
    out.mkdir(parents=True, exist_ok=True)
    for case in cases:
        folder = out / case.name
        if (folder / FACTS).exists() and not again:
            continue
        problem = _recorded(case, folder, lock)
        print(f"{case.name:40} {problem or summary(case, facts_of(folder))}", flush=True)


def facts_of(folder: Path) -> Facts:
    """Return what was written down of a case that was recorded."""
    facts: Facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    return facts


def summary(case: ZooCase, facts: Facts) -> str:
    """Harm of a case, in a line."""
    harm = harms(facts, facts["twin"]) or ["no harm"]
    figures = (
        f"{facts['ok_rps']:.0f}/s p99 {facts['p99_ms'] or 0:.1f} ms, twin {facts['twin']['ok_rps']:.0f}/s"
    )
    figures += f" p99 {facts['twin']['p99_ms'] or 0:.1f} ms"
    return f"{'; '.join(harm)} | {figures}{'' if case.causes else ' | meant healthy'}"


def unusable(facts: Facts) -> str:
    """Return why nothing can be said of a case, else "": beside a broken twin no harm shows."""
    if facts["twin"]["ok_rps"] > 0:
        return ""
    return "its healthy twin answered nothing: something that the stack needs is not on this machine"


def _recorded(case: ZooCase, folder: Path, lock: Path | None) -> str:
    """Record a case into its folder; returns what went wrong, empty where nothing did."""
    with tempfile.TemporaryDirectory(prefix="shop-record-") as name:
        home = Path(name)
        spec = {**case.spec(), "twin_s": TWIN_S}
        (home / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
        inside = f"ip link set lo up && exec {sys.executable} -m bench.zoo.trial {home}"
        argv = ["unshare", "--net", "--mount", "sh", "-c", inside]
        if lock is not None:
            argv = ["flock", "-o", str(lock), *argv]
        began = time.monotonic()
        errors = _ended(argv, home)
        if not (home / FACTS).exists():
            return f"FAILED after {time.monotonic() - began:.0f} s: {errors[-700:]}"
        facts = {"case": case.name, "took_s": time.monotonic() - began, **facts_of(home)}
        if problem := unusable(facts):
            return f"FAILED: {problem}"
        (home / FACTS).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(home, folder)
    return ""


def _ended(argv: list[str], home: Path) -> str:
    """Run a case to its end, and return what it printed of errors. It is asked to end if it does not."""
    with (home / "errors.txt").open("w+") as errors:
        process = subprocess.Popen(
            argv, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )
        try:
            process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(ENDS_S)
                process.kill()
                process.wait()
        errors.seek(0)
        return errors.read()
