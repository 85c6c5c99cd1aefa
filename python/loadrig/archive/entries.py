"""Entries of a list of runs, read from the runs' own files."""

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from loadrig.archive import labels
from loadrig.base import user_files
from loadrig.base.documents import Document, Says
from loadrig.recording import now
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
    name = result.get("name") or study.get("name") or (state.plan if state else "") or path.name
    return RunEntry(
        id=run_id,
        plan=str(name),
        kind=str(result.get("kind") or study.get("strategy") or "trial").replace("one_trial", "trial"),
        created_s=_created_s(result, study, path),
        address=str(result.get("address") or ""),
        routes=tuple(str(route) for route in _mapping(result.get("routes"))),
        state="running" if is_running else "finished" if result else "stopped",
        verdict=_verdict(result.get("validity")),
        cause=_cause(result),
        headline=_headline(result)[:LONGEST_HEADLINE],
        ok_rps=_number(_mapping(result.get("load")).get("successful_rps")),
        p99_ms=_p99_ms(_mapping(result.get("latency_ms"))),
        trials=trials,
        commit=str(study.get("commit") or ""),
        labels=written.labels,
        is_pinned=written.is_pinned,
        has_report=run.report.is_file(),
    )


def _result(path: Path) -> dict[str, Any]:
    """Return a run's result as plain data, of whichever version; empty where there is none to be read."""
    try:
        document = msgspec.json.decode(user_files.read_bytes(path, user_files.MOST_DOCUMENT_BYTES))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _ledger(path: Path) -> tuple[dict[str, Any], int]:
    """Return the first row of a ledger, and the number of trials that are over."""
    study: dict[str, Any] = {}
    trials = 0
    try:
        with user_files.open_bytes(path, user_files.MOST_DOCUMENT_BYTES) as file:
            for line in file:
                if not study:
                    study = json.loads(line)
                trials += line.startswith(b'{"kind": "trial"')
    except (OSError, ValueError):
        pass
    return study if isinstance(study, dict) else {}, trials


def _headline(result: dict[str, Any]) -> str:
    """Return the answer of a run: how its server failed, else what its kind of run asks for."""
    recommended, capacity = _mapping(result.get("recommended")), _mapping(result.get("capacity"))
    sentences = (
        result.get("headline"),
        _mapping(result.get("soak")).get("headline"),
        _mapping(result.get("spike")).get("headline"),
        capacity.get("sentence"),
        recommended.get("why"),
        _mapping(result.get("diagnosis")).get("sentence"),
    )
    return next((str(sentence) for sentence in sentences if sentence), "")


def _verdict(validity: object) -> str:
    """Return the verdict of a trial; of a study the best one that a trial of it has."""
    counts = _mapping(validity)
    if "verdict" in counts:
        return str(counts["verdict"])
    return next((word for word in ("valid", "disturbed", "void") if counts.get(word)), "")


def _cause(result: dict[str, Any]) -> str:
    findings = result.get("findings")
    first = findings[0] if isinstance(findings, list) and findings else {}
    return str(_mapping(first).get("cause") or "")


def _p99_ms(latency: dict[str, Any]) -> float | None:
    """Return the 99th percentile of the good answers; another tool knows service times only."""
    return _number(_mapping(latency.get("response") or latency.get("service")).get("p99"))


def _created_s(result: dict[str, Any], study: dict[str, Any], path: Path) -> float:
    for text in (study.get("created"), result.get("created")):
        try:
            return datetime.fromisoformat(str(text)).timestamp()
        except ValueError:
            continue
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
