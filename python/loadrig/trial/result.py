"""The result of one trial: a pure function of its sealed folder, in the shape of the public contract."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadrig import __version__
from loadrig._native import Histogram
from loadrig.base import effects, members
from loadrig.base.documents import plain
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.judgement.diagnose import Diagnosis
from loadrig.judgement.facts.case import GoalSeen
from loadrig.profilers._cpu_time import cpu_time_of
from loadrig.recording.documents import TRIAL
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording
from loadrig.trial.account import account_in
from loadrig.trial.diagnosis import diagnosis_of
from loadrig.trial.goals import GoalResult, goals_of
from loadrig.trial.observed import summaries
from loadrig.trial.server_logs import server_logs_of
from loadrig.trial.target_failed import target_failed
from loadrig.trial.validity import Validity, judge
from loadrig.trial.widening import factors_of

NS = 1_000_000_000
QUANTILES = (("p50", 0.50), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999))


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Result of a trial for the study and the report. Made by result_of alone.

    measures: by measure name, service requests only. was_answered: whether any request got an
    answer; a target that never answered says nothing about its setting.
    """

    index: int
    block: int
    repeat: int
    setting: Setting
    validity: Validity
    measures: Mapping[str, Estimate]
    goals: tuple[GoalResult, ...]
    folder: Path
    seconds: float
    was_answered: bool
    document: Mapping[str, Any]

    @property
    def values(self) -> dict[str, float]:
        """The point estimates by measure name."""
        return {name: estimate.value for name, estimate in self.measures.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the trial's result.json, schema loadrig.trial/2."""
        return dict(self.document)


def result_of(recording: Recording) -> TrialResult:
    """Return everything that a trial's folder says, with validity judged before any measure is read."""
    return recording.remembered(__name__, lambda: _result_of(recording))


def _result_of(recording: Recording) -> TrialResult:
    manifest = recording.manifest
    validity = judge(recording)
    measures = _measures(recording, validity)
    goals = goals_of(recording, measures, validity)
    inside = recording.inside
    # A steered load has its figures from where the goals are met, and its causes from where they are not.
    at_limit = recording.at_limit
    there = goals if at_limit is None else _goals_at(at_limit, validity)
    seen = (GoalSeen(goal.text, goal.measure, goal.is_met) for goal in there)
    diagnosis = diagnosis_of(at_limit or recording, validity, seen)
    failed = target_failed(recording)
    document = {
        "schema": TRIAL,
        **({"headline": failed["sentence"], "target_failed": failed} if failed else {}),
        "loadrig": __version__,
        "name": manifest["plan_name"],
        "index": manifest["index"],
        "setting": manifest["setting"],
        "seed": manifest.get("seed"),
        "address": manifest.get("address"),
        "validity": plain(validity),
        "measured": _measured(recording),
        "warm_up": manifest.get("warm_up"),
        "load": _load(recording, inside, measures),
        "outcomes": _outcomes(inside, "service"),
        "status": _statuses(inside),
        "latency_ms": _latency(recording, None),
        "routes": _routes(recording, inside, "service"),
        **_optional("imported", recording.imported),
        **_optional("login", _routes(recording, inside, "login")),
        **_optional("session_ms", _summary(_histogram(recording, kind="session"))),
        "goals": [{"text": g.text, "met": g.is_met, "value": g.value, "unit": g.unit} for g in goals],
        # In another tool's results neither is known, and 0 would look like a measured figure.
        "generator": None if recording.imported else _generator(recording, manifest, inside),
        "connections": None if recording.imported else _connections(manifest, inside),
        "resources": {
            name: asdict(measures[name])
            for name in ("server_cpu", "cpu_per_request", "memory")
            if name in measures
        },
        **_optional("map", manifest.get("map")),
        **_optional("effects", effects.used(recording.events)),
        **_optional("account", plain(account_in(recording, validity))),
        **_optional("cpu_time", plain(cpu_time_of(recording))),
        "series": summaries(recording),
        "estimates": {name: asdict(estimate) for name, estimate in measures.items()},
        **_optional("server_logs", server_logs_of(recording)),
        "examples": [example for frame in recording.frames for example in frame.examples][:20],
        "observer": manifest.get("observer"),
        "surroundings": manifest.get("surroundings"),
        "target": manifest.get("target"),
        "machine": manifest.get("machine"),
        "ended": manifest.get("ended"),
        **_diagnosed(diagnosis, failed),
    }
    return TrialResult(
        index=int(manifest["index"]),
        block=int(manifest["block"]),
        repeat=int(manifest["repeat"]),
        setting=manifest["setting"],
        validity=validity,
        measures=measures,
        goals=goals,
        folder=recording.path,
        seconds=_run_seconds(recording),
        was_answered=any(frame.answered for frame in recording.frames),
        document=document,
    )


def _diagnosed(diagnosis: Diagnosis, failed: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return findings and diagnosis; where the server failed, that stands in place of what limits it."""
    findings = [finding.to_json() for finding in diagnosis.findings]
    document = diagnosis.to_json()
    if failed is not None:
        # Whatever was well until the server failed, the trial is not.
        findings = [finding for finding in findings if finding["cause"] != "healthy"]
        document = {**document, "sentence": failed["sentence"]}
    return {"findings": findings, "diagnosis": document}


def _goals_at(recording: Recording, validity: Validity) -> tuple[GoalResult, ...]:
    return goals_of(recording, _measures(recording, validity), validity)


def _measures(recording: Recording, validity: Validity) -> dict[str, Estimate]:
    """Return every measure that this recording can answer, by its name in plans.

    Intervals are wider by what disturbed the trial.
    """
    estimates = {}
    for member in members.names("loadrig.measures"):
        module = members.load("loadrig.measures", member)
        estimate = module.estimate(recording)
        if estimate is not None:
            factors = factors_of(recording, validity, module)
            estimates[getattr(module, "NAME", member)] = factors.on(estimate)
    return estimates


def _measured(recording: Recording) -> dict[str, Any]:
    window, manifest = recording.measured, recording.manifest
    start_ns = manifest.get("start_ns", window.from_ns)
    why = (manifest.get("measured") or {}).get("why", "the recording was cut short")
    return {"from_s": (window.from_ns - start_ns) / NS, "to_s": (window.to_ns - start_ns) / NS, "why": why}


def _load(recording: Recording, inside: list[Frame], measures: Mapping[str, Estimate]) -> dict[str, Any]:
    imported = recording.imported
    seconds = sum(frame.len_ns for frame in inside) / NS
    due = sum(frame.due for frame in inside)
    completed = sum(frame.answered + frame.failed for frame in inside)
    return {
        "model": recording.manifest["load"]["model"],
        "offered_rps": None if imported else due / seconds if seconds else 0.0,
        "achieved_rps": completed / seconds if seconds else 0.0,
        "successful_rps": measures["throughput"].value if "throughput" in measures else 0.0,
        "requests": completed if imported else due,
        "sent": sum(frame.sent for frame in inside),
        "unsent": None if imported else sum(frame.unsent for frame in inside),
        "users": None
        if imported and "users" not in imported["knows"]
        else max((frame.users for frame in inside), default=0),
        "in_flight": sum(frame.in_flight_s for frame in inside) / seconds if seconds else 0.0,
        "seconds": seconds,
    }


def _outcomes(inside: list[Frame], route_class: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for frame in inside:
        for row in frame.routes:
            if row.route_class == route_class:
                counts[row.outcome] += row.count
    return _good_first(counts)


def _good_first(counts: Counter[str]) -> dict[str, int]:
    return {"ok": counts.pop("ok", 0), **dict(counts.most_common())}


def _statuses(inside: list[Frame]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for frame in inside:
        counts.update(frame.status)
    return dict(sorted(counts.items()))


def _routes(recording: Recording, inside: list[Frame], route_class: str) -> dict[str, Any]:
    # In one go: for each route by itself, fifty routes of four hours would take minutes.
    counts: dict[str, Counter[str]] = {}
    is_size_known = not recording.imported or "bytes" in recording.imported["knows"]
    received: Counter[str] = Counter()
    for frame in inside:
        for row, size in zip(frame.routes, frame.route_bytes, strict=True):
            received[row.route] += size
            if row.route_class == route_class:
                counts.setdefault(row.route, Counter())[row.outcome] += row.count
    seconds = sum(frame.len_ns for frame in inside) / NS
    by_route = {}
    for name, by_outcome in counts.items():
        outcomes = _good_first(by_outcome)
        count = sum(outcomes.values())
        by_route[name] = {
            "count": count,
            "rps": count / seconds if seconds else 0.0,
            "outcomes": outcomes,
            "bytes": received[name] if is_size_known else None,
            "latency_ms": _latency(recording, name, route_class),
        }
    return by_route


def _latency(recording: Recording, route: str | None, route_class: str = "service") -> dict[str, Any]:
    kinds = {
        "response": _histogram(
            recording, kind="response", outcome="ok", route=route, route_class=route_class
        ),
        "service": _histogram(recording, kind="service", outcome="ok", route=route, route_class=route_class),
        "failed": _histogram(
            recording, kind=recording.times_kind, outcome="failed", route=route, route_class=route_class
        ),
    }
    return {kind: _summary(histogram) for kind, histogram in kinds.items()}


def _histogram(
    recording: Recording,
    *,
    kind: str,
    outcome: str | None = None,
    route: str | None = None,
    route_class: str = "service",
) -> Histogram:
    window = recording.measured
    return recording.histogram(
        route=route,
        outcome=outcome,
        kind=kind,
        from_ns=window.from_ns,
        to_ns=window.to_ns,
        classes=(route_class,),
    )


def _summary(histogram: Histogram) -> dict[str, float] | None:
    """Return mean and quantiles in milliseconds; None where there is nothing to sum up."""
    if histogram.count == 0:
        return None
    return {
        "count": histogram.count,
        "mean": histogram.mean_ns / 1e6,
        **{name: histogram.quantile_ns(q) / 1e6 for name, q in QUANTILES},
        "max": histogram.max_ns / 1e6,
    }


def _generator(recording: Recording, manifest: Mapping[str, Any], inside: list[Frame]) -> dict[str, Any]:
    lag = _histogram(recording, kind="lag")
    wait = _histogram(recording, kind="wait")
    seconds = sum(frame.len_ns for frame in inside) / NS
    threads = max((len(frame.threads) for frame in inside), default=0)
    used = [sum(f.threads[i].cpu_ns for f in inside if i < len(f.threads)) / NS for i in range(threads)]
    return {
        "cpu_s": sum(frame.process_cpu_ns for frame in inside) / NS,
        "busiest_thread_share": max(used, default=0.0) / seconds if seconds else 0.0,
        "lag_us": _micros(lag),
        "connection_wait_us": _micros(wait),
        "connections_opened": sum(frame.opened for frame in inside),
        "max_rss_bytes": (manifest.get("end") or {}).get("max_rss_bytes"),
        "cpus": manifest["generator"]["cpus"],
        "threads": manifest["generator"]["threads"],
        "note": manifest["generator"]["note"],
    }


def _micros(histogram: Histogram) -> dict[str, float] | None:
    if histogram.count == 0:
        return None
    return {
        "p50": histogram.quantile_ns(0.5) / 1e3,
        "p99": histogram.quantile_ns(0.99) / 1e3,
        "max": histogram.max_ns / 1e3,
    }


def _connections(manifest: Mapping[str, Any], inside: list[Frame]) -> dict[str, Any]:
    sent = sum(frame.sent for frame in inside)
    opened = sum(frame.opened for frame in inside)
    return {
        "opened": opened,
        "reused": sum(frame.reused for frame in inside),
        "per_request": opened / sent if sent else 0.0,
        "http": manifest["load"].get("http", "1.1"),  # recordings from before HTTP/2 do not say it
        "stream_resets": sum(frame.stream_resets for frame in inside),
        "goaways": sum(frame.goaways for frame in inside),
    }


def _optional(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}


def _run_seconds(recording: Recording) -> float:
    frames = recording.frames
    if not frames:
        return 0.0
    return (frames[-1].t_ns + frames[-1].len_ns - frames[0].t_ns) / NS
