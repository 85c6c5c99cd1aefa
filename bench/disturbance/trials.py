"""Trials of a server with a known fault while a share of the time is taken away, again and again the same.

The server waits for something slow in each of its two threads, and twelve users ask it: the cause is
too_few_workers, whatever the neighbours do. It has core 1, the generator core 0; what disturbs takes from
both. Studies of A against A are made of these trials: nothing differs between the two sides.
"""

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.costs import Failed
from bench.diagnosis.ledger import BenchLedger
from bench.disturbance.disturbers import KINDS
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from loadrig.account.document import AccountDocument
from loadrig.base import component
from loadrig.base.documents import typed
from loadrig.trial.validity import Validity

Row = dict[str, Any]

SHARES = (0.0, 0.02, 0.05, 0.10, 0.15, 0.25)
"""Shares of the time that are taken away. For nothing there is one kind."""

NOTHING = "nothing"
CAUSE, STATE = "too_few_workers", "unread"
"""Cause of what is wrong with the server, and state in which a request spends most of its time: its
connections are accepted, and no thread has read it."""

WARM_UP_S, MEASURED_S, ENDS_S = 1.0, 4.0, 60.0

TURNS = 4
"""Trials of each side of a study."""

SERVER = """
import time

def app(environ, start_response):
    if environ["PATH_INFO"] != "/health":
        time.sleep(0.02)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
"""


def plan(seconds: float) -> dict[str, Any]:
    """Return the plan of every trial: JSON is YAML."""
    return {
        "loadrig": 1, "name": "disturbed",
        "target": {"gunicorn": {"app": "waiting:app", "ready": "/health", "cpus": [SERVER_CORE]}},
        "knobs": {"worker_class": "gthread", "workers": 1, "threads": 2, "keepalive": 10},
        "workload": {"users": 12, "requests": [{"name": "page", "get": "/", "expect": 200}]},
        "trial": {
            "warm_up": {"at_least": f"{WARM_UP_S:g}s", "at_most": f"{WARM_UP_S:g}s"},
            "measure": {"at_least": f"{seconds:g}s", "at_most": f"{seconds:g}s"},
            "cpus": [CLIENT_CORE],
        },
    }  # fmt: skip


def cells() -> list[tuple[str, float]]:
    """Return what disturbs, and how much of the time it takes."""
    return [(NOTHING, 0.0), *itertools.product(KINDS, SHARES[1:])]


def key_of(kind: str, share: float, number: int) -> str:
    """Name of a trial in the ledger, and of its run's folder."""
    return f"{kind}-{share:g}-{number}".replace(" ", "-")


def run(lab: Bench, ledger: BenchLedger, rounds: int, seconds: float) -> list[Row]:
    """So many trials of each cell, cells in turns; what the ledger does not have is made.

    Returns a row for each trial that the ledger knows of these cells.
    """
    home = ledger.folder / "plan"
    home.mkdir(parents=True, exist_ok=True)
    (home / "waiting.py").write_text(SERVER, encoding="utf-8")
    (home / "plan.yaml").write_text(json.dumps(plan(seconds)), encoding="utf-8")
    for number in range(rounds):
        for kind, share in cells():
            key = key_of(kind, share, number)
            if key in ledger.rows or not lab.is_asked(kind):
                continue
            with lab.turn():
                try:
                    row = _trial(home, ledger.folder / key, kind, share, number)
                except Failed as failure:
                    row = {"failed": str(failure)[-400:]}
            ledger.add({"key": key, "kind": kind, "share": share, "round": number, **row})
            print(f"  {key:32} {row}", file=sys.stderr, flush=True)
    return [row for row in ledger.rows.values() if row["round"] < rounds]


def _trial(home: Path, out: Path, kind: str, share: float, seed: int) -> Row:
    shutil.rmtree(out, ignore_errors=True)
    program = str(Path(sys.executable).with_name("loadrig"))
    words = [program, "run", "plan.yaml", "--json", "--out", str(out)]
    if kind == NOTHING:
        return _told(*_ended(words, home))
    with KINDS[kind](share, seed) as disturb:
        return _told(*_ended(words, home, disturb))


def _ended(words: Sequence[str], home: Path, begun: Any = None) -> tuple[int, str, str]:
    process = subprocess.Popen(words, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        if begun is not None:
            begun(process.pid)
        try:
            out, errors = process.communicate(timeout=ENDS_S)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate(timeout=ENDS_S)
            raise Failed(f"it did not end within {ENDS_S:g} s") from None
    return process.returncode, out, errors


def _told(code: int, out: str, errors: str) -> Row:
    """Return what a trial said of itself and of the server."""
    try:
        result = json.loads(out)
    except ValueError:
        raise Failed(f"exit {code}: {errors[-300:]}") from None
    validity, findings = typed(Validity, result["validity"], "validity"), result["findings"]
    account = typed(AccountDocument, result["account"], "the account") if "account" in result else None
    server = None if account is None else account.components.get(component.SERVER)
    longest = max(server.per_request, key=lambda line: line.ms) if server is not None else None
    return {
        "code": code, "verdict": validity.verdict, "checks": [reason.check for reason in validity.reasons],
        "weakened": {weak.claim: weak.effect for weak in validity.weakened},
        "sent": result["load"]["requests"], "first": findings[0]["cause"] if findings else None,
        "longest": None if longest is None else longest.state,
        "longest_share": None if server is None or longest is None else longest.ms / server.total_ms,
    }  # fmt: skip


def against_itself(ledger: BenchLedger, kind: str, share: float, rounds: int) -> list[str]:
    """Verdicts of studies of A against A, made of the trials of a cell: each is paired with its neighbour.

    Which of a pair is A is chosen in every way that differs: with four pairs in eight ways. They share
    trials, so that what they say together is worth less than as many studies of their own.
    """
    keys = [key_of(kind, share, number) for number in range(rounds)]
    runs = [ledger.folder / key for key in keys if ledger.rows.get(key, {}).get("verdict")]
    pairs = [(runs[n], runs[n + 1]) for n in range(0, len(runs) - 1, 2)][:TURNS]
    if len(pairs) < TURNS:
        return []
    verdicts = []
    for others in itertools.product((False, True), repeat=len(pairs) - 1):
        turned = [
            pair[::-1] if is_turned else pair for is_turned, pair in zip((False, *others), pairs, strict=True)
        ]
        sides = [",".join(str(pair[n]) for pair in turned) for n in (0, 1)]
        verdicts.append(_compared(sides))
    return verdicts


def _compared(sides: Sequence[str]) -> str:
    program = str(Path(sys.executable).with_name("loadrig"))
    done = subprocess.run(
        [program, "compare", *sides, "--json"], capture_output=True, text=True, check=False, timeout=ENDS_S
    )
    try:
        verdict: str = json.loads(done.stdout)["verdict"]
    except (ValueError, KeyError):
        return f"exit {done.returncode}: {done.stderr.strip()[:120]}"
    return verdict
