"""Judging recordings: what is said of each today, beside the truth that harm decides.

No server is started, and the folder of the recordings is not changed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from bench.diagnosis.answers import OF_NOBODY
from bench.figures import markdown
from bench.zoo.cases import ANY, Case, every
from bench.zoo.harm import harms
from bench.zoo.record import FACTS, RUN, facts_of
from loadrig.recording.reader import Recording
from loadrig.stats.intervals import wilson_share
from loadrig.trial.result import result_of

VOID, NAMED, POSSIBLE = "void", "named", "possible"


@dataclass(frozen=True)
class Verdict:
    """What is said of a case. findings: as in a result, the first first. harm: empty where it is healthy.

    rank: place of the first finding with a right cause, from 1; None where there is none. is_part_right: of
    that finding.
    """

    case: Case
    harm: tuple[str, ...]
    findings: tuple[dict[str, Any], ...]
    rank: int | None
    is_part_right: bool
    validity: str
    sentence: str

    @property
    def is_sick(self) -> bool:
        """Whether the truth is the fault: it was meant, and it does harm."""
        return bool(self.case.causes and self.harm)

    @property
    def counts(self) -> bool:
        """Whether the case has a truth: a healthy one that did worse with its decoy has none."""
        return bool(self.case.causes) or not self.harm

    @property
    def accused(self) -> list[dict[str, Any]]:
        """Findings that lay something at the server, and are more than possible."""
        return [f for f in self.findings if f["cause"] not in OF_NOBODY and f["verdict"] != POSSIBLE]

    @property
    def is_silent(self) -> bool:
        """Whether no cause was given, nor that it is healthy."""
        return not self.findings

    @property
    def is_right(self) -> bool:
        """Whether the first finding is the truth; of a healthy server, whether nobody is accused."""
        return self.rank == 1 if self.is_sick else not self.accused

    @property
    def is_wrongly_named(self) -> bool:
        """Whether a cause was named for certain that is not the truth."""
        causes = self.case.causes if self.is_sick else ()
        return any(f["verdict"] == NAMED and f["cause"] not in causes for f in self.accused)


def judge(folder: Path, only: str = "*") -> list[Verdict]:
    """Judge all recordings of a folder whose names fit."""
    cases = {case.name: case for case in every()}
    recorded = sorted(path.parent for path in folder.glob(f"*/{FACTS}"))
    return [
        _verdict(cases[place.name], place)
        for place in recorded
        if place.name in cases and any(fnmatch(place.name, word) for word in only.split(","))
    ]


def _verdict(case: Case, place: Path) -> Verdict:
    facts, recording = facts_of(place), Recording.open(place / RUN)
    document = result_of(recording).document
    components = (recording.manifest.get("map") or {}).get("components") or ()
    names = {part: part for part in case.parts}
    names |= {
        role: str(component["name"])
        for role, pid in facts["pids"].items()
        for component in components
        if component.get("pid") == pid
    }
    findings = tuple(document["findings"])
    rank, is_part_right = placed(findings, case, {names.get(part, part) for part in case.parts})
    return Verdict(
        case, tuple(harms(facts, facts["twin"])), findings, rank, is_part_right,
        document["validity"]["verdict"], document["diagnosis"]["sentence"],
    )  # fmt: skip


def placed(findings: Sequence[dict[str, Any]], case: Case, parts: set[str]) -> tuple[int | None, bool]:
    """Place of the first finding with a right cause, from 1, and whether it is laid at one of the parts."""
    for place, finding in enumerate(findings, start=1):
        if finding["cause"] in case.causes:
            return place, ANY in case.parts or finding["component"] in parts
    return None, False


def told(verdicts: Sequence[Verdict]) -> str:
    """A line for each case, then the tables."""
    parts = ["\n".join(map(line, verdicts)), score(verdicts), confusion(verdicts)]
    return "\n\n".join(filter(None, parts))


def line(verdict: Verdict) -> str:
    """A case in a line: right or not, its truth, and what was said first."""
    truth = verdict.case.causes[0] if verdict.is_sick else "healthy"
    first = verdict.findings[0] if verdict.findings else None
    said = f"{first['cause']} of {first['component']} ({first['verdict']})" if first else "nothing"
    mark = ("right" if verdict.is_right else "WRONG") if verdict.counts else "no truth"
    void = " void" if verdict.validity == VOID else ""
    rank = (
        f"rank {verdict.rank or '-'}{'' if verdict.is_part_right else ' elsewhere'}"
        if verdict.is_sick
        else ""
    )
    return f"{mark:8} {verdict.case.name:36} {truth:28} {said:58} {rank:16}{void} {'; '.join(verdict.harm)}"


def score(verdicts: Sequence[Verdict]) -> str:
    """Table of the shares that were right, for all and by stack: nothing is fitted to any of the stacks."""
    head = [
        "stack",
        "sick",
        "top-1",
        "top-3",
        "top-1 and part",
        "no answer",
        "healthy accused",
        "named wrongly",
    ]
    counted = [verdict for verdict in verdicts if verdict.counts]
    rows = [_row("all", counted)]
    rows += [
        _row(stack, [verdict for verdict in counted if verdict.case.stack == stack])
        for stack in sorted({verdict.case.stack for verdict in counted})
    ]
    return markdown(head, rows)


def _row(name: str, verdicts: Sequence[Verdict]) -> list[str]:
    sick = [verdict for verdict in verdicts if verdict.is_sick]
    healthy = [verdict for verdict in verdicts if not verdict.is_sick]
    return [
        name, str(len(sick)), share(sick, lambda verdict: verdict.rank == 1),
        share(sick, lambda verdict: (verdict.rank or 9) <= 3),
        share(sick, lambda verdict: verdict.rank == 1 and verdict.is_part_right),
        share(sick, lambda verdict: verdict.is_silent),
        share(healthy, lambda verdict: bool(verdict.accused)),
        share(verdicts, lambda verdict: verdict.is_wrongly_named),
    ]  # fmt: skip


def share(verdicts: Sequence[Verdict], holds: Callable[[Verdict], bool]) -> str:
    """How many verdicts hold, with Wilson's interval of 95 %."""
    if not verdicts:
        return "–"
    hits = sum(map(holds, verdicts))
    span = wilson_share(hits, len(verdicts))
    return f"{hits}/{len(verdicts)} = {span.value:.0%} ({span.low:.0%} – {span.high:.0%})"


RESOURCES = {
    "CPU": ("host_cpu", "gil", "cpu_quota", "database_cpu", "noisy_neighbour", "cpu_frequency",
            "request_overhead", "quota_unaware_runtime", "too_many_workers", "missing_index",
            "pool_too_large", "warm_up"),
    "slots and locks": ("too_few_workers", "pool_too_small", "lock_contention", "row_lock", "worker_class",
                        "blocked_event_loop", "worker_timeouts", "restarts_in_step", "process_limit"),
    "memory": ("gc_pressure", "leak", "memory_pressure", "oom_kill", "descriptor_limit"),
    "network": ("connection_churn", "delayed_ack", "packet_loss", "network_bandwidth", "accept_backlog",
                "client_port_exhaustion", "dependency_port_exhaustion", "conntrack_full",
                "time_wait_overflow"),
    "disk": ("disk_io",),
    "what is asked": ("slow_dependency", "cache_bottleneck", "n_plus_one"),
    "nothing": ("healthy",),
    "the load": ("generator_limited", "workload_artefact"),
}  # fmt: skip
"""Causes by the resource that they are about."""


def resource(cause: str) -> str:
    """The resource that a cause is about."""
    return next(name for name, causes in RESOURCES.items() if cause in causes)


def confusion(verdicts: Iterable[Verdict]) -> str:
    """Table of the resource that was said first (columns) by the true one (rows)."""
    counts: dict[tuple[str, str], int] = {}
    for verdict in verdicts:
        if verdict.counts:
            truth = resource(verdict.case.causes[0]) if verdict.is_sick else "nothing"
            first = resource(verdict.findings[0]["cause"]) if verdict.findings else "no answer"
            counts[truth, first] = counts.get((truth, first), 0) + 1
    columns = [*RESOURCES, "no answer"]
    rows = [[truth, *(str(counts.get((truth, column), "")) for column in columns)] for truth in RESOURCES]
    return markdown(["truth \\ first", *columns], [row for row in rows if any(row[1:])])
