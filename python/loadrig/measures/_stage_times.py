"""Time of a request in each stage, from the number of sockets in it: Little's law, W = N / X.

N is the mean number of sockets in a stage, as the probe `socket_stages` sees it at random instants; X the
answers a second that the generator counts. What belongs here is that division with its interval; which
dependency a group of sockets is, and what the times add up to, is for those who make an account of it.

Source: Little 1961, Operations Research 9, 383-387.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loadrig.base.component import SERVER
from loadrig.base.estimate import Estimate
from loadrig.base.later import Later
from loadrig.base.series import Series
from loadrig.measures._observed import per_answer
from loadrig.measures._steps import Floats, no_interval, steps
from loadrig.recording.reader import Recording
from loadrig.recording.steps import LEAST_GAP_S

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = Later("numpy")

PROBE = "socket_stages"

NS = 1_000_000_000

SERVED = ("opening", "not_accepted", "unread", "in_hand", "sending", "unacknowledged", "abandoned")
"""Stages of a group "in:…" in which something is under way."""

CALLED = ("connecting", "awaiting", "answer_unread")
"""Stages of a group "out:…" in which something is under way."""

AT_REST = ("idle", "closing", "unclear")
"""Stages of either group in which nothing is known to be under way."""

STAGES = (*SERVED, *CALLED, *AT_REST)

SPLIT = frozenset({"in_hand", "awaiting", "idle"})
"""Stages to which half of the ties was counted: their numbers may be off by as much."""

LONGEST_GAP_S = 12.0
"""Longest time in seconds between two samples with looks; in a longer gap nothing is known.
The probe looks every 5 s on average at the least, so in one of ten such gaps its looks are merely late."""

MULTIPLEXED = "several requests share a connection (HTTP/2): it counts as one, so the time is a lower bound"


@dataclass(frozen=True, slots=True)
class StageTime:
    """Stage of a group of a component's sockets, in the measured window.

    group: "in:PORT" or "out:ADDRESS:PORT", as the probe names it. number: mean number of sockets in the
    stage. time: seconds of it for each answer of the load, with a 95 % interval, widened by what ties leave
    open; None where no answer came. looks: how many looks the number is of. tied: mean number of sockets of
    the group of which nothing tells whether they are idle.
    """

    component: str
    group: str
    stage: str
    number: float
    time: Estimate | None
    looks: int
    tied: float


@dataclass(frozen=True, slots=True)
class _Looks:
    """Samples with looks. t_ns: int64[n + 1], increasing: edges of intervals; looks: float64[n], in each."""

    t_ns: "NDArray[np.int64]"
    looks: Floats


def stage_times(recording: Recording, component: str = SERVER) -> tuple[StageTime, ...]:
    """Return all stages that were ever seen of a component, by group in the order of their names.

    The times of a dependency are for each answer of the load too: what a request costs there in all its
    calls. Other clients of the dependency are in them. Empty where the component was not observed.
    """
    return recording.remembered((__name__, component), lambda: tuple(_times(recording, component)))


def time_per_call(stage: StageTime, calls_per_s: float) -> float:
    """Return the seconds that one call spends in a stage, for a dependency whose calls were counted.

    Raises ValueError unless calls_per_s is above zero.
    """
    if calls_per_s <= 0:
        raise ValueError("calls_per_s must be above zero")
    return stage.number / calls_per_s


def _times(recording: Recording, component: str) -> list[StageTime]:
    looks = _looks(recording, component)
    if looks is None:
        return []
    by_group: dict[str, dict[str, Series]] = {}
    for key, series in recording.series(PROBE, None, None, component).items():
        by_group.setdefault(key.subject, {})[key.metric] = series
    by_group.pop("", None)  # the series of the component as a whole
    stages = []
    for group in sorted(by_group):
        stages += _of_group(recording, component, group, by_group[group], looks)
    return stages


def _of_group(
    recording: Recording, component: str, group: str, series: Mapping[str, Series], looks: _Looks
) -> list[StageTime]:
    edges = np.array(steps(recording).edges_ns)
    answered = steps(recording).answered
    tied = _amounts(series.get("tied"), looks, edges)
    covered = np.isfinite(tied)
    if not covered.any():
        return []
    seconds = np.diff(edges)[covered] / NS
    inside = (looks.t_ns[1:] > edges[0]) & (looks.t_ns[1:] <= edges[-1])
    count = int(looks.looks[inside].sum())
    tied_number = float(tied[covered].sum() / seconds.sum())
    stages = []
    for stage in STAGES:
        if stage not in series:
            continue
        amounts = _amounts(series[stage], looks, edges)[covered]
        open_share = tied[covered].sum() / 2 if stage in SPLIT else 0.0
        time = _time(amounts, answered[covered], float(open_share), _warnings(recording, group))
        number = float(amounts.sum() / seconds.sum())
        stages.append(StageTime(component, group, stage, number, time, count, tied_number))
    return stages


def _time(amounts: Floats, answered: Floats, unknown: float, warnings: tuple[str, ...]) -> Estimate | None:
    """Estimate the seconds for each answer. amounts: socket-seconds of each step.

    unknown: socket-seconds of the whole window by which the sum of amounts may be larger or smaller.
    """
    n = int(answered.sum())
    if not n:
        return None
    value, low, high = per_answer(amounts, answered)
    if low is None or high is None:
        return Estimate(value, "s", n=n, of="answers", warnings=(*warnings, no_interval("answers")))
    low, high = max(0.0, low - unknown / n), high + unknown / n
    return Estimate(value, "s", low, high, n=n, of="answers", warnings=warnings)


def _warnings(recording: Recording, group: str) -> tuple[str, ...]:
    """Return why a group has fewer sockets than requests; of calls to dependencies nobody knows that."""
    connections: Mapping[str, Any] = recording.config.get("connections", {})
    is_multiplexed = group.startswith("in:") and connections.get("protocol") == "http2"
    return (MULTIPLEXED,) if is_multiplexed else ()


def _looks(recording: Recording, component: str) -> _Looks | None:
    """Return samples with looks; None where there are fewer than two, as the first has no known beginning."""
    series = next(iter(recording.series(PROBE, "looks", "", component).values()), None)
    if series is None:
        return None
    # Late looks, too, stand for the whole time since the last looks: their instants are random.
    has_looks = series.value > 0
    t_ns, value = series.t_ns[has_looks], series.value[has_looks]
    return _Looks(t_ns, value[1:]) if t_ns.size > 1 else None


def _amounts(series: Series | None, looks: _Looks, edges: "NDArray[np.int64]") -> Floats:
    """Return the socket-seconds of a stage between neighbouring edges: float64, NaN where nobody looked.

    series: None for a stage in which no socket ever was. An interval of which there is no value had none.
    """
    lengths = np.diff(looks.t_ns) / NS
    numbers = np.zeros(lengths.size)
    if series is not None:
        places = np.searchsorted(series.t_ns, looks.t_ns[1:])
        places = np.minimum(places, series.t_ns.size - 1)
        numbers = np.where(series.t_ns[places] == looks.t_ns[1:], series.value[places], 0.0)
    is_unknown = lengths > LONGEST_GAP_S
    at = edges.astype(np.float64)
    amount_until = np.concatenate([[0.0], np.cumsum(np.where(is_unknown, 0.0, numbers * lengths))])
    unknown_until = np.concatenate([[0.0], np.cumsum(np.where(is_unknown, lengths, 0.0))])
    t_ns = looks.t_ns.astype(np.float64)
    amounts: Floats = np.diff(np.interp(at, t_ns, amount_until))
    outside = (at[:-1] < t_ns[0]) | (at[1:] > t_ns[-1])
    amounts[outside | (np.diff(np.interp(at, t_ns, unknown_until)) > LEAST_GAP_S)] = np.nan
    return amounts
