"""Follower of a run: its state, the trials that are over, and the trial that runs."""

import contextlib
import time
from collections.abc import Iterable, Mapping

import msgspec

from loadrig._native import Histogram
from loadrig.base.documents import Document
from loadrig.base.setting import Value, show_setting
from loadrig.following.document import OverDocument, RunNewsDocument, RunTablesDocument, TrialNewsDocument
from loadrig.following.tables import blocks_of, settings_of
from loadrig.following.tails import LineTail
from loadrig.following.trial import TrialFollower
from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from loadrig.recording.level_look import LevelLook
from loadrig.recording.now import NowDocument
from loadrig.recording.proof_blocks import BlockOutcome

NS = 1_000_000_000


class LedgerFigure(Document, frozen=True):
    """Figure of a measure in a line of the ledger."""

    value: float | None = None


class LedgerLine(Document, frozen=True, kw_only=True):
    """Line of a study's ledger, as far as it is shown."""

    kind: str
    name: str = ""
    index: int = 0
    setting: Mapping[str, Value] = {}
    is_base: bool = False
    validity: str = ""
    measures: Mapping[str, LedgerFigure] = {}


class ProofTail:
    """Reader of the blocks of a run's proof. outcomes: those that were read so far."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._prover = 0
        self._blocks, self.outcomes = LineTail(run.proof.blocks), list[BlockOutcome]()

    def follow(self, prover: int) -> None:
        """Begin anew where another process proves: it has a file of its own. prover: its start."""
        if prover != self._prover:
            self._prover = prover
            self.close()
            self._blocks, self.outcomes = LineTail(self._run.proof.blocks), []

    def look(self) -> None:
        """Read the blocks that were written since the last look."""
        for line in self._blocks.more():
            with contextlib.suppress(ValueError):  # of a loadrig to come
                self.outcomes.append(msgspec.json.decode(line, type=BlockOutcome))

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._blocks.close()


class RunFollower:
    """Follower of a run's folder, from its beginning or later, also of a run that is over.

    is_by_route: whether times are kept by route.
    """

    def __init__(self, run: RunFolder, *, is_by_route: bool = False) -> None:
        self._run, self._is_by_route = run, is_by_route
        self._ledger = LineTail(run.ledger)
        self._title = ""
        self._trial: TrialFollower | None = None
        self._followed, self._is_leaving = (0, False), False
        self._over: list[OverDocument] = []
        self._levels: tuple[LevelLook, ...] = ()
        self._proof = ProofTail(run)
        self._counts = 0, 0, 0
        self._done = self._total = 0

    def look(self) -> RunNewsDocument:
        """Return what is new; the first look tells what there has been so far."""
        state = now.read(self._run)
        is_running = state is not None and state.is_alive
        over = tuple(self._new_over())
        self._done += len(over)
        if state is not None:
            self._title, self._total = state.title or self._title, state.total
        news = self._trial_news(state)
        phase_s = (time.time_ns() - state.since_ns) / NS if state is not None and state.since_ns else 0.0
        left_s = max(0.0, state.left_s - (time.time_ns() - state.written_ns) / NS) if state else 0.0
        return RunNewsDocument(
            title=self._title or self._run.path.name,
            is_running=is_running,
            phase=state.phase if state is not None and is_running else "",
            phase_s=max(0.0, phase_s) if is_running else 0.0,
            expected_s=state.expected_s if state is not None and is_running else 0.0,
            done=self._done,
            total=max(self._total, self._done),
            left_s=left_s if is_running else 0.0,
            setting=state.setting if state is not None and is_running else "",
            notes=state.notes if state is not None else (),
            over=over,
            course=self._new_course(over),
            trial=news,
            has_result=self._run.result.is_file(),
            has_report=self._run.report.is_file(),
            is_gone=not self._run.path.is_dir(),
        )

    @property
    def times(self) -> Mapping[tuple[str, str], Histogram]:
        """Response times by route and outcome, since the trial that runs began."""
        return self._trial.times if self._trial is not None else {}

    def close(self) -> None:
        """Close the files."""
        for tail in (self._ledger, self._proof, self._trial):
            if tail is not None:
                tail.close()

    def _trial_news(self, state: NowDocument | None) -> TrialNewsDocument | None:
        number = state.trial if state is not None else None
        is_of_proof = state is not None and state.is_of_proof
        if number is None and self._trial is None:
            trials = self._run.trial_folders()
            number = int(trials[-1].path.name) if trials else None
        if number is not None and (number, is_of_proof) != self._followed:
            if self._trial is not None:
                if not self._is_leaving:
                    # What it wrote after the last look; the trial that follows is told from the next look on.
                    # Once only: trials on several nodes go on beside each other.
                    self._is_leaving = True
                    last = self._trial.look()
                    if last.has_counted:
                        return last
                self._trial.close()
            if state is not None and is_of_proof:
                self._proof.follow(state.rig_start)
            folder = self._run.proof if is_of_proof else self._run
            self._trial = TrialFollower(
                folder.trial(number), number, is_of_proof=is_of_proof, is_by_route=self._is_by_route
            )
            self._followed, self._is_leaving = (number, is_of_proof), False
        return self._trial.look() if self._trial is not None else None

    def _new_course(self, over: Iterable[OverDocument]) -> RunTablesDocument | None:
        """Return the tables of the run where they have changed since the last look."""
        self._over += over
        self._proof.look()
        if self._trial is not None and self._trial.levels:
            self._levels = tuple(self._trial.levels)
        counts = len(self._over), len(self._levels), len(self._proof.outcomes)
        if counts == self._counts:
            return None
        self._counts = counts
        return RunTablesDocument(
            settings=settings_of(self._over), levels=self._levels, blocks=blocks_of(self._proof.outcomes)
        )

    def _new_over(self) -> list[OverDocument]:
        trials = []
        for line in self._ledger.more():
            try:
                row = msgspec.json.decode(line, type=LedgerLine)
            except ValueError:  # of a loadrig to come
                continue
            if row.kind == "study":
                self._title = self._title or row.name
            elif row.kind == "trial" and row.validity:
                trials.append(_over(row))
        return trials


def _over(row: LedgerLine) -> OverDocument:
    throughput, p99 = row.measures.get("throughput"), row.measures.get("p99")
    return OverDocument(
        number=row.index,
        setting=show_setting(row.setting),
        is_base=row.is_base,
        validity=row.validity,
        ok_rps=throughput.value if throughput is not None else None,
        p99_s=p99.value if p99 is not None else None,
    )
