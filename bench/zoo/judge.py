"""Judging recordings: what is said of each today, beside the truth that harm decides.

No server is started, and the folder of the recordings is not changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bench.diagnosis import baselines
from bench.diagnosis.answers import OF_NOBODY
from bench.zoo.cases import ANY, ZooCase, every
from bench.zoo.harm import harms
from bench.zoo.record import FACTS, RUN, facts_of
from loadrig.judgement.document import FindingDocument
from loadrig.judgement.facts.read import case_of
from loadrig.recording.reader import Recording
from loadrig.trial.result import result_of

NAMED, POSSIBLE = "named", "possible"
BASELINES = {
    "highest utilisation": baselines.highest_utilisation,
    "largest correlation": baselines.largest_correlation,
}


@dataclass(frozen=True)
class ZooVerdict:
    """Verdict on a case. findings: as in a result, the first first. harm: empty where it is healthy.

    rank: place of the first finding with a right cause, from 1; None where there is none. is_part_right: of
    that finding. guesses: causes that the baselines name from the same recording, by the baseline. dearer: of
    two faults at once the causes of the one whose mend, alone, gains more.
    """

    case: ZooCase
    harm: tuple[str, ...]
    findings: tuple[FindingDocument, ...]
    rank: int | None
    is_part_right: bool
    validity: str
    guesses: Mapping[str, str] = field(default_factory=dict)
    dearer: tuple[str, ...] = ()

    @property
    def is_sick(self) -> bool:
        """Whether the truth is the fault: it was meant, and it does harm."""
        return bool(self.case.causes and self.harm)

    @property
    def counts(self) -> bool:
        """Whether the case has a truth.

        A healthy one that did worse with its decoy has none; nor has a fault without harm whose load
        keeps the server at its limit: what limits its twin is said of it rightly.
        """
        if self.is_sick:
            return True
        return not self.harm and not self.case.is_pressed

    @property
    def accused(self) -> list[FindingDocument]:
        """Findings that lay something at the server, and are more than possible."""
        return [
            finding
            for finding in self.findings
            if finding.cause not in OF_NOBODY and finding.verdict != POSSIBLE
        ]

    @property
    def is_silent(self) -> bool:
        """Whether no cause was given, nor that it is healthy."""
        return not self.findings

    @property
    def is_right(self) -> bool:
        """Whether the first finding is the truth; of a healthy server, whether nobody is accused."""
        return self.rank == 1 if self.is_sick else not self.accused

    @property
    def is_dearer_first(self) -> bool:
        """Whether of two faults the one whose mend gains more is the first finding."""
        return bool(self.findings) and self.findings[0].cause in self.dearer

    @property
    def has_both(self) -> bool:
        """Whether both of two faults are among the first three findings."""
        first = {finding.cause for finding in self.findings[:3]}
        return all(first & set(causes) for causes in self.case.pair)

    @property
    def is_wrongly_named(self) -> bool:
        """Whether a cause was named for certain that is not the truth."""
        causes = self.case.causes if self.is_sick else ()
        return any(finding.verdict == NAMED and finding.cause not in causes for finding in self.accused)


def judge(folder: Path, only: str = "*") -> list[ZooVerdict]:
    """Judge all recordings of a folder whose names fit."""
    cases = {case.name: case for case in every()}
    recorded = sorted(path.parent for path in folder.glob(f"*/{FACTS}"))
    return [
        _verdict(cases[place.name], place)
        for place in recorded
        if place.name in cases and any(fnmatch(place.name, word) for word in only.split(","))
    ]


def _verdict(case: ZooCase, place: Path) -> ZooVerdict:
    facts, recording = facts_of(place), Recording.open(place / RUN)
    result = result_of(recording)
    components = recording.manifest.map.components if recording.manifest.map else ()
    names = {part: part for part in case.parts}
    names |= {
        role: component.name
        for role, pid in facts["pids"].items()
        for component in components
        if component.pid == pid
    }
    findings, read_case = result.document.findings, case_of(recording)
    rank, is_part_right = placed(findings, case, {names.get(part, part) for part in case.parts})
    return ZooVerdict(
        case, tuple(harms(facts, facts["twin"])), findings, rank, is_part_right,
        result.validity.verdict,
        {name: guess(read_case).cause for name, guess in BASELINES.items()} if read_case is not None else {},
        dearer(case, facts),
    )  # fmt: skip


def dearer(case: ZooCase, facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Causes of the one of two faults whose mend brings more throughput; empty where there is one fault."""
    rates = [mended["ok_rps"] for mended in facts["mended"]] if case.pair else []
    return case.pair[rates.index(max(rates))] if rates else ()


def placed(findings: Sequence[FindingDocument], case: ZooCase, parts: set[str]) -> tuple[int | None, bool]:
    """Place of the first finding with a right cause, from 1, and whether it is laid at one of the parts."""
    for place, finding in enumerate(findings, start=1):
        if finding.cause in case.causes:
            return place, ANY in case.parts or finding.component in parts
    return None, False
