"""Growth of a level, by request and by time, of all its processes together, with restarts cut out.

Each process is looked at by itself, by its least value in each of some forty blocks of the run, so that what
is freed soon is left out, however the processes take turns. The courses of processes that lived throughout
are added up; those of processes that were restarted are laid on each other by their age (see lives). What
each process leaves behind with every request of all is then added up over those that worked at a time: the
whole server's growth with a request. A level is set against requests, not against time: what leaks with each
request has the same slope at twice the load.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from loadrig.judgement.facts import lives
from loadrig.judgement.facts.readings import ProcessReadings, RequestCount
from loadrig.stats.arrays import Floats
from loadrig.stats.limits import BETTER_BIC, BLOCKS, FEWEST_BLOCKS
from loadrig.stats.shape import Shape, least_of_blocks, shape
from loadrig.stats.slope import Slope, slope

GrowthWord = Literal["leaks", "fills", "made", "level", "little", "unsure"]
"""Verdict on the growth of a level. leaks: it grows without end. fills: it bends. made: it grew in a few
rises. level: it did not grow. little: endless, but by less than matters. unsure: too few readings."""

EDGES_S = 4.0
"""Time at both ends of a run in which a process may be without a reading, in seconds, beside the time between
its readings: it is first read some seconds after the load has begun."""

LASTED = 0.9
"""Share of the time that a process must have lived to count as lasting and not as one of several lives."""

FEWER = (20, 12)
"""Numbers of blocks that are tried where with more blocks no growth is seen: what is freed only at times
hides growth in short blocks, but not in long ones."""

COUNT_BLOCKS = 15
"""Number of blocks for whole numbers, which stand still for a while and then rise."""

VARIED = 0.03
"""Spread of the requests a second over the blocks, as a share of the mean, from which on growth by
requests can be told from growth by time."""


@dataclass(frozen=True, slots=True)
class Matters:
    """Growth from which on a level is reported.

    least: growth in all. of_level: share of what was there. a_request: growth with each request. in_use: how
    much of the growth requests in flight may hold.
    """

    least: float = 0.0
    of_level: float = 0.0
    a_request: float = 0.0
    in_use: float = 0.0

    def holds(self, grown: float, first: float, a_request: float) -> bool:
        """Return whether a growth matters."""
        return grown - self.in_use >= max(self.least, self.of_level * first) and a_request >= self.a_request


SHORT_S, SOAK_S = 180.0, 600.0
"""Lengths of a short run and of a soak, in seconds. A cache that fills for minutes grows along a line for
seconds; methods of soaks ask for ten minutes before anything small is called a leak."""

OF_MEMORY = Matters(least=4e6, of_level=0.02, a_request=20.0)
"""Growth of memory that matters in a soak, in bytes. Pools, buffers and code that are made once in a worker
take a few megabytes. A leak of 20 bytes a request is 1 GB in six days at 100 requests a second."""

OF_MEMORY_IN_MINUTES = replace(OF_MEMORY, a_request=200.0)
"""Growth of memory that matters in a run of less than SOAK_S: what is made once and slowly is larger there
than what so small a leak leaves."""

OF_MEMORY_AT_FIRST = replace(OF_MEMORY_IN_MINUTES, of_level=0.15)
"""Growth of memory that matters in a run of less than SHORT_S: a cache fills by less in so short a time."""

OF_COUNTS = Matters(least=40, of_level=0.3)
"""Growth of counts that matters: pools of descriptors, threads and connections grow by less after the
warm-up."""

OF_LIFE = 0.25
"""Share of the least growth that one life must show: what is made once in each life is less than a
megabyte."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """Growth of one level of a program.

    a_request: growth of all its processes with a request of all. an_hour: growth with an hour at the load of
    the run. Both are None with too few readings. late: growth with a request in the last half, which bounds
    any leak beneath what fills. follows: "requests" or "time", empty where the load varied too little to
    tell. level: level at the end of all processes that worked then. grown: growth in the run; for lives, in a
    whole life. by_process: growth a request of the processes that lasted, by subject. shape: shape of the
    course that was judged. lives: number of lives that were laid on each other; 0 for processes that lasted.
    workers: processes at a time.
    """

    word: GrowthWord
    a_request: Slope | None = None
    an_hour: Slope | None = None
    late: Slope | None = None
    follows: str = ""
    level: float = 0.0
    grown: float = 0.0
    by_process: dict[str, Slope] = field(default_factory=dict)
    shape: Shape | None = None
    lives: int = 0
    workers: float = 0.0

    @property
    def most(self) -> float:
        """Return the greatest possible growth with a request, without what was filled by half time."""
        ends = [line.high for line in (self.a_request, self.late) if line is not None]
        return min(ends, default=math.inf)

    @property
    def is_leak(self) -> bool:
        """Return whether the level grows without end."""
        return self.word == "leaks"


def slopes(
    readings: Sequence[ProcessReadings],
    served: RequestCount,
    matters: Matters = OF_MEMORY,
    blocks: int = BLOCKS,
) -> Slopes:
    """Return how a level grew that is the sum over some processes.

    blocks: COUNT_BLOCKS for whole numbers. Where some processes lasted and others were restarted, those count
    that leak; where neither do, those that lasted.
    """
    least_s = LASTED * float(served.t_s[-1] - served.t_s[0]) - EDGES_S
    lasting: list[ProcessReadings] = []
    ended: list[ProcessReadings] = []
    for process in readings:
        if process.t_s.size:
            lived_s = process.t_s[-1] - process.t_s[0] + 2 * process.spacing_s
            (lasting if lived_s >= least_s else ended).append(process)
    of_lasting = _lasting_slopes(lasting, served, matters, blocks) if lasting else Slopes("unsure")
    of_lives = _lives_slopes(ended, served, matters)
    if of_lives.is_leak and not of_lasting.is_leak:
        return of_lives
    return of_lasting if of_lasting.word != "unsure" else of_lives


def _lasting_slopes(
    lasting: Sequence[ProcessReadings], served: RequestCount, matters: Matters, blocks: int
) -> Slopes:
    from_s = max(float(process.t_s[0]) for process in lasting)
    to_s = min(float(process.t_s[-1]) for process in lasting)
    fewest = min(int(((process.t_s >= from_s) & (process.t_s <= to_s)).sum()) for process in lasting)
    count = min(blocks, fewest)
    unsure = Slopes("unsure", workers=len(lasting))
    if count < FEWEST_BLOCKS:
        return unsure
    course_shape, x, t, table = None, *_blocks(lasting, served, from_s, to_s, count)
    for fewer in (count, *(some for some in FEWER if some < count)):
        row = _blocks(lasting, served, from_s, to_s, fewer)
        candidate = shape(row[0], row[2].sum(axis=0))
        if candidate is not None and (course_shape is None or candidate.word == "endless"):
            course_shape, (x, t, table) = candidate, row
        if course_shape is not None and course_shape.word not in ("level", "made"):
            break  # fewer blocks would only hide that the course bends
    if course_shape is None:
        return unsure
    total = table.sum(axis=0)
    judged = np.isin(x, course_shape.x)
    late = x >= (x[0] + x[-1]) / 2
    grown = course_shape.slope.value * float(course_shape.x[-1] - course_shape.x[0])
    word: GrowthWord = course_shape.word if course_shape.word != "endless" else "little"
    if word == "little" and matters.holds(grown, float(total[0]), course_shape.slope.value):
        word = "leaks"
    return Slopes(
        word=word,
        a_request=course_shape.slope,
        an_hour=slope(t[judged] / 3600, course_shape.y),
        late=slope(x[late], total[late]),
        follows=_follows(x[judged], t[judged], course_shape.y),
        level=float(total[-1]),
        grown=grown,
        by_process={
            process.subject: line
            for process, row in zip(lasting, table, strict=True)
            if (line := slope(x[judged], row[judged])) is not None
        },
        shape=course_shape,
        workers=float(len(lasting)),
    )


def _blocks(
    lasting: Sequence[ProcessReadings], served: RequestCount, from_s: float, to_s: float, count: int
) -> tuple[Floats, Floats, Floats]:
    """Return blocks of equally many requests: places in requests and in seconds, least of each process."""
    ends = served.at([from_s, to_s])
    x_edges = np.linspace(ends[0], ends[1], count + 1)
    t_edges = np.interp(x_edges, served.requests, served.t_s)
    t_edges[0], t_edges[-1] = from_s, np.nextafter(to_s, np.inf)
    rows = [least_of_blocks(process.t_s, process.level, t_edges) for process in lasting]
    table = np.array([level for _, level in rows])
    good = np.isfinite(table).all(axis=0)
    t = np.mean([places[good] for places, _ in rows], axis=0)
    return served.at(t), t, table[:, good]


def _lives_slopes(ended: Sequence[ProcessReadings], served: RequestCount, matters: Matters) -> Slopes:
    """Return how a level of restarted processes grew: each serves a share of the requests that all count."""
    laid = lives.laid(ended, served)
    if laid is None:
        return Slopes("unsure", lives=len(ended))
    a_request = laid.slope.times(laid.workers)
    grown = laid.slope.value * laid.length
    # Restarts hide most of the growth: the sum over all lives must matter.
    total = a_request.value * float(served.requests[-1] - served.requests[0])
    is_much = matters.holds(total, laid.birth, a_request.value) and grown >= OF_LIFE * matters.least
    word: GrowthWord = "level"
    if laid.shape is not None:
        word = laid.shape.word if laid.shape.word != "endless" else "leaks" if is_much else "little"
    return Slopes(
        word=word,
        a_request=a_request,
        an_hour=a_request.times(served.a_second * 3600) if served.a_second > 0 else None,
        level=laid.last * laid.workers,
        grown=grown,
        shape=laid.shape,
        lives=laid.count,
        workers=laid.workers,
    )


def _follows(x: Floats, t: Floats, y: Floats) -> str:
    """Return whether a level follows requests or time; empty where the load varied too little to tell."""
    rates = np.diff(x) / np.diff(t)
    if rates.size < FEWEST_BLOCKS or np.std(rates) < VARIED * np.mean(rates):
        return ""
    rests = []
    for at in (x, t):
        u, v = at - at.mean(), y - y.mean()
        rest = v - float(u @ v) / float(u @ u) * u
        rests.append(float(rest @ rest) + 1e-300)
    better = y.size * float(np.log(rests[1] / rests[0]))
    return "requests" if better >= BETTER_BIC else "time" if better <= -BETTER_BIC else ""
