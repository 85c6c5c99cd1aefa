"""From recordings and labels to verdicts: what was said, what should have been, whether the case counts.

A pure function of a run's folder and of the ledger's row, so that recordings are judged again when causes
have changed. A fault counts only if the server was worse than its healthy twin.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

from bench.diagnosis import answers, baselines
from bench.diagnosis.answers import OF_NOBODY, Proved, Said, placed, proved
from bench.diagnosis.baselines import Guess
from bench.diagnosis.ledger import Row
from bench.diagnosis.single import WARM_UP_S
from bench.diagnosis.suite import HEALTHY_P95_MS, VOID, FaultCase, mends
from loadrig.judgement.facts.case import Case as ReadCase
from loadrig.judgement.facts.read import case_of
from loadrig.recording.reader import Recording
from loadrig.trial.result import result_of

LOST_SHARE, SLOWER, SLOWER_MS, MORE_FAILED = 0.95, 1.5, 5.0, 0.005
FEW_FAILED = 0.01
GROWN_BYTES = 10_000_000
BASELINES = {"utilisation": baselines.highest_utilisation, "correlation": baselines.largest_correlation}


@dataclass(frozen=True)
class Judged:
    """One case. is_valid: whether it was worse than its twin; why: how, or why it does not count.

    said: the findings, roots first, as plain data. place: of the right cause among them, from 1; None where
    it is not. is_part_right: whether that one names the right component. guesses: of the baselines.
    load_s, analysis_s: until the verdict was there. proved: what a proof said, where one was asked for.
    mends: the knobs in which the fault lies.
    """

    case: FaultCase
    is_valid: bool
    why: str
    harms: tuple[str, ...]
    sentence: str
    findings: tuple[Said, ...]
    place: int | None
    second_place: int | None
    is_part_right: bool
    guesses: dict[str, Guess]
    right_guesses: tuple[str, ...]
    load_s: float
    analysis_s: float
    proved: Proved | None = None
    mends: tuple[str, ...] = ()

    @property
    def accused(self) -> list[Said]:
        """Findings that accuse the server and are more than possible."""
        return answers.accused(self.findings)

    @property
    def suspected(self) -> list[Said]:
        """Findings that accuse the server, however weakly."""
        return answers.suspected(self.findings)

    @property
    def is_abstention(self) -> bool:
        """Whether no cause was named, though the server was sick."""
        return answers.is_abstention(self.findings)


def judged(case: FaultCase, row: Row) -> Judged:
    """Diagnose a recorded case anew, and compare with its labels."""
    trial = Path(row["trial"])
    began = time.perf_counter()
    recording = Recording.open(trial)
    result = result_of(recording)
    document = result.to_json()
    analysis_s = time.perf_counter() - began
    read_case = case_of(recording)
    folder = _folder(trial)
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    names = {part: _name(recording, pid) for part, pid in facts["pids"].items()}
    is_valid, why = worse(row, read_case if case.is_growth else None) if case.labels else well(row)
    if result.validity.verdict == VOID and not case.is_of_the_rig:
        is_valid, why = False, f"the rig declared it void: {result.validity.reasons[0].text}"
    findings = tuple(document["findings"])
    place, is_part_right = placed(findings, case.labels, names)
    second = placed(findings, (case.second,), names)[0] if case.second else None
    guesses = (
        {name: guess_of(read_case) for name, guess_of in BASELINES.items()} if read_case is not None else {}
    )
    right = tuple(
        name
        for name, guess in guesses.items()
        if guess.cause in ({label.cause for label in case.labels} or OF_NOBODY)
    )
    return Judged(
        case, is_valid, why, tuple(harm["harm"] for harm in document["diagnosis"]["harms"]),
        document["diagnosis"]["sentence"], findings, place,
        second, is_part_right, guesses, right, row.get("warm_up_s", WARM_UP_S) + row["seconds"], analysis_s,
        proved(folder / "run", facts, findings, case.labels, case.second, names), mends(case),
    )  # fmt: skip


def well(row: Row) -> tuple[bool, str]:
    """Return whether a healthy server was well under its load, or was given more than it can do."""
    if row["failed_share"] > FEW_FAILED:
        return False, f"it was not well: {row['failed_share']:.1%} failed"
    if not row["p95_ms"] or row["p95_ms"] >= HEALTHY_P95_MS:
        return False, f"it was not well: p95 {row['p95_ms'] or 0:.0f} ms"
    return True, ""


def worse(row: Row, read_case: ReadCase | None = None) -> tuple[bool, str]:
    """Return whether a sick run did worse than its twin, and in what; or by how little it differed."""
    twin = row["twin"]
    # What answers more than it is asked works off what was left from before, as a cold server does.
    usual = min(twin["ok_rps"], twin["offered_rps"])
    ratio = row["ok_rps"] / usual if usual else 1.0
    if ratio < LOST_SHARE:
        return True, f"throughput {ratio:.2f} of its twin's"
    if row["failed_share"] > twin["failed_share"] + MORE_FAILED:
        return True, f"{row['failed_share']:.1%} failed"
    if row["p95_ms"] and twin["p95_ms"]:
        slower = row["p95_ms"] / twin["p95_ms"]
        if slower > SLOWER and row["p95_ms"] - twin["p95_ms"] > SLOWER_MS:
            return True, f"p95 {slower:.1f} times its twin's"
    memory = read_case.server.track("process.pss_bytes", "tree") if read_case is not None else None
    if memory is not None and memory.grew > GROWN_BYTES:
        return True, f"memory grew by {memory.grew / 1e6:.0f} MB"
    return False, f"throughput {ratio:.2f}, p95 {row['p95_ms'] or 0:.0f} ms beside {twin['p95_ms'] or 0:.0f}"


def _name(recording: Recording, pid: int) -> str:
    """Return what the map calls the component that is this process; empty where it was not found."""
    components = recording.manifest.map.components if recording.manifest.map else ()
    return next((component.name for component in components if component.pid == pid), "")


def _folder(trial: Path) -> Path:
    """Return the folder of the case that a trial lies in."""
    return next(parent for parent in trial.parents if (parent / "facts.json").exists())
