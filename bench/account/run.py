"""One cell: servers are started, loadrig loads them as a user does, account and truth are compared.

The server has core 1, and so have the proxy before it and its competitor. The generator, the rig around it
and the dependency have core 0, so that a call takes as long as it should.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.account import judge, truth
from bench.account.cells import GO, PROXY, TLS, UNIX, AccountCell, Work, spec
from bench.account.front import front
from bench.account.start import Served, rival, served
from bench.costs import Failed
from bench.lab import CLIENT_CORE, SERVER_CORE
from loadrig.account.trial_account import account_of
from loadrig.recording.reader import Recording

Row = dict[str, Any]

RECORDING, BOOKS = "run", "books.json"
"""Names of what is kept of a cell, in its folder."""

WARM_UP_S = 2.0
ENDS_S = 60.0
"""Seconds that a run may take longer than its load."""

DEPENDENCY = GO
"""Runtime of the dependency: the one whose timers are the most exact of those that are here."""


def record(cell: AccountCell, seconds: float, certificate: Path, folder: Path) -> None:
    """Run a cell and keep its recording and both books in a folder, which is made.

    seconds: measured, beside the warm-up. certificate: folder of cert.pem and key.pem. Raises Failed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="account-") as name, ExitStack() as stack:
        home = Path(name)
        stack.enter_context(rival(cell.rival_share, SERVER_CORE))
        dependency = stack.enter_context(_dependency(cell))
        unix = str(home / "server.sock") if cell.variant == UNIX else ""
        text = spec(
            cell.work, dependency_port=dependency.port, unix=unix,
            certificate=str(certificate) if cell.variant == TLS else "", file=str(home / "written"),
        )  # fmt: skip
        with served(cell.runtime, text, [SERVER_CORE]) as server, ExitStack() as before:
            port = server.port
            if cell.variant == PROXY:
                port = before.enter_context(front(home, server.port, SERVER_CORE))
            (home / "plan.yaml").write_text(json.dumps(plan(cell, port, unix, seconds)), encoding="utf-8")
            run = _loaded(home, seconds)
        stack.close()
        folder.mkdir(parents=True)
        shutil.move(run, folder / RECORDING)
        books = {"server": asdict(server), "dependency": asdict(dependency)}
        # Written last: a folder without it was not finished.
        (folder / BOOKS).write_text(json.dumps(books), encoding="utf-8")


def is_kept(folder: Path) -> bool:
    """Return whether a folder holds a cell that was run to its end."""
    return (folder / BOOKS).exists()


def row(cell: AccountCell, folder: Path) -> Row:
    """Return the row of a cell that was kept: every line of the account beside the truth.

    The account is worked out anew, so that a change of it shows without running anything.
    """
    books = json.loads((folder / BOOKS).read_text(encoding="utf-8"))
    server, dependency = (Served(**books[name]) for name in ("server", "dependency"))
    try:
        return _names(cell) | compared(Recording.open(folder / RECORDING), server, dependency, cell)
    except (Failed, ValueError) as failure:
        return failed(cell, failure)


def failed(cell: AccountCell, failure: Exception) -> Row:
    """Return the row of a cell that gave no figure."""
    return {**_names(cell), "failed": str(failure)[-400:]}


def _names(cell: AccountCell) -> Row:
    return {
        "name": cell.name, "runtime": cell.runtime, "state": cell.state, "load": cell.load,
        "variant": cell.variant,
    }  # fmt: skip


def _dependency(cell: AccountCell) -> contextlib.AbstractContextManager[Served]:
    work = Work(sleep_ms=cell.dependency_ms, cpu_ms=0.0, calls=False)
    return served(DEPENDENCY, spec(work), [CLIENT_CORE])


def plan(cell: AccountCell, port: int, unix: str, seconds: float) -> dict[str, Any]:
    """Return the plan of a cell: JSON is YAML.

    port: where the load goes; unix: the socket instead, or empty.
    """
    target: dict[str, Any] = {"url": f"{'https' if cell.variant == TLS else 'http'}://127.0.0.1:{port or 80}"}
    if unix:
        target["unix"] = unix
    workload: dict[str, Any] = {
        "users": cell.users, "requests": [{"get": "/"}], "timeout": "10s",
        "connections": {"keep_alive": not cell.work.closes},
    }  # fmt: skip
    if cell.variant == TLS:
        workload["tls"] = {"insecure": True}
    return {
        "loadrig": 1, "name": "truth", "target": {"external": target}, "workload": workload,
        "trial": {
            "warm_up": {"at_least": f"{WARM_UP_S:g}s", "at_most": f"{WARM_UP_S:g}s"},
            "measure": {"at_least": f"{seconds:g}s", "at_most": f"{seconds:g}s"},
            "cpus": [CLIENT_CORE], "drain": "2s",
        },
    }  # fmt: skip


def _loaded(home: Path, seconds: float) -> Path:
    """Run loadrig, all of it on the generator's core; the folder of its recording."""
    program = str(Path(sys.executable).with_name("loadrig"))
    try:
        done = subprocess.run(
            [program, "run", "plan.yaml", "--json", "--out", "run"],
            capture_output=True, text=True, check=False, cwd=home, timeout=WARM_UP_S + seconds + ENDS_S,
            preexec_fn=lambda: os.sched_setaffinity(0, {CLIENT_CORE}),
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        raise Failed("loadrig did not end") from late
    manifest = next((home / "run").rglob("manifest.json"), None)
    if manifest is None:
        raise Failed(f"loadrig left no recording (exit code {done.returncode}): {done.stderr[-300:]}")
    return manifest.parent


def compared(recording: Recording, server: Served, dependency: Served, cell: AccountCell) -> Row:
    """Every line of the recording's account beside the truth of the two books, with what else tells of it.

    Raises Failed where the recording has no account of the server.
    """
    account = account_of(recording)
    name = _name_of(recording, server.pid)
    component = account.component(name) if account is not None else None
    if account is None or component is None or not component.total_ms:
        raise Failed(f"no account of {name}")
    window = recording.measured.from_ns, recording.measured.to_ns
    of_server = truth.sums(server.book, *window)
    of_dependency = truth.sums(dependency.book, *window) if cell.work.calls else None
    before_ms = sum(
        line.ms for line in component.lines if line.state in ("generator", "connecting") and not line.of
    )
    true_ms = truth.lines(
        of_server, of_dependency, bool(server.book["has_arrivals"]), component.total_ms, before_ms, cell.rest
    )
    unseen = [missing.what for missing in component.unseen]
    return {
        "component": name, "requests": of_server.requests, "requests_per_s": account.requests_per_s,
        "total_ms": component.total_ms, "rest_ms": component.rest_ms, "before_ms": before_ms,
        "lines": judge.compared(component.lines, true_ms, unseen), "flags": list(component.flags),
        "unseen": unseen,
        "book": {field: of_server.ms(field) for field in of_server.fields if field != "requests"},
    }  # fmt: skip


def _name_of(recording: Recording, pid: int) -> str:
    """Return the component that is this process; the loaded server where the map does not know it."""
    components = recording.manifest.map.components if recording.manifest.map else ()
    return next((component.name for component in components if component.pid == pid), "server")
