"""Entries of a list of runs, read from the runs' own files."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from loadrig.archive import labels
from loadrig.base import user_files
from loadrig.base.documents import Document, Says
from loadrig.recording import now
from loadrig.recording.documents import DISTURBED, SUSPECT
from loadrig.recording.layout import RunFolder

LONGEST_HEADLINE = 400
"""Characters of an answer that a list keeps."""


class RunEntry(Document, frozen=True, kw_only=True):
    """Run in a list."""

    id: Annotated[str, Says("its folder, below the folder of all runs")]
    plan: Annotated[str, Says("name of its plan")]
    kind: Annotated[str, Says("`trial`, or the strategy of its study: `grid`, `capacity`, `soak`, …")]
    created_s: Annotated[float, Says("when it was begun, in seconds since 1970")]
    address: Annotated[str, Says("address that was loaded")]
    routes: Annotated[tuple[str, ...], Says("routes that were asked for")]
    state: Annotated[str, Says("`running`, `finished`, or `stopped` where its command ended before the run")]
    verdict: Annotated[str, Says('`valid`, `disturbed`, `void`, or `""` where nothing was measured')]
    cause: Annotated[str, Says('cause that comes first, or `""`')]
    headline: Annotated[str, Says("its answer in a sentence")]
    ok_rps: Annotated[float | None, Says("requests a second that were answered as asked for, of one trial")]
    p99_ms: Annotated[float | None, Says("99th percentile of the response times in ms, of one trial")]
    trials: Annotated[int, Says("number of trials that are over")]
    commit: Annotated[str, Says('commit of the folder that its plan or its server comes from, or `""`')]
    labels: Annotated[tuple[str, ...], Says("labels that a person gave it")]
    is_pinned: Annotated[bool, Says("whether a person has pinned it")]
    has_report: Annotated[bool, Says("whether it has its report")]


class ListedAnswer(Document, frozen=True):
    """Answer in a result; each kind of run says it in one of these fields."""

    headline: str | None = None
    sentence: str | None = None
    why: str | None = None


class ListedTimes(Document, frozen=True):
    """Times of the answers of one trial."""

    p99: float | None = None


class ListedLatency(Document, frozen=True):
    """Times of the good answers; another tool knows service times only."""

    response: ListedTimes | None = None
    service: ListedTimes | None = None


class ListedLoad(Document, frozen=True):
    """Load of one trial."""

    successful_rps: float | None = None


class ListedFinding(Document, frozen=True):
    """Finding of a result."""

    cause: str = ""


class ListedResult(Document, frozen=True):
    """Parts of a run's result, of whichever version, that a list shows."""

    name: str = ""
    kind: str = ""
    created: str = ""
    address: str | None = None
    routes: Mapping[str, msgspec.Raw] = {}
    validity: Mapping[str, Any] | None = None
    headline: str | None = None
    findings: tuple[ListedFinding, ...] | None = None
    load: ListedLoad | None = None
    latency_ms: ListedLatency | None = None
    soak: ListedAnswer | None = None
    spike: ListedAnswer | None = None
    capacity: ListedAnswer | None = None
    recommended: ListedAnswer | None = None
    diagnosis: ListedAnswer | None = None

    @property
    def answer(self) -> str:
        """Answer of the run: how its server failed, else what its kind of run asks for."""
        parts = (self.soak, self.spike, self.capacity, self.recommended, self.diagnosis)
        texts = (part.headline or part.sentence or part.why for part in parts if part is not None)
        return self.headline or next((text for text in texts if text), "")

    @property
    def verdict(self) -> str:
        """Verdict of a trial; of a study the best one that a trial of it has."""
        counts = self.validity or {}
        best = next((word for word in ("valid", DISTURBED, SUSPECT, "void") if counts.get(word)), "")
        verdict = str(counts.get("verdict", best))
        return DISTURBED if verdict == SUSPECT else verdict


class ListedStudy(Document, frozen=True):
    """Parts of the first row of a ledger that a list shows."""

    name: str = ""
    strategy: str = ""
    created: str = ""
    commit: str | None = ""


def is_run(path: Path) -> bool:
    """Return whether a folder is that of a run: it has a ledger, which is written first, or a result."""
    run = RunFolder(path)
    return run.ledger.is_file() or run.result.is_file()


def entry_of(path: Path, run_id: str) -> RunEntry:
    """Return what a list shows of the run in a folder; of a run that was begun, as far as it has come."""
    run = RunFolder(path)
    result = _result(run.result)
    study, trials = _ledger(run.ledger)
    state = now.read(run)
    is_running = state is not None and state.is_alive
    written = labels.read(run)
    shown = result or ListedResult()
    times = shown.latency_ms and (shown.latency_ms.response or shown.latency_ms.service)
    kind = shown.kind or study.strategy or "trial"
    return RunEntry(
        id=run_id,
        plan=shown.name or study.name or (state.plan if state else "") or path.name,
        kind=kind.replace("one_trial", "trial"),
        created_s=_created_s(shown, study, path),
        address=shown.address or "",
        routes=tuple(shown.routes),
        state="running" if is_running else "finished" if result else "stopped",
        verdict=shown.verdict,
        cause=shown.findings[0].cause if shown.findings else "",
        headline=shown.answer[:LONGEST_HEADLINE],
        ok_rps=shown.load.successful_rps if shown.load else None,
        p99_ms=times.p99 if times else None,
        trials=trials,
        commit=study.commit or "",
        labels=written.labels,
        is_pinned=written.is_pinned,
        has_report=run.report.is_file(),
    )


def _result(path: Path) -> ListedResult | None:
    """Return what a list shows of a run's result; None where there is none to be read."""
    try:
        content = user_files.read_bytes(path, user_files.MOST_DOCUMENT_BYTES)
        return msgspec.json.decode(content, type=ListedResult)
    except (OSError, ValueError):
        return None


def _ledger(path: Path) -> tuple[ListedStudy, int]:
    """Return the first row of a ledger, and the number of trials that are over."""
    study, trials = ListedStudy(), 0
    try:
        with user_files.open_bytes(path, user_files.MOST_DOCUMENT_BYTES) as file:
            for number, line in enumerate(file):
                if number == 0:
                    study = msgspec.json.decode(line, type=ListedStudy)
                trials += line.startswith(b'{"kind": "trial"')
    except (OSError, ValueError):
        pass
    return study, trials


def _created_s(result: ListedResult, study: ListedStudy, path: Path) -> float:
    for text in (study.created, result.created):
        try:
            return datetime.fromisoformat(text).timestamp()
        except ValueError:
            continue
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
