"""Accounts of routes: the time of a route, and what its requests take of cores, dependencies and disks.

The generator knows how long a request of a route takes, and how long it waited before it was sent. What the
server's sockets and processes show has no route on it; but where the mix of the routes varies, requests in
a state are the sum over the routes of their rate times their time in it (Little's law, for each route), which
a non-negative regression takes apart. That holds for what a request takes by itself. In a queue it waits for
requests of other routes, so queues are never divided. What is not known within the bounds that hold for a
line of the account (a tenth of the route's time, or a millisecond) is left out and said by name.
Source: Lawson & Hanson 1974, Solving Least Squares Problems, ch. 23.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from loadrig.account import states
from loadrig.account.document import LineDocument, UnseenDocument
from loadrig.account.growth import BLOCK_S
from loadrig.account.load import LoadSeries
from loadrig.account.means import Draw, draw
from loadrig.account.observations import Observations
from loadrig.account.trial_account import MS, components_under_load
from loadrig.base.later import Later
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountRoutesTexts
from loadrig.recording.reader import Recording
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

TEXTS = texts_of(AccountRoutesTexts)

MOST_ROUTES = 8
"""Largest number of routes with an account: those that take most of the time. The histograms of each cost
some milliseconds."""

KNOWN_SHARE, KNOWN_MS = 0.1, 1.0
"""Half width of an interval up to which a line counts as known: a share of the route's time, and
milliseconds. The larger of the two holds."""

FEWEST_A_COLUMN = 4
"""Least number of steps for each route that a regression needs."""

QUEUES = TEXTS.queues


@dataclass(frozen=True, slots=True)
class Timed:
    """The generator's knowledge of a route, by step.

    rate: requests that ended, per second. response: seconds from due to ended; service: seconds from sent to
    ended; both per second. float64[n] on the steps of the load.
    """

    route: str
    rate: Floats
    response: Floats
    service: Floats


@dataclass(frozen=True, slots=True)
class RouteAccount:
    """The account of one route. total_ms: how long a request takes. lines: known lines, as in `LineDocument`.

    rest_ms: the total less the lines. requests_per_s: requests that ended. unseen: states that are not known.
    """

    route: str
    requests_per_s: float
    total_ms: float
    total_interval: tuple[float, float] | None
    lines: tuple[LineDocument, ...]
    unseen: tuple[UnseenDocument, ...]

    @property
    def rest_ms(self) -> float:
        """The total less the lines."""
        return self.total_ms - sum(line.ms for line in self.lines)


def routes_of(recording: Recording) -> tuple[RouteAccount, ...]:
    """Return the accounts of the routes, the one that takes most time first.

    Empty where routes do not differ.
    """
    return recording.remembered(__name__, lambda: _routes_of(recording))


def _routes_of(recording: Recording) -> tuple[RouteAccount, ...]:
    observations = components_under_load(recording)
    if observations is None:
        return ()
    tiers, load = observations
    server = next((component for component in tiers if component.is_loaded), None)
    counts = _counts(recording, load)
    if server is None or len(counts) < 2:
        return ()
    # What few requests took cannot be told, and is little; a request of any route may be a long one, though.
    busiest = sorted(counts, key=lambda name: -float(counts[name].sum()))[:MOST_ROUTES]
    timed = [_timed(recording, load, name, counts[name]) for name in busiest]
    others = [counts[name] for name in counts if name not in busiest]
    return routes(server, load, timed, others)


def routes(
    server: Observations, load: LoadSeries, timed: Sequence[Timed], others: Sequence[Floats] = ()
) -> tuple[RouteAccount, ...]:
    """Return the accounts of these routes; empty where no two of them surely differ.

    others: rates of other routes that were sent, such as logins, in requests per second by step.
    """
    drawn = draw(load, load.is_measured, BLOCK_S)
    if drawn is None:
        return ()
    sent = [route for route in timed if float(route.rate[load.is_measured].sum()) > 0]
    takes = _takes(server, drawn, sent, others)
    accounts = [_route(route, drawn, takes, place) for place, route in enumerate(sent)]
    accounts.sort(key=lambda route: -route.requests_per_s * route.total_ms)
    return tuple(accounts) if any(_differ(a, b) for a, b in combinations(accounts, 2)) else ()


def _differ(route: RouteAccount, other_route: RouteAccount) -> bool:
    if route.total_interval is None or other_route.total_interval is None:
        return False
    low, high = sorted((route, other_route), key=lambda account: account.total_ms)
    assert low.total_interval is not None
    assert high.total_interval is not None
    return low.total_interval[1] < high.total_interval[0]


Takes = Mapping[tuple[str, str], "tuple[Floats, str] | None"]
"""Seconds that a request spends in a state, float64[routes, draws], and their source; None where not
known."""


def _route(timed: Timed, drawn: Draw, takes: Takes, place: int) -> RouteAccount:
    rate = _mean(drawn, timed.rate)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = np.nan_to_num(_mean(drawn, timed.response) / rate) * MS
        before = np.nan_to_num(_mean(drawn, timed.response - timed.service) / rate) * MS
    lines = [_line(states.GENERATOR, "", before, drawn, TEXTS.generator_response_less)]
    unseen = [UnseenDocument(QUEUES, TEXTS.requests_all_routes)]
    for (state, dependency), take in takes.items():
        times = None if take is None else take[0][place] * MS
        line = None if times is None or take is None else _line(state, dependency, times, drawn, take[1])
        if line is not None and _is_known(line, float(total[0])):
            lines.append(line)
        else:
            name = f"{state} {dependency}".strip()
            unseen.append(UnseenDocument(name, TEXTS.mix_routes_varies))
    return RouteAccount(
        timed.route,
        float(rate[0]),
        float(total[0]),
        drawn.interval(total),
        tuple(sorted(lines, key=lambda line: (states.ORDER[line.state], line.of))),
        tuple(unseen),
    )


def _line(state: str, dependency: str, ms: Floats, drawn: Draw, source: str) -> LineDocument:
    interval = drawn.interval(ms)
    if interval is not None:
        interval = max(0.0, interval[0]), interval[1]
    return LineDocument(state, dependency, max(0.0, float(ms[0])), interval, source)


def _is_known(line: LineDocument, total_ms: float) -> bool:
    if line.interval is None:
        return False
    half = max(line.interval[1] - line.ms, line.ms - line.interval[0])
    return half <= max(KNOWN_SHARE * total_ms, KNOWN_MS)


def _takes(server: Observations, drawn: Draw, timed: Sequence[Timed], others: Sequence[Floats]) -> Takes:
    """Return how long a request of each route is in each state by itself.

    The number of requests in a state is regressed on the rates of the routes.
    """
    numbers: dict[tuple[str, str], tuple[Floats, str]] = {}
    if server.running is not None:
        numbers[states.RUNNING, ""] = server.running, "process.cpu_s"
    for call in server.calls:
        numbers[states.AWAITING, call.of] = call.awaiting, "socket_stages.awaiting"
    rates = [route.rate for route in timed] + [rate for rate in others if rate.any()]
    takes: dict[tuple[str, str], tuple[Floats, str] | None] = {}
    for key, (values, series) in numbers.items():
        times = _regressed(values, rates, drawn)
        source = TEXTS.regression_rates_routes(series)
        takes[key] = None if times is None else (times[: len(timed)], source)
    return takes


def _regressed(values: Floats, rates: Sequence[Floats], drawn: Draw) -> "Floats | None":
    """Return seconds per request by regression, float64[routes, draws]; None with too few steps.

    The constant of the regression belongs to no route.
    """
    # Not at the top: it imports numpy.
    from loadrig.stats.least_squares import non_negative

    y = values[drawn.is_in]
    is_known = np.isfinite(y)
    x = np.column_stack([np.ones(int(is_known.sum())), *(rate[drawn.is_in][is_known] for rate in rates)])
    if x.shape[0] < FEWEST_A_COLUMN * x.shape[1]:
        return None
    # Columns of one size: the solver judges what is 0 by an absolute size.
    sizes = np.maximum(x.max(axis=0), 1e-12)
    root = np.sqrt(drawn.weights[:, is_known])
    coefficients = [
        non_negative(x / sizes * weight[:, None], y[is_known] * weight)[0] / sizes for weight in root
    ]
    seconds: Floats = np.array(coefficients).T[1:]
    return seconds


def _mean(drawn: Draw, values: Floats) -> Floats:
    means = drawn.mean(values)
    return np.zeros(drawn.rate.size) if means is None else means


def _counts(recording: Recording, load: LoadSeries) -> dict[str, Floats]:
    """Return the requests that ended per second in each step, by route."""
    counts: dict[str, Floats] = {}
    for frame in recording.frames:
        step = int(np.searchsorted(load.edges_ns, frame.end_ns - 1, side="right")) - 1
        for row in frame.routes:
            if 0 <= step < load.seconds.size:
                rate = counts.setdefault(row.route, np.zeros(load.seconds.size))
                rate[step] += row.count / load.seconds[step]
    return counts


def _timed(recording: Recording, load: LoadSeries, route: str, rate: Floats) -> Timed:
    edges = [int(edge) for edge in load.edges_ns]

    def seconds(kind: str) -> Floats:
        histograms = recording.histograms(edges, route=route, kind=kind, classes=("service", "login"))
        total = np.array(
            [
                histogram.mean_ns * histogram.count / 1e9 if histogram.count else 0.0
                for histogram in histograms
            ]
        )
        return total / load.seconds

    return Timed(route, rate, seconds("response"), seconds("service"))
