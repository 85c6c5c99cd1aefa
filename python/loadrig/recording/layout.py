"""Paths in the folder of a run. No other file of the project spells these paths."""

import os
import re
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadrig.base import known_secrets, private
from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingLayoutErrors
from loadrig.recording.files import making, write_json, write_whole

ERRORS = texts_of(RecordingLayoutErrors)

DEFAULT_PARENT = Path("runs")
"""Folder in which runs are kept when the user names no folder."""


@dataclass(frozen=True, slots=True)
class TrialFolder:
    """Paths of one trial's folder. Its files are documented in docs/reference/recording.md."""

    path: Path

    @property
    def manifest(self) -> Path:
        """Facts of the trial: what was run, where, when, with what: JSON."""
        return self.path / "manifest.json"

    @property
    def config(self) -> Path:
        """Configuration of the generator: JSON."""
        return self.path / "engine.json"

    @property
    def frames(self) -> Path:
        """The generator's counters, one JSON object a frame and line."""
        return self.path / "frames.jsonl"

    @property
    def packed_frames(self) -> Path:
        """The generator's counters of a long trial, once sealed: packed by gzip."""
        return self.path / "frames.jsonl.gz"

    @property
    def latency(self) -> Path:
        """The generator's histograms: an HdrHistogram interval log."""
        return self.path / "latency.hlog"

    @property
    def series_stream(self) -> Path:
        """Samples of the probes, while they are being written: an Arrow IPC stream."""
        return self.path / "series.arrow"

    @property
    def series(self) -> Path:
        """Samples of the probes, once sealed: Parquet."""
        return self.path / "series.parquet"

    @property
    def events(self) -> Path:
        """Events, one JSON object a line."""
        return self.path / "events.jsonl"

    @property
    def target_log(self) -> Path:
        """Output of the server, if the rig started it."""
        return self.path / "target.log"

    @property
    def written_files(self) -> Path:
        """Configuration files that were written for the server, from templates; a folder."""
        return self.path / "files"

    @property
    def profiles(self) -> Path:
        """Folder of profiles; there only where some were taken."""
        return self.path / "profiles"

    def profile(self, component: str, load: str, profiler: str, burst: int = 0) -> Path:
        """Return the path of a profile of a component under a load ("low" or "high"): gzipped pprof.

        burst: counts the profiles that the rig takes by itself from 1; 0 for a profile that was asked for.
        """
        parts = (component, load, profiler, *([str(burst)] if burst else []))
        words = (re.sub(r"[^A-Za-z0-9_.]+", "-", word).strip("-.") for word in parts)
        return self.profiles / f"{'-'.join(words)}.pb.gz"

    @property
    def engine_log(self) -> Path:
        """Messages of the generator to a person."""
        return self.path / "engine.log"

    @property
    def result(self) -> Path:
        """Result of the trial: JSON, made from the other files alone."""
        return self.path / "result.json"

    @property
    def seal(self) -> Path:
        """Present when the folder is complete; holds the size and digest of every file."""
        return self.path / "SEALED"

    @property
    def is_sealed(self) -> bool:
        """Whether the folder is complete and nothing writes to it any more."""
        return self.seal.is_file()

    def write_config(self, config: Mapping[str, Any]) -> None:
        """Keep the generator's configuration, without secrets (engine.secrets.kept).

        Raises VoidError if it cannot be written.
        """
        write_json(self.config, config)

    def set_aside(self) -> Path:
        """Rename the folder that a killed rig left, so that the trial can be run again.

        Return its new place.
        """
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}-broken-{number}")).exists():
            number += 1
        with making(aside):
            self.path.rename(aside)
        return aside


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths of the folder of a whole run: a study's, or that of a single trial."""

    path: Path

    @classmethod
    def fresh(cls, chosen: Path | None, name: str) -> "RunFolder":
        """Return the folder for a new run. Asking does not create it.

        chosen: the folder that the user named; else one named by the time and the run's name, in `runs/`
        below the user's working folder.
        """
        if chosen is not None:
            return cls(chosen)
        words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-")
        stem = f"{time.strftime('%Y-%m-%d-%H%M%S')}-{words}".rstrip("-")
        path = DEFAULT_PARENT / stem
        number = 2
        while path.exists():
            path = path.with_name(f"{stem}-{number}")
            number += 1
        return cls(path)

    @property
    def plan(self) -> Path:
        """The plan as it was written."""
        return self.path / "plan.yaml"

    @property
    def ledger(self) -> Path:
        """A study's append-only record of what was decided and done, one JSON object a line."""
        return self.path / "ledger.jsonl"

    @property
    def result(self) -> Path:
        """Result of the run: JSON."""
        return self.path / "result.json"

    @property
    def report(self) -> Path:
        """The report page."""
        return self.path / "report.html"

    @property
    def now(self) -> Path:
        """State of what runs now: JSON; only while a command writes to the run, or where one was killed."""
        return self.path / "now.json"

    @property
    def orders(self) -> Path:
        """Folder of what persons have ordered while the load ran, and of what came of it."""
        return self.path / "orders"

    @property
    def trials(self) -> Path:
        """Folder of the trials' folders."""
        return self.path / "trials"

    def trial(self, index: int) -> TrialFolder:
        """Return the folder of one trial; trials count from 1."""
        return TrialFolder(self.trials / f"{index:04d}")

    def trial_folders(self) -> list[TrialFolder]:
        """Return the trials that left a folder, in order, without those that were set aside."""
        if not self.trials.is_dir():
            return []
        names = sorted((p.name for p in self.trials.iterdir() if p.name.isdecimal() and p.is_dir()), key=int)
        return [TrialFolder(self.trials / name) for name in names]

    @property
    def proof(self) -> "RunFolder":
        """Folder of what was changed to prove the diagnosis: trials as in a run, and its document."""
        return RunFolder(self.path / "proof")

    @property
    def proof_document(self) -> Path:
        """Document of what was changed and what moved (docs/reference/proof.md): JSON.

        There only after a proof.
        """
        return self.proof.path / "proof.json"

    @property
    def blocks(self) -> Path:
        """Outcomes of a proof as they come, for whoever watches it: one JSON object a line."""
        return self.path / "blocks.jsonl"

    def create(self, plan_text: str | None) -> None:
        """Make the folder and keep the plan in it; plan None where another tool made the load.

        Raises PlanError if a run is in there already, VoidError if it cannot be written.
        """
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise PlanError.of(ERRORS.folder_in_use(str(self.path)), code="recording.folder-in-use")
        if (owner := _stranger(self.path)) is not None:
            wording = ERRORS.folder_of_stranger(str(self.path), owner)
            raise PlanError.of(wording, code="recording.folder-in-use")
        with making(self.path):
            if self.path.parent == DEFAULT_PARENT:
                private.make_folder(DEFAULT_PARENT)
            private.make_folder(self.path)
            self.path.chmod(private.FOLDER_MODE)  # the user may have made it, empty
            private.make_folder(self.trials)
        if plan_text is not None:
            write_whole(self.plan, known_secrets.hidden(plan_text))


def _stranger(path: Path) -> int | None:
    """Return the user to whom a folder or link belongs that lies where everybody may write.

    None if it is ours.

    Elsewhere a folder of another user may be meant: a container's root writes to what was mounted for it.
    """
    try:
        status, above = path.lstat(), path.parent.stat()
    except OSError:
        return None
    is_open = bool(above.st_mode & stat.S_IWOTH)
    return status.st_uid if is_open and status.st_uid not in (0, os.geteuid()) else None
