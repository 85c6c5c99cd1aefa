"""Documents about a run while it goes on, as a page is sent them."""

from collections.abc import Mapping
from typing import Annotated, Literal

from loadrig.account.fullness import FullResource
from loadrig.base.documents import Document, Says
from loadrig.recording.level_look import LevelLook

LightName = Literal[
    "sent", "lag", "busy", "delayed", "steal", "connections", "ports", "descriptors", "ceiling", "neighbours"
]


class SecondDocument(Document, frozen=True, kw_only=True):
    """A second of the load, as the generator counted it."""

    t_s: Annotated[float, Says("end of the second, in seconds since 1970")]
    planned: Annotated[float, Says("level that the plan has: requests a second, or users")]
    due: Annotated[float, Says("requests that were due, 1/s")]
    ok: Annotated[float, Says("requests that were answered as asked for, 1/s")]
    failed: Annotated[float, Says("requests that ended otherwise, 1/s")]
    p50_s: Annotated[float | None, Says("median response time in seconds; null where none was answered")]
    p95_s: Annotated[float | None, Says("95th percentile of the response times in seconds")]
    p99_s: Annotated[float | None, Says("99th percentile of the response times in seconds")]
    in_flight: Annotated[int, Says("requests under way at the end of the second")]
    users: Annotated[int, Says("users at the end of the second")]
    lag_s: Annotated[float | None, Says("how late the generator was, 99th percentile in seconds")]
    busy_share: Annotated[float, Says("share of a core that the generator's busiest thread used, 0 to 1")]


class TierDocument(Document, frozen=True, kw_only=True):
    """Use of a component in the last seconds."""

    name: Annotated[str, Says("name of the component")]
    kind: Annotated[str, Says("what it is: `gunicorn`, `redis`, `host`")] = ""
    cores: Annotated[float | None, Says("CPU time a second, in cores; null where it is not seen")] = None
    cores_most: Annotated[float | None, Says("cores that it may use")] = None
    memory_bytes: Annotated[float | None, Says("memory that it uses")] = None
    full: Annotated[FullResource | Literal["workers", ""], Says("what of it is nearly full")] = ""


class UsedDocument(Document, frozen=True, kw_only=True):
    """Reading of a component over a second: the CPU time that it used, or how much was asked of it."""

    name: Annotated[str, Says("name of the component")]
    t_s: Annotated[float, Says("end of the second, in seconds since 1970")]
    cores: Annotated[float | None, Says("CPU time a second, in cores")] = None
    awaited: Annotated[float | None, Says("answers that other components await from it")] = None


class LinkDocument(Document, frozen=True, kw_only=True):
    """Load on the way from one component to another, as it is now."""

    source: Annotated[str, Says("who asks: a component, or `generator`")]
    to: Annotated[str, Says("who answers")]
    per_s: Annotated[
        float | None,
        Says("requests a second of the generator, else messages a second; null where they are not seen"),
    ] = None
    awaited: Annotated[float | None, Says("answers that are awaited, on average")] = None


class LightDocument(Document, frozen=True, kw_only=True):
    """Light of the rig itself: one figure of its last seconds against the limit of a check."""

    name: Annotated[LightName, Says("what is looked at")]
    check: Annotated[str, Says('check that judges it when the trial is over: `G2`; `""` for none')]
    level: Annotated[Literal["unknown", "fine", "disturbed", "grave"], Says("what its limits say")]
    value: Annotated[float | None, Says("the figure: a share, 0 to 1; of the lag seconds")] = None
    limit: Annotated[float | None, Says("limit above which it disturbs")] = None
    note: Annotated[str, Says("who it is, where that is known")] = ""


class PartDocument(Document, frozen=True, kw_only=True):
    """Part of a request's time in the last seconds."""

    state: Annotated[str, Says('what a request did in it, in words; `""` for the rest')]
    share: Annotated[float, Says("share of the request's time, 0 to 1")]
    seconds: Annotated[float, Says("its length in seconds")]


class HappeningDocument(Document, frozen=True, kw_only=True):
    """Event of a trial."""

    t_s: Annotated[float, Says("when it happened, in seconds since 1970")]
    kind: Annotated[str, Says("kind of the event")]
    component: Annotated[str, Says("what it happened to")]
    text: Annotated[str, Says("what happened, in words")]


class OverDocument(Document, frozen=True, kw_only=True):
    """Trial that is over."""

    number: Annotated[int, Says("number of the trial")]
    setting: Annotated[str, Says("its setting, `workers=4 threads=2`")]
    is_base: Annotated[bool, Says("whether it is the setting that others are compared with")] = False
    validity: Annotated[str, Says("`valid`, `disturbed`, `void` or `failed`")]
    ok_rps: Annotated[float | None, Says("requests a second that were answered as asked for")]
    p99_s: Annotated[float | None, Says("99th percentile of its response times in seconds")]


class TriedSetting(Document, frozen=True, kw_only=True):
    """Setting of a study, with its trials so far."""

    setting: Annotated[str, Says("the setting, `workers=4 threads=2`")]
    is_base: Annotated[bool, Says("whether others are compared with it")]
    trials: Annotated[tuple[OverDocument, ...], Says("its trials that are over")]
    ok_rps: Annotated[float | None, Says("median of the throughput of trials that count, 1/s")]
    p99_s: Annotated[float | None, Says("median of their 99th percentiles in seconds")]


class BlockRow(Document, frozen=True, kw_only=True):
    """Block of a proof: outcomes side by side, null where there is none yet."""

    block: Annotated[int, Says("number of the block, from 1")]
    values: Annotated[tuple[float | None, ...], Says("mean outcome of each column")]


class BlocksDocument(Document, frozen=True, kw_only=True):
    """Blocks of a proof: the unchanged server and each change beside it."""

    trial: Annotated[int, Says("trial in which changes were made while load ran; 0: a trial each")]
    measure: Annotated[str, Says("outcome that is compared: `throughput`, `latency`, `dips`, `growth`")]
    unit: Annotated[str, Says("unit of the outcomes")]
    titles: Annotated[tuple[str, ...], Says('what was changed in each column; `""` for nothing')]
    rows: Annotated[tuple[BlockRow, ...], Says("blocks in their order")]
    medians: Annotated[tuple[float | None, ...], Says("median of each column")]


class RunTablesDocument(Document, frozen=True, kw_only=True):
    """Tables of what a run has come to so far; each is empty where the run has none."""

    settings: Annotated[tuple[TriedSetting, ...], Says("settings of a study, in their order")] = ()
    levels: Annotated[tuple[LevelLook, ...], Says("looks at levels by a search, in their order")] = ()
    blocks: Annotated[tuple[BlocksDocument, ...], Says("blocks of a proof")] = ()


class TrialNewsDocument(Document, frozen=True, kw_only=True):
    """News of the trial that runs, since the last look."""

    number: Annotated[int, Says("number of the trial")]
    is_of_proof: Annotated[bool, Says("whether it is a trial of the run's proof")] = False
    address: Annotated[str, Says("address that is loaded")] = ""
    model: Annotated[str, Says("kind of the load: `rate`, `users`, …")] = ""
    seconds: Annotated[tuple[SecondDocument, ...], Says("seconds of the load that are new")] = ()
    outcomes: Annotated[Mapping[str, int], Says("requests by outcome, since the trial began")] = {}
    counted_to_s: Annotated[float, Says("until when, in seconds since 1970; 0: none counted")] = 0.0
    has_counted: Annotated[bool, Says("whether any are new, be it of less than a second")] = False
    tiers: Annotated[tuple[TierDocument, ...], Says("components, as they are now")] = ()
    used: Annotated[tuple[UsedDocument, ...], Says("readings of the components that are new")] = ()
    links: Annotated[tuple[LinkDocument, ...], Says("who waits for whom, as it is now")] = ()
    lights: Annotated[tuple[LightDocument, ...], Says("the rig itself in the last seconds")] = ()
    parts: Annotated[tuple[PartDocument, ...], Says("where a request's time goes, the longest first")] = ()
    sentence: Annotated[str, Says("the same in words")] = ""
    happenings: Annotated[tuple[HappeningDocument, ...], Says("events that are new")] = ()
    log: Annotated[tuple[str, ...], Says("lines of the server's output that are new")] = ()


class RunNewsDocument(Document, frozen=True, kw_only=True):
    """News of a run, since the last look."""

    title: Annotated[str, Says("what the run does, in words")]
    is_running: Annotated[bool, Says("whether the command that makes the run still lives")]
    phase: Annotated[str, Says("phase of the trial that runs, as in now.json")] = ""
    phase_s: Annotated[float, Says("how long the phase lasts, in seconds")] = 0.0
    expected_s: Annotated[float, Says("how long it is expected to last, in seconds")] = 0.0
    done: Annotated[int, Says("trials that are over")] = 0
    total: Annotated[int, Says("trials that are planned")] = 0
    left_s: Annotated[float, Says("seconds that remain of the run, as expected")] = 0.0
    setting: Annotated[str, Says("setting of the trial that runs")] = ""
    notes: Annotated[tuple[str, ...], Says("notes to a person")] = ()
    over: Annotated[tuple[OverDocument, ...], Says("trials that are over since the last look")] = ()
    course: Annotated[RunTablesDocument | None, Says("its tables; null where they are as before")] = None
    trial: Annotated[TrialNewsDocument | None, Says("news of the trial that runs, or ran last")] = None
    has_result: Annotated[bool, Says("whether the run has its result")] = False
    has_report: Annotated[bool, Says("whether the run has its report")] = False
    is_gone: Annotated[bool, Says("whether the folder of the run is gone")] = False
