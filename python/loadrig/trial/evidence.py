"""Evidence for the checks on the rig, gathered once from a recording's measured window."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.base.component import HOST
from loadrig.base.documents import ABSENT, typed
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialEvidenceTexts
from loadrig.measures.core_speed import works_of
from loadrig.recording.config_document import ConfigDocument, RouteConfig
from loadrig.recording.fleet_document import FleetGenerator
from loadrig.recording.frame import Frame
from loadrig.recording.manifest_document import OthersDocument, WitnessDocument
from loadrig.recording.reader import Recording
from loadrig.trial.served import ServedCount, counts
from loadrig.trial.split import GeneratorSplit

if TYPE_CHECKING:  # numpy is imported only once there is something to judge
    import numpy as np
    from numpy.typing import NDArray

TEXTS = texts_of(TrialEvidenceTexts)

NEARLY_NS = 980_000_000
"""Length of frames that counts as a second, in ns: frames end a little early or late."""


@dataclass(frozen=True, slots=True)
class ValidityEvidence:
    """Figures of the measured window, and of the whole run where a check needs it whole.

    model: users, rate, sessions, replay or saturate. seconds: length of the window.
    second_*: per second of the window (frames joined until they fill one), float64[n].
    outcomes: requests of all classes by outcome in the window. lag: from due to taken up; wait: from taken up
    until a connection was ready.
    most_per_second: what the generator can do at most on that machine, where it was calibrated; split:
    whether two generators agreed with one there. little: request-seconds in flight by integration and by
    summing responses, over the whole run. unforeseen: answers by a status that is good only because the plan
    names none (redirects); empty_routes: routes whose good answers all had an empty body, which no check
    looked at. witness: what was seen of the generator from outside; None in old recordings. core_work_s: CPU
    time of the same piece of work on the server's cores, float64[n] in order of time. host_stolen_share: of
    the time of all cores of this machine, taken by the hypervisor (probe system_cpu). frame_s: length that
    frames should have; stood_still_s: by which the longest frame exceeded it. open_most: most connections at
    once. is_plain: HTTP/1.1 without TLS.
    others: what was seen of connections of others (see trial.others), None in old recordings; sent_bytes:
    bytes of the rig over the same time; served: the server's own counts of requests. steered: changes of the
    load by hand, each as a clause with its time. shared_users: users that log in and whose requests come by
    an open load's schedule, 0 without any. fleet: its generators; none of a load without one. order_s:
    longest time until an order had reached all of them; None without any.
    """

    model: str
    keep_alive: bool
    is_plain: bool
    has_websockets: bool
    open_most: int
    seconds: float
    due: int
    sent: int
    unsent: int
    no_connection: int
    capped: int
    opened: int
    answered: int
    completed: int
    outcomes: Counter[str]
    lag: Histogram
    wait: Histogram
    response: Histogram
    second_busy: "NDArray[np.float64]"
    second_in_flight: "NDArray[np.float64]"
    second_p50_ms: "NDArray[np.float64]"
    run_delay_share: float
    ports_used: int
    ports_range: int
    fds: int
    fds_limit: int
    gaps_s: "NDArray[np.float64]"
    planned_levels: tuple[float, ...]
    spacing: str | None
    little: tuple[float, float] | None
    checks_body: bool
    most_per_second: float | None
    split: GeneratorSplit | None
    threads: int
    unforeseen: Mapping[str, int]
    empty_routes: tuple[str, ...]
    witness: WitnessDocument | None
    core_work_s: "NDArray[np.float64]"
    frame_s: float
    stood_still_s: float
    host_stolen_share: float = 0.0
    others: OthersDocument | None = None
    sent_bytes: int = 0
    served: tuple[ServedCount, ...] = ()
    steered: tuple[str, ...] = ()
    shared_users: int = 0
    fleet: tuple[FleetGenerator, ...] = ()
    order_s: float | None = None


def gather(recording: Recording) -> ValidityEvidence:
    """Read everything that the checks need from one trial's folder."""
    import numpy as np

    manifest = recording.manifest
    window, inside = recording.measured, recording.inside
    seconds = _seconds(inside)
    config = recording.config or typed(ConfigDocument, {}, str(recording.folder.config))
    outcomes: Counter[str] = Counter()
    for frame in inside:
        for row in frame.routes:
            outcomes[row.outcome] += row.count
    length_ns = sum(frame.len_ns for frame in inside)
    delays = [thread.run_delay_ns for frame in inside for thread in frame.threads]
    threads = max((len(frame.threads) for frame in inside), default=1)
    ceiling, witness = manifest.calibration, manifest.witness
    split = typed(GeneratorSplit, ceiling.split, str(recording.path)) if ceiling and ceiling.split else None
    open_model = config.arrivals.rate or config.arrivals.sessions
    others = witness.others if witness else None
    return ValidityEvidence(
        model=str(manifest.load.model),
        keep_alive=config.connections.keep_alive,
        is_plain=config.server.scheme == "http" and config.connections.protocol == "http1",
        has_websockets=any(route.protocol == "websocket" for route in config.routes),
        open_most=max((frame.open for frame in inside), default=0),
        seconds=length_ns / NS,
        due=sum(frame.due for frame in inside),
        sent=sum(frame.sent for frame in inside),
        unsent=sum(frame.unsent for frame in inside),
        no_connection=sum(frame.unsent_why.get("no_connection", 0) for frame in inside),
        capped=sum(frame.capped for frame in inside),
        opened=sum(frame.opened for frame in inside),
        answered=sum(frame.answered for frame in inside),
        completed=sum(frame.answered + frame.failed for frame in inside),
        outcomes=outcomes,
        lag=recording.histogram(kind="lag", from_ns=window.from_ns, to_ns=window.to_ns),
        wait=recording.histogram(kind="wait", from_ns=window.from_ns, to_ns=window.to_ns),
        response=_response(recording),
        second_busy=np.array([_busiest(group) for group in seconds]),
        second_in_flight=np.array([_mean_in_flight(group) for group in seconds]),
        second_p50_ms=np.array([_p50_ms(recording, group) for group in seconds]),
        run_delay_share=sum(delays) / (length_ns * threads) if length_ns else 0.0,
        ports_used=max((frame.ports for frame in inside), default=0),
        ports_range=max((frame.ports_range for frame in inside), default=0),
        fds=max((frame.fds for frame in inside), default=0),
        fds_limit=max((frame.fds_limit for frame in inside), default=0),
        # Numbers of the machine all the way: hours have millions of them.
        gaps_s=np.concatenate([np.zeros(0), *(frame.gaps_ns for frame in inside)]) / NS,
        planned_levels=tuple(sorted({frame.planned for frame in inside})),
        # What caches answer is no request: the others have neither the gaps nor the rate of the arrivals.
        spacing=open_model.spacing if open_model and config.cache is ABSENT else None,
        little=_little(recording),
        threads=threads,
        most_per_second=ceiling.per_second if ceiling else None,
        split=split,
        checks_body=all(route.checks_body for route in config.routes),
        unforeseen=_unforeseen(config.routes, inside),
        empty_routes=_empty(config.routes, inside),
        witness=witness,
        core_work_s=works_of(recording),
        frame_s=config.frame_s,
        stood_still_s=max(0.0, max((f.len_ns for f in inside), default=0) / NS - config.frame_s),
        host_stolen_share=_host_stolen_share(recording),
        others=others,
        sent_bytes=_sent_bytes(recording, others),
        served=counts(recording),
        steered=_steered(recording),
        shared_users=_shared_users(config),
        fleet=manifest.fleet.generators if manifest.fleet else (),
        order_s=manifest.fleet.order_us / 1e6 if manifest.fleet and manifest.fleet.order_us else None,
    )


def _response(recording: Recording) -> Histogram:
    """Return the response times of the good answers; of all requests where there was no good answer."""
    window = recording.measured
    good = recording.histogram(kind="response", outcome="ok", from_ns=window.from_ns, to_ns=window.to_ns)
    if good.count:
        return good
    return recording.histogram(kind="response", from_ns=window.from_ns, to_ns=window.to_ns)


def _shared_users(config: ConfigDocument) -> int:
    """Return the number of users that log in and to whom the arrivals of an open load are shared out."""
    if config.login is None:
        return 0
    if config.arrivals.rate:
        return config.arrivals.rate.identities
    return 1 if config.arrivals.replay else 0


def _steered(recording: Recording) -> tuple[str, ...]:
    """Return what a person ordered, with seconds from the start of the load."""
    start_ns = recording.manifest.start_ns or 0
    return tuple(
        TEXTS.s_from_start(event.text, f"{max(0.0, (event.t_ns - start_ns) / NS):.1f}")
        for event in recording.events
        if event.kind == "steered"
    )


def _seconds(frames: Sequence[Frame]) -> list[list[Frame]]:
    """Return frames joined into groups of at least a second; a short rest belongs to the last group."""
    groups: list[list[Frame]] = []
    current: list[Frame] = []
    for frame in frames:
        current.append(frame)
        if sum(f.len_ns for f in current) >= NEARLY_NS:
            groups.append(current)
            current = []
    if current:
        if groups:
            groups[-1].extend(current)
        else:
            groups.append(current)
    return groups


def _busiest(group: Sequence[Frame]) -> float:
    """Return the share of the time that the busiest generator thread was on a core."""
    length = sum(frame.len_ns for frame in group)
    threads = max((len(frame.threads) for frame in group), default=0)
    used = [sum(f.threads[i].cpu_ns for f in group if i < len(f.threads)) for i in range(threads)]
    return max(used, default=0) / length if length else 0.0


def _mean_in_flight(group: Sequence[Frame]) -> float:
    length = sum(frame.len_ns for frame in group)
    return sum(frame.in_flight_s for frame in group) / (length / NS) if length else 0.0


def _p50_ms(recording: Recording, group: Sequence[Frame]) -> float:
    # As a window a group begins where the frame before it ended.
    start, end = group[0].end_ns - 1, group[-1].end_ns
    histogram = recording.histogram(kind="response", outcome="ok", from_ns=start, to_ns=end)
    return histogram.quantile_ns(0.5) / 1e6 if histogram.count else float("nan")


def _host_stolen_share(recording: Recording) -> float:
    """Return the share stolen from all cores of this machine over the measured window.

    0 where nobody read it.
    """
    import numpy as np

    from loadrig.recording.steps import rates

    edges_ns = np.array([recording.measured.from_ns, recording.measured.to_ns])
    if edges_ns[1] <= edges_ns[0]:
        return 0.0
    steal = recording.series("system_cpu", "steal_s", None, HOST)
    shares = [
        float(rates(series, edges_ns)[0]) for key, series in steal.items() if key.subject.startswith("cpu")
    ]
    known_shares = [share for share in shares if np.isfinite(share)]
    return min(1.0, sum(known_shares) / len(known_shares)) if known_shares else 0.0


def _sent_bytes(recording: Recording, others: OthersDocument | None) -> int:
    """Return the bytes that the rig sent while connections of others were followed."""
    if others is None:
        return 0
    followed = (f for f in recording.frames if f.end_ns > others.from_ns and f.t_ns < others.to_ns)
    return sum(frame.bytes_out for frame in followed)


def _little(recording: Recording) -> tuple[float, float] | None:
    """Return the request-seconds by integrating requests in flight, and by summing responses.

    They must agree: over the whole run with its drain every request is whole, so this is an identity, not a
    law of averages. Requests never sent have no response to sum, so a run with such requests is not checked.
    """
    frames = recording.frames
    if not frames or not recording.manifest.end or any(frame.unsent for frame in frames):
        return None
    total = 0.0
    for route in recording.routes:
        histogram = recording.histogram(route=route, kind="response", classes=("service", "login"))
        total += histogram.mean_ns * histogram.count / NS
    return sum(frame.in_flight_s for frame in frames), total


def _unforeseen(routes: Sequence[RouteConfig], inside: Sequence[Frame]) -> dict[str, int]:
    """Return the redirects that count as good answers because no route says which status it expects."""
    if any(route.expect.status for route in routes):
        return {}
    redirects: Counter[str] = Counter()
    for frame in inside:
        # 304 is asked for with a header and is no redirect.
        redirects.update(
            {status: n for status, n in frame.status.items() if status.startswith("3") and status != "304"}
        )
    return dict(redirects)


def _empty(routes: Sequence[RouteConfig], inside: Sequence[Frame]) -> tuple[str, ...]:
    """Return the routes that GET something, check nothing of it, and never got a byte of it."""
    unchecked = {
        route.name
        for route in routes
        if route.method == "GET" and not route.expect.status and not route.checks_body
    }
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for frame in inside:
        for row, received in zip(frame.routes, frame.route_bytes, strict=True):
            if row.route in unchecked and row.outcome == "ok":
                counts[row.route] += row.count
                sizes[row.route] += received
    return tuple(name for name, n in counts.items() if n and not sizes[name])
