"""The result of one trial: a pure function of its sealed folder, in the shape of the public contract."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from loadrig import __version__
from loadrig._native import Histogram
from loadrig.base import members
from loadrig.base.clock import NS
from loadrig.base.documents import ABSENT, plain
from loadrig.base.estimate import Estimate
from loadrig.base.units import show_duration
from loadrig.judgement.document import DiagnosisDocument, FindingDocument, document_of, findings_of
from loadrig.judgement.facts import overload
from loadrig.judgement.facts.case import GoalAnswer
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialResultTexts
from loadrig.profilers._cpu_time import cpu_time_of
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording
from loadrig.trial.account import account_in
from loadrig.trial.diagnosis import diagnosis_of
from loadrig.trial.document import (
    ConnectionsDocument,
    DelayDocument,
    FailureExample,
    GeneratorDocument,
    GoalDocument,
    LatencyDocument,
    LoadDocument,
    MeasuredPart,
    RouteTotals,
    TimesDocument,
    TrialDocument,
)
from loadrig.trial.effects import effects_of
from loadrig.trial.goals import GoalResult, goals_of
from loadrig.trial.observed import summaries
from loadrig.trial.server_logs import server_logs_of
from loadrig.trial.target_failed import target_failed
from loadrig.trial.validity import Validity, judge
from loadrig.trial.widening import factors_of

TEXTS = texts_of(TrialResultTexts)

MOST_EXAMPLES = 20
"""Number of failed requests that a result shows; the recording has more."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Result of a trial for the study and the report. Made by result_of alone.

    measures: by measure name, service requests only. was_answered: whether any request got an
    answer; a target that never answered says nothing about its setting.
    """

    validity: Validity
    measures: Mapping[str, Estimate]
    goals: tuple[GoalResult, ...]
    folder: Path
    seconds: float
    was_answered: bool
    document: TrialDocument

    def to_json(self) -> dict[str, Any]:
        """Return the trial's result.json, schema loadrig.trial/2."""
        return dict(plain(self.document))


def result_of(recording: Recording) -> TrialResult:
    """Return everything that a trial's folder says, with validity judged before any measure is read."""
    return recording.remembered(__name__, lambda: _result_of(recording))


def _result_of(recording: Recording) -> TrialResult:
    validity = judge(recording)
    measures = _measures(recording, validity)
    goals = goals_of(recording, measures, validity)
    return TrialResult(
        validity=validity,
        measures=measures,
        goals=goals,
        folder=recording.path,
        seconds=_run_seconds(recording),
        was_answered=any(frame.answered for frame in recording.frames),
        document=_document(recording, validity, measures, goals),
    )


def _document(
    recording: Recording, validity: Validity, measures: Mapping[str, Estimate], goals: Sequence[GoalResult]
) -> TrialDocument:
    manifest, inside = recording.manifest, recording.inside
    findings, answer = _diagnosed(recording, validity, goals)
    failed = target_failed(recording)
    session = _times(_histogram(recording, kind="session"))
    examples = [example for frame in recording.frames for example in frame.examples][:MOST_EXAMPLES]
    return TrialDocument(
        schema="loadrig.trial/2",
        headline=failed.sentence if failed else ABSENT,
        target_failed=failed or ABSENT,
        loadrig=__version__,
        name=manifest.plan_name,
        index=manifest.index,
        node=manifest.node,
        setting=manifest.setting,
        seed=manifest.seed,
        address=manifest.address,
        validity=validity,
        measured=_measured(recording),
        warm_up=manifest.warm_up,
        load=_load(recording, inside, measures),
        outcomes=_outcomes(inside, "service"),
        status=_statuses(inside),
        latency_ms=_latency(recording, None),
        routes=_routes(recording, inside, "service"),
        imported=recording.imported or ABSENT,
        login=_routes(recording, inside, "login"),
        session_ms=session or ABSENT,
        goals=tuple(GoalDocument(goal.text, goal.is_met, goal.value, goal.unit) for goal in goals),
        # In another tool's results neither is known, and 0 would look like a measured figure.
        generator=None if recording.imported else _generator(recording, inside),
        fleet=manifest.fleet or ABSENT,
        connections=None if recording.imported else _connections(manifest.load.http, inside),
        resources={
            name: measures[name] for name in ("server_cpu", "cpu_per_request", "memory") if name in measures
        },
        map=manifest.map or ABSENT,
        effects=effects_of(recording.events),
        account=account_in(recording, validity) or ABSENT,
        cpu_time=cpu_time_of(recording) or ABSENT,
        series=summaries(recording),
        estimates=measures,
        server_logs=server_logs_of(recording),
        examples=tuple(FailureExample(**asdict(example)) for example in examples),
        observer=manifest.observer,
        surroundings=manifest.surroundings,
        target=manifest.target,
        machine=manifest.machine,
        ended=manifest.ended,
        # Whatever was well until the server failed, the trial is not.
        findings=tuple(finding for finding in findings if not failed or finding.cause != "healthy"),
        diagnosis=replace(answer, sentence=failed.sentence) if failed else answer,
    )


def _diagnosed(
    recording: Recording, validity: Validity, goals: Sequence[GoalResult]
) -> tuple[tuple[FindingDocument, ...], DiagnosisDocument]:
    """Return the findings and the diagnosis of a trial.

    A steered load has its figures from where the goals are met, and its causes from where they are not.
    """
    at_limit = overload.at_limit(recording)
    there = goals if at_limit is None else goals_of(at_limit, _measures(at_limit, validity), validity)
    goal_answers = (GoalAnswer(goal.text, goal.is_met) for goal in there)
    diagnosis = diagnosis_of(at_limit or recording, validity, goal_answers)
    answer = document_of(diagnosis)
    if at_limit is not None and recording.at_limit is None:
        part_s = (at_limit.measured.to_ns - at_limit.measured.from_ns) / NS
        answer = replace(answer, sentence=TEXTS.judged_by_the_end(answer.sentence, show_duration(part_s)))
    return findings_of(diagnosis), answer


def _measures(recording: Recording, validity: Validity) -> dict[str, Estimate]:
    """Return every measure that this recording can answer, by its name in plans.

    Intervals are wider by what disturbed the trial.
    """
    estimates = {}
    for name in members.names("loadrig.measures"):
        module = members.load("loadrig.measures", name)
        estimate = module.estimate(recording)
        if estimate is not None:
            factors = factors_of(recording, validity, module)
            estimates[name] = factors.on(estimate)
    return estimates


def _measured(recording: Recording) -> MeasuredPart:
    window, span, start_ns = recording.measured, recording.manifest.measured, recording.start_ns
    why = span.why if span else TEXTS.recording_cut_short
    return MeasuredPart((window.from_ns - start_ns) / NS, (window.to_ns - start_ns) / NS, why)


def _load(recording: Recording, inside: list[Frame], measures: Mapping[str, Estimate]) -> LoadDocument:
    imported = recording.imported
    seconds = sum(frame.len_ns for frame in inside) / NS
    due = sum(frame.due for frame in inside)
    completed = sum(frame.answered + frame.failed for frame in inside)
    return LoadDocument(
        model=recording.manifest.load.model,
        offered_rps=None if imported else due / seconds if seconds else 0.0,
        achieved_rps=completed / seconds if seconds else 0.0,
        successful_rps=measures["throughput"].value if "throughput" in measures else 0.0,
        requests=completed if imported else due,
        sent=sum(frame.sent for frame in inside),
        unsent=None if imported else sum(frame.unsent for frame in inside),
        users=None
        if imported and "users" not in imported.knows
        else max((frame.users for frame in inside), default=0),
        in_flight=sum(frame.in_flight_s for frame in inside) / seconds if seconds else 0.0,
        seconds=seconds,
        from_cache=sum(frame.from_cache for frame in inside) or ABSENT,
    )


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


def _routes(recording: Recording, inside: list[Frame], route_class: str) -> dict[str, RouteTotals]:
    # In one go: for each route by itself, fifty routes of four hours would take minutes.
    counts: dict[str, Counter[str]] = {}
    is_size_known = not recording.imported or "bytes" in recording.imported.knows
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
        by_route[name] = RouteTotals(
            count=count,
            rps=count / seconds if seconds else 0.0,
            outcomes=outcomes,
            bytes=received[name] if is_size_known else None,
            latency_ms=_latency(recording, name, route_class),
            server=recording.manifest.load.server_by_route.get(name),
        )
    return by_route


def _latency(recording: Recording, route: str | None, route_class: str = "service") -> LatencyDocument:
    def times(kind: str, outcome: str) -> TimesDocument | None:
        return _times(_histogram(recording, kind=kind, outcome=outcome, route=route, route_class=route_class))

    return LatencyDocument(
        times("response", "ok"), times("service", "ok"), times(recording.times_kind, "failed")
    )


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


def _times(histogram: Histogram) -> TimesDocument | None:
    """Return mean and quantiles in milliseconds; None where there is nothing to sum up."""
    if histogram.count == 0:
        return None
    p50, p90, p95, p99, p99_9 = (
        histogram.quantile_ns(quantile) / 1e6 for quantile in (0.5, 0.9, 0.95, 0.99, 0.999)
    )
    return TimesDocument(
        histogram.count, histogram.mean_ns / 1e6, p50, p90, p95, p99, p99_9, histogram.max_ns / 1e6
    )


def _generator(recording: Recording, inside: list[Frame]) -> GeneratorDocument:
    seconds = sum(frame.len_ns for frame in inside) / NS
    end, asked = recording.manifest.end, recording.manifest.generator
    threads = max((len(frame.threads) for frame in inside), default=0)
    used = [sum(f.threads[i].cpu_ns for f in inside if i < len(f.threads)) / NS for i in range(threads)]
    return GeneratorDocument(
        cpu_s=sum(frame.process_cpu_ns for frame in inside) / NS,
        busiest_thread_share=max(used, default=0.0) / seconds if seconds else 0.0,
        lag_us=_delays(_histogram(recording, kind="lag")),
        connection_wait_us=_delays(_histogram(recording, kind="wait")),
        connections_opened=sum(frame.opened for frame in inside),
        max_rss_bytes=end.max_rss_bytes if end else None,
        cpus=asked.cpus,
        threads=asked.threads,
        note=asked.note,
    )


def _delays(histogram: Histogram) -> DelayDocument | None:
    """Return the delays in a histogram in microseconds; None where there is none."""
    if histogram.count == 0:
        return None
    return DelayDocument(
        histogram.quantile_ns(0.5) / 1e3, histogram.quantile_ns(0.99) / 1e3, histogram.max_ns / 1e3
    )


def _connections(http: str, inside: list[Frame]) -> ConnectionsDocument:
    sent = sum(frame.sent for frame in inside)
    opened = sum(frame.opened for frame in inside)
    return ConnectionsDocument(
        opened=opened,
        reused=sum(frame.reused for frame in inside),
        per_request=opened / sent if sent else 0.0,
        http=http,
        stream_resets=sum(frame.stream_resets for frame in inside),
        goaways=sum(frame.goaways for frame in inside),
    )


def _run_seconds(recording: Recording) -> float:
    frames = recording.frames
    if not frames:
        return 0.0
    return (frames[-1].t_ns + frames[-1].len_ns - frames[0].t_ns) / NS
