"""Follower of a run: its state, the trials that are over, and the trial that runs."""

import json
import time
from typing import Any

from loadrig.base.setting import show_setting
from loadrig.following.document import OverDocument, RunNewsDocument, TrialNewsDocument
from loadrig.following.tails import LineTail
from loadrig.following.trial import TrialFollower
from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from loadrig.recording.now import NowDocument

NS = 1_000_000_000


class RunFollower:
    """Follower of a run's folder, from its beginning or later, also of a run that is over."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._ledger = LineTail(run.ledger)
        self._title = ""
        self._trial: TrialFollower | None = None
        self._number = 0
        self._done = self._total = 0

    def look(self) -> RunNewsDocument:
        """Return what is new; the first look tells what there has been so far."""
        state = now.read(self._run)
        is_running = state is not None and state.is_alive
        over = tuple(self._over())
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
            trial=news,
            has_result=self._run.result.is_file(),
            has_report=self._run.report.is_file(),
            is_gone=not self._run.path.is_dir(),
        )

    def close(self) -> None:
        """Close the files."""
        self._ledger.close()
        if self._trial is not None:
            self._trial.close()

    def _trial_news(self, state: NowDocument | None) -> TrialNewsDocument | None:
        number = state.trial if state is not None else None
        if number is None and self._trial is None:
            trials = self._run.found_trials()
            number = int(trials[-1].path.name) if trials else None
        if number is not None and number != self._number:
            if self._trial is not None:
                self._trial.close()
            self._trial, self._number = TrialFollower(self._run.trial(number), number), number
        return self._trial.look() if self._trial is not None else None

    def _over(self) -> list[OverDocument]:
        trials = []
        for line in self._ledger.more():
            try:
                row = json.loads(line)
                if row["kind"] == "study" and not self._title:
                    self._title = str(row["name"])
                elif row["kind"] == "trial":
                    trials.append(_over(row))
            except (KeyError, TypeError, ValueError):  # a line of a loadrig to come
                continue
        return trials


def _over(row: dict[str, Any]) -> OverDocument:
    measures = row.get("measures", {})
    return OverDocument(
        number=int(row["index"]),
        setting=show_setting(row["setting"]),
        validity=str(row["validity"]),
        ok_rps=_value(measures, "throughput"),
        p99_s=_value(measures, "p99"),
    )


def _value(measures: dict[str, Any], name: str) -> float | None:
    value = measures.get(name, {}).get("value")
    return float(value) if value is not None else None
