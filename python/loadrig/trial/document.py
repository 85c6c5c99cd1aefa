"""Types of a trial's result, as it stands in its `result.json` and is printed by `--json`.

`result.result_of` makes it of a recording. Whoever reads a result takes it in by `trial_of`. What passes on
from the manifest has the types that it has there.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from loadrig.account.document import AccountDocument
from loadrig.base.documents import ABSENT, Absent, Document, Says, typed
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Value
from loadrig.judgement.document import DiagnosisDocument, FindingDocument
from loadrig.profilers._cpu_document import CpuTimeDocument
from loadrig.recording.fleet_document import FleetDocument
from loadrig.recording.manifest_document import (
    ImportedDocument,
    MachineDocument,
    ObserverCost,
    SurroundingsDocument,
    TargetDocument,
    WarmUpDocument,
)
from loadrig.recording.service_map import MapDocument
from loadrig.trial.validity import Validity

Json: TypeAlias = Mapping[str, Any]
Outcomes: TypeAlias = Mapping[str, int]


class TargetFailure(Document, frozen=True):
    """Failure of the server under load."""

    kind: Annotated[
        Literal["died", "gone", "never_answered"],
        Says(
            "`died`: its root process ended; `gone`: every connection was refused from then on;"
            " `never_answered`"
        ),
    ]
    sentence: Annotated[str, Says("how it failed, in one sentence")]
    after_s: Annotated[float | Absent, Says("seconds since the load began")] = ABSENT
    pid: Annotated[int | Absent | None, Says("number of its root process")] = ABSENT
    exit_status: Annotated[int | Absent | None, Says("status that it exited with, or null")] = ABSENT
    signal: Annotated[str | Absent | None, Says("signal that ended it, or null")] = ABSENT
    out_of_memory: Annotated[
        str | Absent | None,
        Says(
            "what tells that the kernel killed it for lack of memory: `kernel_log`, `control_group`,"
            " `machine`; or null"
        ),
    ] = ABSENT
    refused: Annotated[int | Absent, Says("requests whose connections were refused")] = ABSENT
    outcomes: Annotated[
        Outcomes | Absent, Says("of a server that never answered: how its requests ended")
    ] = ABSENT
    last_lines: Annotated[tuple[str, ...], Says("last lines of its log, where the rig started it")] = ()


class FailedTrial(TargetFailure, frozen=True, kw_only=True):
    """Failure of the server in one of several trials."""

    trial: Annotated[int, Says("number of the trial")]
    label: Annotated[str, Says("its setting on one line")]
    setting: Annotated[Mapping[str, Value], Says("its setting: knobs and their values")]


class FailureInTrials(TargetFailure, frozen=True, kw_only=True):
    """Failure of the server in trials of a run."""

    trial: Annotated[int | Absent, Says("number of the trial, where the run has only one")] = ABSENT
    label: Annotated[str | Absent, Says("its setting on one line")] = ABSENT
    setting: Annotated[Mapping[str, Value] | Absent, Says("its setting: knobs and their values")] = ABSENT
    trials: Annotated[tuple[FailedTrial, ...], Says("each trial in which it failed")]


class MeasuredPart(Document, frozen=True):
    """Measured part of a trial."""

    from_s: Annotated[float, Says("its beginning, in seconds since the load began")]
    to_s: Annotated[float, Says("its end, in seconds since the load began")]
    why: Annotated[str, Says("why it ended")]

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.to_s - self.from_s


class LoadDocument(Document, frozen=True):
    """Load in the measured part."""

    model: Annotated[
        str | None, Says("`users`, `rate`, `sessions`, `replay`, `saturate`; null where it is not known")
    ]
    offered_rps: Annotated[float | None, Says("requests due a second; null where that is not known")]
    achieved_rps: Annotated[float, Says("requests that ended, however, a second")]
    successful_rps: Annotated[float, Says("requests answered well a second")]
    requests: Annotated[int, Says("number of requests due; of those that ended where no other is known")]
    sent: Annotated[int, Says("number of requests sent")]
    unsent: Annotated[int | None, Says("number of requests due and not sent; null where it is not known")]
    users: Annotated[int | None, Says("most users at once; null where that is not known")]
    in_flight: Annotated[float, Says("mean number of requests on their way")]
    seconds: Annotated[float, Says("length of the measured part")]
    from_cache: Annotated[
        int | Absent, Says("steps that users' caches answered, which are no requests; absent where none did")
    ] = ABSENT


class TimesDocument(Document, frozen=True, rename={"p99_9": "p99.9"}):
    """Times of requests, in milliseconds."""

    count: Annotated[int, Says("number of requests")]
    mean: Annotated[float, Says("their mean")]
    p50: Annotated[float, Says("half of them took no longer")]
    p90: Annotated[float, Says("90 % of them took no longer")]
    p95: Annotated[float, Says("95 % of them took no longer")]
    p99: Annotated[float, Says("99 % of them took no longer")]
    p99_9: Annotated[float, Says("99.9 % of them took no longer")]
    max: Annotated[float, Says("the longest")]

    def seconds(self, name: str) -> float:
        """Return a time by its name, such as "p99.9", in seconds."""
        return float(getattr(self, name.replace(".", "_"))) / 1e3


class LatencyDocument(Document, frozen=True):
    """Latencies by kind; null where no request has one."""

    response: Annotated[
        TimesDocument | None, Says("good answers, from when they were due; null of another tool's results")
    ]
    service: Annotated[TimesDocument | None, Says("good answers, from when they were sent")]
    failed: Annotated[TimesDocument | None, Says("requests that failed")]

    @property
    def good(self) -> TimesDocument | None:
        """Times of good answers from when they were due, or from the send where only that is known."""
        return self.response or self.service


class RouteTotals(Document, frozen=True):
    """Requests of a route in the measured part."""

    count: Annotated[int, Says("number of requests that ended")]
    rps: Annotated[float, Says("requests that ended a second")]
    outcomes: Annotated[Outcomes, Says("number of requests by outcome, `ok` first")]
    bytes: Annotated[int | None, Says("bytes received; null where another tool did not tell them")]
    latency_ms: Annotated[LatencyDocument, Says("how long its requests took")]
    server: Annotated[str | None, Says("name of the server that it goes to; null: the target")] = None

    @property
    def ok(self) -> int:
        """Number of good answers."""
        return self.outcomes.get("ok", 0)


class GoalDocument(Document, frozen=True):
    """Goal of the plan."""

    text: Annotated[str, Says("the goal as written")]
    met: Annotated[bool | None, Says("whether it was met; null where that cannot be decided")]
    value: Annotated[float | None, Says("the figure, or null")] = None
    unit: Annotated[str, Says("unit of the figure; `1` of a share")] = ""


class DelayDocument(Document, frozen=True):
    """Delays of the generator, in microseconds."""

    p50: Annotated[float, Says("half of them were no longer")]
    p99: Annotated[float, Says("99 % of them were no longer")]
    max: Annotated[float, Says("the longest")]


class GeneratorDocument(Document, frozen=True):
    """Testimony of the generator on itself."""

    cpu_s: Annotated[float, Says("CPU time that it used, in seconds")]
    busiest_thread_share: Annotated[float, Says("share of the time in which its busiest thread ran")]
    lag_us: Annotated[DelayDocument | None, Says("from when a request was due until it was taken up")]
    connection_wait_us: Annotated[DelayDocument | None, Says("how long requests waited for a connection")]
    connections_opened: Annotated[int, Says("number of connections opened")]
    max_rss_bytes: Annotated[int | None, Says("most memory that it had; null where it was cut short")]
    cpus: Annotated[tuple[int, ...], Says("cores that it was held on; empty where on none")]
    threads: Annotated[int, Says("number of its threads")]
    note: Annotated[str, Says('why these cores, or ""')]


class ConnectionsDocument(Document, frozen=True):
    """Connections of the generator in the measured part."""

    opened: Annotated[int, Says("number of connections opened")]
    reused: Annotated[int, Says("number of requests on a connection that was open already")]
    per_request: Annotated[float, Says("connections opened over requests sent")]
    http: Annotated[str, Says("version of HTTP: `1.1` or `2`")] = "1.1"
    stream_resets: Annotated[int, Says("streams that the server reset (HTTP/2)")] = 0
    goaways: Annotated[int, Says("connections that the server ended by GOAWAY (HTTP/2)")] = 0


class UsedEffect(Document, frozen=True):
    """Effect that watching had on a server."""

    effect: Annotated[str, Says("name of the effect")]
    kind: Annotated[str | None, Says("its kind, such as `loads code`")]
    component: Annotated[str, Says("component that it was done to")]
    pid: Annotated[int | None, Says("its process, or null")]
    text: Annotated[str, Says("what was done, in words")]
    is_undone: Annotated[bool, Says("whether it was undone by the end")]


class SeriesSummary(Document, frozen=True, kw_only=True):
    """Series in the measured part; of a counter the three levels are its growth a second."""

    component: Annotated[str, Says("component that it was read of")]
    subject: Annotated[str, Says('part of the component, "" or `tree` for the whole')]
    probe: Annotated[str, Says("probe that read it")]
    metric: Annotated[str, Says("metric of that probe")]
    unit: Annotated[str, Says("its unit")]
    kind: Annotated[Literal["gauge", "counter"], Says("`gauge` or `counter`")]
    n: Annotated[int, Says("number of readings")]
    grew: Annotated[float | Absent, Says("growth of a counter in all; absent of a gauge")] = ABSENT
    least: Annotated[float, Says("least level")]
    median: Annotated[float, Says("median level")]
    greatest: Annotated[float, Says("greatest level")]


class LogFact(Document, frozen=True):
    """Fact that a server stated in its log."""

    resource: Annotated[str, Says("resource that it is about")]
    what: Annotated[str, Says("what happened to that")]
    system: Annotated[str, Says("system that stated it")]
    text: Annotated[str, Says("the fact in words")]
    count: Annotated[int, Says("number of lines that state it")]
    numbers: Annotated[Mapping[str, float], Says("numbers of the last of these lines, by name")]
    first_s: Annotated[float, Says("first of them, in seconds since the load began")]
    last_s: Annotated[float, Says("last of them, in seconds since the load began")]


class LogTemplate(Document, frozen=True):
    """Lines of a log that are alike."""

    text: Annotated[str, Says("the line, what varies left out")]
    level: Annotated[str, Says("`fatal`, `error`, `warning`, `info`, `debug` or empty")]
    source: Annotated[str, Says("the log")]
    count: Annotated[int, Says("number of lines")]
    first_s: Annotated[float, Says("first of them, in seconds since the load began")]
    last_s: Annotated[float, Says("last of them, in seconds since the load began")]


class ServerLog(Document, frozen=True):
    """Messages of a server under load."""

    facts: Annotated[tuple[LogFact, ...], Says("facts, the most frequent first")]
    templates: Annotated[tuple[LogTemplate, ...], Says("templates of lines, the gravest first")]
    unread: Annotated[tuple[str, ...], Says("what could not be read, in sentences")]

    def __bool__(self) -> bool:
        """Return whether anything is known of the log."""
        return bool(self.facts or self.templates or self.unread)


class FailureExample(Document, frozen=True, omit_defaults=True):
    """Request that failed."""

    t_ns: Annotated[int, Says("when it ended, on the clock of the recording")]
    route: Annotated[str, Says("its route")]
    outcome: Annotated[str, Says("what it came to")]
    detail: Annotated[str, Says("what was seen")]
    headers: Annotated[tuple[str, ...], Says("header lines of the answer; absent without any")] = ()


class TrialDocument(Document, frozen=True, kw_only=True, omit_defaults=True):
    """Result of a trial."""

    schema: Annotated[Literal["loadrig.trial/2"], Says("`loadrig.trial/2`")]
    headline: Annotated[str | Absent, Says("first sentence, where the server failed")] = ABSENT
    target_failed: Annotated[TargetFailure | Absent, Says("how the server failed; absent otherwise")] = ABSENT
    loadrig: Annotated[str, Says("version of loadrig that judged it")]
    name: Annotated[str, Says("name of the plan")]
    index: Annotated[int, Says("number of the trial in its run, from 1")]
    node: Annotated[str, Says("name of the node that it ran on; left out where there is only one")] = ""
    setting: Annotated[Mapping[str, Value], Says("knobs and their values")]
    seed: Annotated[int | None, Says("seed of its random numbers, or null")]
    address: Annotated[str | None, Says("address of the server, or null")]
    validity: Annotated[Validity, Says("whether it may be believed, see [Checks](checks.md)")]
    measured: Annotated[MeasuredPart, Says("the measured part")]
    warm_up: Annotated[WarmUpDocument | None, Says("the warm-up, or null")]
    load: Annotated[LoadDocument, Says("load in the measured part")]
    outcomes: Annotated[Outcomes, Says("number of requests of the service by outcome, `ok` first")]
    status: Annotated[Mapping[str, int], Says("number of answers by status")]
    latency_ms: Annotated[LatencyDocument, Says("how long requests of the service took")]
    routes: Annotated[Mapping[str, RouteTotals], Says("each route of the service, by name")]
    imported: Annotated[ImportedDocument | Absent, Says("only of another tool's results")] = ABSENT
    login: Annotated[Mapping[str, RouteTotals], Says("each route of logins; absent without any")] = {}
    session_ms: Annotated[TimesDocument | Absent, Says("whole sessions; absent without any")] = ABSENT
    goals: Annotated[tuple[GoalDocument, ...], Says("goals in the order of the plan")]
    generator: Annotated[
        GeneratorDocument | None, Says("what the generator says of itself; null of another tool's results")
    ]
    fleet: Annotated[
        FleetDocument | Absent, Says("each generator by itself; absent where a single one made the load")
    ] = ABSENT
    connections: Annotated[
        ConnectionsDocument | None, Says("its connections; null of another tool's results")
    ]
    resources: Annotated[
        Mapping[str, Estimate], Says("`server_cpu`, `cpu_per_request` and `memory`, where they are known")
    ]
    map: Annotated[MapDocument | Absent, Says("who talks to whom")] = ABSENT
    effects: Annotated[tuple[UsedEffect, ...], Says("what was done to watch; absent without any")] = ()
    account: Annotated[AccountDocument | Absent, Says("where requests spent their time")] = ABSENT
    cpu_time: Annotated[CpuTimeDocument | Absent, Says("what CPU time was spent on")] = ABSENT
    series: Annotated[
        Mapping[str, tuple[SeriesSummary, ...]],
        Says("each series that was read, by its name in OpenTelemetry, else `PROBE.METRIC`"),
    ]
    estimates: Annotated[Mapping[str, Estimate], Says("every measure that is known, by name")]
    server_logs: Annotated[Mapping[str, ServerLog], Says("logs by component; absent without any")] = {}
    examples: Annotated[tuple[FailureExample, ...], Says("the first requests that failed")]
    observer: Annotated[ObserverCost | None, Says("what watching cost")]
    surroundings: Annotated[SurroundingsDocument | None, Says("what else the machine did")]
    target: Annotated[TargetDocument | None, Says("how the server was started")]
    machine: Annotated[MachineDocument | None, Says("facts of the machine")]
    ended: Annotated[str | None, Says("why the load ended, or null")]
    findings: Annotated[tuple[FindingDocument, ...], Says("what limits the server, most likely first")]
    diagnosis: Annotated[DiagnosisDocument | None, Says("the answer, and what it rests on")]

    @property
    def times_kind(self) -> Literal["response", "service"]:
        """Kind of the times that tell how long answers took: another tool knows only those from the send."""
        return "service" if self.imported else "response"


def trial_of(result: Json, where: str) -> TrialDocument:
    """Return a trial's result, of the present schema, as its type.

    where: its file, for the error. Raises PlanError `recording.broken`.
    """
    # Results of earlier versions do not say their seed, and the first had no findings.
    return typed(TrialDocument, {"seed": None, "findings": (), "diagnosis": None, **result}, where)
