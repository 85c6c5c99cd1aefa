"""The run that goes on: named by its folder, or the newest."""

from pathlib import Path

from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_run import CliRunningErrors
from loadrig.recording import now
from loadrig.recording.layout import DEFAULT_PARENT, RunFolder

ERRORS = texts_of(CliRunningErrors)


def running(chosen: Path | None) -> RunFolder:
    """Return the run that goes on in a folder, or the newest under runs/ that does. Raises PlanError."""
    if chosen is not None:
        run = RunFolder(chosen)
        state = now.read(run)
        if state is None or not state.is_alive:
            raise PlanError.of(ERRORS.nothing_runs(str(chosen)), code="steer.nothing-runs")
        return run
    folders = [path for path in DEFAULT_PARENT.glob("*") if path.is_dir()] if DEFAULT_PARENT.is_dir() else []
    states = [(now.read(RunFolder(path)), path) for path in folders]
    alive = [(state.written_ns, path) for state, path in states if state is not None and state.is_alive]
    if not alive:
        raise PlanError.of(ERRORS.nothing_runs_below(f"{DEFAULT_PARENT}/"), code="steer.nothing-runs")
    return RunFolder(max(alive)[1])
