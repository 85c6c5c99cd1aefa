"""Types of the manifest of a trial's recording, as they are read by everything that follows a trial.

Until the load has begun facts are written as plain data, as no request waits for the library that checks
types (decision 0042); `manifest.read` returns all of them as a `ManifestDocument`. A fact that a recording
lacks has a value that says so: recordings of earlier versions, of trials that were cut short and of another
tool's results lack some. The fields stand in the order in which a trial writes them.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from loadrig.base.documents import ABSENT, Absent, Document, Says
from loadrig.base.setting import Value
from loadrig.recording.fleet_document import FleetDocument
from loadrig.recording.service_map import MapDocument


class MachineDocument(Document, frozen=True, omit_defaults=True):
    """Machine of the rig."""

    loadrig: Annotated[str, Says("version of loadrig")] = ""
    python: Annotated[str, Says("version of Python")] = ""
    system: Annotated[str, Says("name of the operating system")] = ""
    kernel: Annotated[str, Says("version of the kernel")] = ""
    architecture: Annotated[str, Says("such as `x86_64`")] = ""
    cpu: Annotated[str, Says("model of the CPU")] = ""
    cores: Annotated[int, Says("number of cores that the rig may use")] = 0
    memory_bytes: Annotated[int, Says("memory of the machine")] = 0


class BusyThread(Document, frozen=True):
    """Thread that used CPU time though no load ran."""

    tid: Annotated[int, Says("its number")]
    name: Annotated[str, Says("its name")]
    cores: Annotated[float, Says("cores that it used")]


class BusyProgram(Document, frozen=True):
    """Program that used CPU time though no load ran."""

    name: Annotated[str, Says("its name")]
    pid: Annotated[int, Says("its process")]
    component: Annotated[str, Says('component that it is, "" for a program that was not measured')]
    cores: Annotated[float, Says("cores that it used")]
    threads: Annotated[tuple[BusyThread, ...], Says("threads of a measured program that used CPU time")] = ()


class SurroundingsDocument(Document, frozen=True):
    """Other work of the machine."""

    busy_share: Annotated[Mapping[str, float], Says("share of each core in use, 0 to 1")] = {}
    load_1m: Annotated[float, Says("load average of the minute before the load")] = 0.0
    warnings: Annotated[tuple[str, ...], Says("what may disturb the trial, in sentences")] = ()
    when: Annotated[
        Literal["before", "after"], Says("whether the cores were watched `before` the load or `after` it")
    ] = "before"
    programs: Annotated[
        tuple[BusyProgram, ...],
        Says("programs that used CPU time after a load on a server that ran already, most first"),
    ] = ()


class CalibrationDocument(Document, frozen=True):
    """Ceiling of the generator on this machine."""

    per_second: Annotated[float, Says("most requests a second of one thread")]
    cpu: Annotated[str, Says("model of the CPU that it holds for")] = ""
    cores: Annotated[int, Says("number of cores that it holds for")] = 0
    loadrig: Annotated[str, Says("version of loadrig that it holds for")] = ""
    split: Annotated[
        Mapping[str, Any] | None,
        Says("how one generator differed from two that shared its load (G13), or null"),
    ] = None
    measured: Annotated[str, Says("when it was measured")] = ""


class GeneratorCores(Document, frozen=True):
    """Cores and threads of the generator."""

    cpus: Annotated[tuple[int, ...], Says("cores that it was held on; empty where on none")] = ()
    threads: Annotated[int, Says("number of its threads")] = 1
    note: Annotated[str, Says('why these cores, or ""')] = ""


class AskedLoad(Document, frozen=True):
    """Load that the plan asks for."""

    model: Annotated[
        str | None, Says("`users`, `rate`, `sessions`, `replay`, `saturate`; null of another tool's results")
    ] = "users"
    keep_alive: Annotated[bool, Says("whether connections are used again")] = True
    http: Annotated[str, Says("version of HTTP")] = "1.1"
    streams: Annotated[int, Says("most requests at once on a connection (HTTP/2)")] = 1
    servers: Annotated[
        Mapping[str, str], Says("addresses of the servers beside the target, by their names")
    ] = {}
    server_by_route: Annotated[
        Mapping[str, str], Says("names of these servers by the routes that go there")
    ] = {}


class AskedGoal(Document, frozen=True, kw_only=True):
    """Goal of the plan."""

    text: Annotated[str, Says("the goal as written")]
    measure: Annotated[str, Says("name of the measure")]
    below: Annotated[bool, Says("whether the figure is to stay below the limit")] = True
    limit: Annotated[float, Says("the limit, in the unit of the measure")]
    unit: Annotated[str, Says("unit of the measure; `1` of a share")] = ""
    route: Annotated[str | None, Says("the route, or null for all")] = None
    over_s: Annotated[float | None, Says("length of the stretches in which it is to hold, or null")] = None


class TargetDocument(Document, frozen=True):
    """Server under load, as the rig started or found it."""

    kind: Annotated[str, Says("name of the target")] = ""
    pid: Annotated[int | None, Says("root of its processes, or null")] = None
    argv: Annotated[tuple[str, ...], Says("its command line, secrets masked")] = ()
    facts: Annotated[Mapping[str, Any], Says("what the target tells of it, such as versions")] = {}
    cpus: Annotated[tuple[int, ...], Says("cores that it was held on")] = ()
    cgroup: Annotated[str | None, Says("control group that the rig made for it, or null")] = None
    ready_s: Annotated[float | None, Says("how long it took to be ready; null where it ran already")] = None


class MetricDocument(Document, frozen=True):
    """Metric of a probe."""

    unit: Annotated[str, Says("its unit")] = ""
    kind: Annotated[str, Says("`gauge` or `counter`")] = "gauge"
    doc: Annotated[str, Says("what it is")] = ""
    otel: Annotated[str, Says('its name in OpenTelemetry, or ""')] = ""


class RecordedSpan(Document, frozen=True):
    """Stretch of time on the rig's clock."""

    from_ns: Annotated[int, Says("its beginning")]
    to_ns: Annotated[int, Says("its end")]
    why: Annotated[str, Says("why it ended; absent of a limit")] = ""


class WarmUpDocument(Document, frozen=True):
    """Warm-up before the measured part."""

    verdict: Annotated[str, Says("`steady`, `not_steady` or `none`")]
    seconds: Annotated[float, Says("how long it took")]
    why: Annotated[str, Says("why it ended")]


class GeneratorEnd(Document, frozen=True):
    """Last message of the generator; empty where it sent none."""

    why: Annotated[str, Says("why it ended")] = ""
    t_ns: Annotated[int | None, Says("when it ended")] = None
    totals: Annotated[Mapping[str, int], Says("requests over the whole run: `due`, `sent`, …")] = {}
    max_rss_bytes: Annotated[int | None, Says("most memory that it had")] = None


class SharedCore(Document, frozen=True):
    """Core that the generator shared with one of the server's busiest threads; `unknown` or all the rest."""

    unknown: Annotated[str, Says("why it is not known")] = ""
    share: Annotated[float, Says("share of the time that the generator used of it, 0 to 1")] = 0.0
    core: Annotated[int, Says("its number")] = 0
    thread: Annotated[str, Says("name of the thread")] = ""
    pid: Annotated[int, Says("process of the thread")] = 0
    how: Annotated[str, Says("`held` where the cores of both tell it, `seen` where looks do")] = "seen"
    looks: Annotated[int, Says("number of looks")] = 0


class OtherClient(Document, frozen=True):
    """Client of the server that is not the rig."""

    who: Annotated[str, Says("its program and process, or its address")]
    connections: Annotated[int, Says("number of its connections")] = 0
    bytes: Annotated[int, Says("bytes that came over them")] = 0


class OthersDocument(Document, frozen=True):
    """Connections of others to the server; `unknown` or all the rest."""

    unknown: Annotated[str, Says("why they are not known")] = ""
    looks: Annotated[int, Says("number of looks")] = 0
    seen_in: Annotated[int, Says("number of looks that saw any")] = 0
    connections: Annotated[int, Says("most at once")] = 0
    is_counted: Annotated[bool, Says("whether the bytes of all of them are known")] = False
    bytes: Annotated[int, Says("bytes that came over them")] = 0
    from_ns: Annotated[int, Says("the first look")] = 0
    to_ns: Annotated[int, Says("the last look")] = 0
    clients: Annotated[tuple[OtherClient, ...], Says("clients, most bytes first")] = ()


class WitnessDocument(Document, frozen=True):
    """Observations of the generator from outside, in the measured part."""

    stops: Annotated[int, Says("how often it was stopped")] = 0
    stopped_share: Annotated[float, Says("share of the time for which it was stopped")] = 0.0
    throttled_share: Annotated[float, Says("share for which the quota of its control group held it up")] = 0.0
    throttled_group: Annotated[str, Says('that control group, or ""')] = ""
    stolen_share: Annotated[float, Says("share for which the hypervisor took its core")] = 0.0
    clock_step_s: Annotated[float, Says("by how much somebody set the wall clock")] = 0.0
    watched_s: Annotated[float, Says("how long it was watched")] = 0.0
    shared_core: Annotated[SharedCore | None, Says("the core that it shared with the server")] = None
    others: Annotated[OthersDocument | None, Says("connections of others to the server")] = None


class ObserverCost(Document, frozen=True):
    """Cost of watching."""

    cpu_s: Annotated[float, Says("CPU time, in all")]
    ticks: Annotated[int, Says("number of looks")] = 0
    samples: Annotated[int, Says("number of samples")] = 0
    missed: Annotated[int, Says("number of looks that were left out")] = 0
    every_s: Annotated[float, Says("time between two looks")] = 1.0
    late_ms: Annotated[
        Mapping[str, float | None] | Absent, Says("how late looks were: `p50` and `max`, null without any")
    ] = ABSENT
    probes: Annotated[Mapping[str, float] | Absent, Says("CPU seconds of each probe")] = ABSENT
    budget: Annotated[
        Mapping[str, Any] | Absent,
        Says(
            "the `share` of a core that the rig beside its generator is to stay within, the `rest` (`share`,"
            " `cpu_s`: what it does apart from sensors that can look less often), and of each such sensor in"
            " `parts` its `share` at the end, `allotted_s` and `cpu_s`"
        ),
    ] = ABSENT


class ObserverDocument(Document, frozen=True):
    """Observer on another host."""

    name: Annotated[str, Says("its name in the plan")]
    via: Annotated[str, Says("how it was reached")] = ""
    offset_ms: Annotated[float | None, Says("lead of its clock over the rig's; null if never heard")] = None
    residual_ms: Annotated[float | None, Says("how far off an instant may be; null if never heard")] = None
    drift_ppm: Annotated[float | None, Says("microseconds that its clock gains in a second")] = None
    n: Annotated[int, Says("number of exchanges by which the clocks were compared")] = 0
    host: Annotated[str | None, Says("name of the host that answered")] = None
    loadrig: Annotated[str | None, Says("version of loadrig that answered")] = None
    python: Annotated[str | None, Says("version of Python that answered")] = None
    cost: Annotated[
        Mapping[str, Any], Says("what it says that watching cost there, and what it cost `here`")
    ] = {}


class DeathDocument(Document, frozen=True):
    """Failure of the server under load."""

    kind: Annotated[
        Literal["died", "gone"],
        Says("`died`: its root process ended; `gone`: every connection was refused from then on"),
    ]
    t_ns: Annotated[int, Says("when, on the rig's clock")]
    after_s: Annotated[float, Says("seconds since the load began")]
    pid: Annotated[int | Absent | None, Says("number of its root process")] = ABSENT
    exit_status: Annotated[
        int | Absent | None, Says("status that it exited with; null where the rig had not started it")
    ] = ABSENT
    signal: Annotated[str | Absent | None, Says("signal that ended it, or null")] = ABSENT
    out_of_memory: Annotated[
        Literal["kernel_log", "control_group", "machine"] | Absent | None,
        Says("what tells that the kernel killed it for lack of memory, or null"),
    ] = ABSENT
    refused: Annotated[int | Absent, Says("requests whose connections were refused")] = ABSENT
    last_lines: Annotated[tuple[str, ...], Says("last lines of its log, where the rig started it")] = ()


class ProfiledSpan(Document, frozen=True):
    """Stretch in which a profiler took a profile."""

    component: Annotated[str, Says("component that was profiled")]
    load: Annotated[str, Says("`low`, `high`: the load meanwhile")]
    from_ns: Annotated[int, Says("its beginning")]
    to_ns: Annotated[int, Says("its end")]


class ImportedFile(Document, frozen=True):
    """File of another tool."""

    name: Annotated[str, Says("its name")]
    bytes: Annotated[int, Says("its size")]
    sha256: Annotated[str, Says("its digest")]


class StatedTime(Document, frozen=True):
    """Time that another tool worked out and states. Nothing was measured here that it could be held to."""

    route: Annotated[str, Says('route; "" of all together')]
    name: Annotated[str, Says("`mean`, `min`, `max` or a quantile: `p50`, `p99.9`")]
    ms: Annotated[float, Says("the time in milliseconds")]


OUTCOMES_UNTOLD = "outcomes"
"""Word of `ImportedDocument.untold` for results that do not say how requests ended."""


class ImportedDocument(Document, frozen=True):
    """Origin of results that another tool made."""

    tool: Annotated[str, Says("name of the tool")]
    format: Annotated[str, Says("format of its files")]
    times: Annotated[str, Says("what its times count")]
    files: Annotated[tuple[ImportedFile, ...], Says("files that were read")]
    requests: Annotated[int, Says("number of requests in them")]
    left_out: Annotated[Mapping[str, int], Says("number of rows that were left out, by reason")]
    notes: Annotated[tuple[str, ...], Says("what a reader must know of it")]
    warnings: Annotated[tuple[str, ...], Says("what makes it doubtful")]
    knows: Annotated[tuple[str, ...], Says("what it tells: `users`, `bytes`, times from when `due`")]
    stated: Annotated[tuple[StatedTime, ...], Says("times that the tool states, of sums alone")] = ()
    untold: Annotated[tuple[str, ...], Says("what it leaves open: `outcomes`, where all count as good")] = ()

    @property
    def has_outcomes(self) -> bool:
        """Whether the tool told how requests ended."""
        return OUTCOMES_UNTOLD not in self.untold


class ManifestDocument(Document, frozen=True, kw_only=True):
    """Manifest of a trial's recording."""

    recording: Annotated[int, Says("version of the format")]
    loadrig: Annotated[str, Says("version of the program that wrote it")] = ""
    created: Annotated[str, Says("when it was begun, as ISO 8601")] = ""
    wall_ns: Annotated[int, Says("the same instant, in ns since 1970")]
    monotonic_ns: Annotated[int, Says("the same instant, on the rig's clock")]
    plan_name: Annotated[str, Says("name of the plan")] = ""
    find: Annotated[str, Says('strategy of the study (`soak`, `grid`, …); "" before format 3')] = ""
    plan_path: Annotated[str | None, Says("where the plan lay, or null")] = None
    setting: Annotated[Mapping[str, Value], Says("knobs and their values")] = {}
    seed: Annotated[int | None, Says("seed of its random numbers, or null")] = None
    index: Annotated[int, Says("number of the trial in its run, from 1")] = 1
    block: Annotated[int, Says("its block")] = 0
    repeat: Annotated[int, Says("how often the block had the setting before")] = 0
    is_base: Annotated[bool, Says("whether the setting is the base")] = False
    node: Annotated[str, Says("name of the node that it ran on; left out where there is only one")] = ""
    machine: Annotated[MachineDocument | None, Says("facts of the machine")] = None
    surroundings: Annotated[SurroundingsDocument | None, Says("what else the machine did")] = None
    calibration: Annotated[CalibrationDocument | None, Says("ceiling of the generator, where known")] = None
    generator: Annotated[GeneratorCores, Says("cores and threads of the generator")] = GeneratorCores()
    load: Annotated[AskedLoad, Says("the load that was asked for")] = AskedLoad()
    goals: Annotated[tuple[AskedGoal, ...], Says("goals in the order of the plan")] = ()
    address: Annotated[str | None, Says("address of the server")] = None
    target: Annotated[TargetDocument | None, Says("the server")] = None
    start_ns: Annotated[int | None, Says("from when on requests could be due")] = None
    metrics: Annotated[Mapping[str, MetricDocument], Says("metrics by `PROBE.METRIC`")] = {}
    map: Annotated[MapDocument | None, Says("who talks to whom")] = None
    profiled: Annotated[tuple[ProfiledSpan, ...], Says("when profiles were taken")] = ()
    death: Annotated[DeathDocument | None, Says("only where the server failed under load")] = None
    limit: Annotated[
        RecordedSpan | None,
        Says("when a steered load had the server at its limit, where causes are looked for"),
    ] = None
    measured: Annotated[RecordedSpan | None, Says("the measured part; absent if cut short before it")] = None
    warm_up: Annotated[WarmUpDocument | None, Says("the warm-up")] = None
    end: Annotated[GeneratorEnd | None, Says("last message of the generator")] = None
    ended: Annotated[str | None, Says("why the load ended")] = None
    fleet: Annotated[FleetDocument | None, Says("only where a fleet made the load, be it of one")] = None
    witness: Annotated[WitnessDocument | None, Says("what was seen of the generator from outside")] = None
    cut: Annotated[
        str | Absent | None,
        Says("code of the error that cut the load short; null if none did; absent before its end"),
    ] = ABSENT
    followed_to: Annotated[
        int | None, Says("last frame that a steered load (a search, a spike, experiments) was told of")
    ] = None
    observer: Annotated[ObserverCost | None, Says("what watching cost")] = None
    observers: Annotated[tuple[ObserverDocument, ...], Says("observers on other hosts")] = ()
    imported: Annotated[ImportedDocument | None, Says("only of another tool's results")] = None

    @property
    def is_whole(self) -> bool:
        """Whether the load is known to have come to its own end; earlier versions did not say that."""
        return self.cut is None
