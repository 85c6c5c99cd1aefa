"""Runs that were recorded once, on a machine where nothing else ran: what a proof or a report begins with.

A diagnosis of a live run depends on who else uses the cores. The tests of what follows from it begin with
the same diagnosis each time. To record them anew: `python -m tests.integration.recorded_runs`.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from loadrig.recording import sealing
from loadrig.recording.layout import RunFolder

RECORDED = Path(__file__).with_name("recorded")
"""A folder for each: plan.yaml, the server's file, and run/ without the pages that can be made again."""

CAUSES = {"few-threads": "too_few_workers", "cold": "warm_up"}
"""Cause that its diagnosis accuses, for each run."""

PYTHON, FOLDER = "PYTHON", "FOLDER"
"""Words in the recorded manifests for the paths of this checkout and of the folder of the plan."""


def recorded_run(name: str, folder: Path) -> Path:
    """Copy a recorded plan, its server and its run to a folder, as if it had run there; return the run."""
    shutil.copytree(RECORDED / name, folder, dirs_exist_ok=True)
    # A run of one trial has the same result as its trial, so it is kept once.
    shutil.copy(folder / "run" / "result.json", folder / "run" / "trials" / "0001")
    _say(folder / "run", {PYTHON: sys.executable, FOLDER: str(folder)})
    return folder / "run"


def record(name: str) -> None:
    """Run a recorded plan again, and keep the run if its diagnosis is the expected one."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file in (RECORDED / name).iterdir():
            if file.is_file():
                shutil.copy(file, folder)
        argv = [sys.executable, "-m", "loadrig.cli", "run", "plan.yaml", "--json", "--out", "run"]
        done = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, check=False)
        causes = [finding["cause"] for finding in json.loads(done.stdout)["findings"]]
        if causes[:1] != [CAUSES[name]]:
            sys.exit(f"{name}: not kept, the diagnosis accuses {causes or 'nobody'}, not {CAUSES[name]}")
        keep(name, folder)


def keep(name: str, folder: Path) -> None:
    """Keep the run of a folder in place of the recorded one, without the paths of this machine."""
    for page in (folder / "run").rglob("report.html"):
        page.unlink()
    _say(folder / "run", {sys.executable: PYTHON, str(folder): FOLDER})
    shutil.rmtree(RECORDED / name / "run", ignore_errors=True)
    shutil.copytree(folder / "run", RECORDED / name / "run")
    for trial in RunFolder(RECORDED / name / "run").trial_folders():
        trial.result.unlink()


def _say(run: Path, words: dict[str, str]) -> None:
    """Replace words in a run's documents, and seal its trials again."""
    for file in run.rglob("*.json"):
        text = file.read_text(encoding="utf-8")
        for old, new in words.items():
            text = text.replace(old, new)
        file.chmod(0o600)
        file.write_text(text, encoding="utf-8")
    for trial in RunFolder(run).trial_folders():
        trial.seal.unlink(missing_ok=True)
        sealing.seal(trial)


if __name__ == "__main__":
    for every in sys.argv[1:] or CAUSES:
        record(every)
