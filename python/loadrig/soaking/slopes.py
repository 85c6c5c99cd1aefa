"""Growth of a level, by request and by time, of all its processes together, with restarts cut out.

Each process is looked at by itself, by its least value in each of some forty blocks of the run, so that what
is freed soon is left out, however the processes take turns. The courses of processes that lived throughout
are added up; those of processes that were restarted are laid on each other by their age (see lives). What
each process leaves behind with every request of all is then added up over those that worked at a time: the
whole server's growth with a request. Source: issue 7 and methods of leaks; the tests of shape are
stats.growth's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from loadrig.soaking import lives
from loadrig.soaking.served import Served
from loadrig.soaking.shape import BLOCKS, FEWEST_BLOCKS_OF_SHAPE, Shape, least_of_blocks, shape
from loadrig.stats.arrays import Floats
from loadrig.stats.slope import Slope, slope

Word = Literal["leaks", "fills", "made", "level", "little", "unsure"]
"""Verdict on the growth of a level. leaks: it grows without end. fills: it bends. made: it grew in a few
rises. level: it did not grow. little: endless, but by less than matters. unsure: too few readings."""

EDGES_S = 4.0
"""Time at both ends of a run in which a process may be without a reading, in seconds: it is first read
some seconds after the load has begun, and every second or two."""

LASTED = 0.9
"""Share of the time that a process must have lived to count as lasting and not as one of several lives."""

FEWER = (20, 12)
"""Numbers of blocks that are tried where with more blocks no growth is seen."""

COUNT_BLOCKS = 15
"""Number of blocks for whole numbers, which stand still for a while and then rise."""

VARIED = 0.03
"""Spread of the requests a second over the blocks, as a share of the mean, from which on growth by
requests can be told from growth by time."""

BETTER_SLOPE = 6.0
"""Difference of BIC by which growth by requests or by time must fit better, to say which the level follows
(Raftery 1995)."""


@dataclass(frozen=True, eq=False)
class Readings:
    """Readings of one level of one process.

    subject: "pid:12". t_s, level: float64[n], in the order of time, known values. born_s: when the process
    began, where that was seen.
    """

    subject: str
    t_s: Floats
    level: Floats
    born_s: float | None = None


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


OF_MEMORY = Matters(least=4e6, of_level=0.02, a_request=20.0)
"""Growth of memory that matters. Pools, buffers and code that are made once in a worker take a few
megabytes. A leak of 20 bytes a request is 1 GB in six days at 100 requests a second."""

OF_LIFE = 0.25
"""Share of OF_MEMORY's least growth that one life must show: what is made once in each life is less than a
megabyte."""

OF_COUNTS = Matters(least=40, of_level=0.3)
"""Growth of counts that matters: pools of descriptors, threads and connections grow by less after the
warm-up."""


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

    word: Word
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
    readings: Sequence[Readings], served: Served, matters: Matters = OF_MEMORY, blocks: int = BLOCKS
) -> Slopes:
    """Return how a level grew that is the sum over some processes.

    blocks: COUNT_BLOCKS for whole numbers. Where some processes lasted and others were restarted, those count
    that leak; where neither do, those that lasted.
    """
    known = [process for process in readings if process.t_s.size]
    if not known:
        return Slopes("unsure")
    from_s, to_s = served.t_s[0], served.t_s[-1]
    lasting = [
        process for process in known if process.t_s[-1] - process.t_s[0] >= LASTED * (to_s - from_s) - EDGES_S
    ]
    ended = [process for process in known if process not in lasting]
    of_lasting = _lasting_slopes(lasting, served, matters, blocks) if lasting else Slopes("unsure")
    of_lives = _lives_slopes(ended, served, matters) if len(ended) >= lives.FEWEST_LIVES else Slopes("unsure")
    if of_lives.is_leak and not of_lasting.is_leak:
        return of_lives
    return of_lasting if of_lasting.word != "unsure" else of_lives


def _lasting_slopes(lasting: Sequence[Readings], served: Served, matters: Matters, blocks: int) -> Slopes:
    from_s = max(float(process.t_s[0]) for process in lasting)
    to_s = min(float(process.t_s[-1]) for process in lasting)
    fewest = min(int(((process.t_s >= from_s) & (process.t_s <= to_s)).sum()) for process in lasting)
    count = min(blocks, fewest)
    if count < FEWEST_BLOCKS_OF_SHAPE:
        return Slopes("unsure", workers=len(lasting))
    course_shape, x, t, table = None, *_blocks(lasting, served, from_s, to_s, count)
    for fewer in (count, *(some for some in FEWER if some < count)):
        # What is freed only at times hides growth in short blocks, but not in long ones.
        row = _blocks(lasting, served, from_s, to_s, fewer)
        candidate = shape(row[0], row[2].sum(axis=0))
        if candidate is not None and (course_shape is None or candidate.word == "endless"):
            course_shape, (x, t, table) = candidate, row
        if course_shape is not None and course_shape.word not in ("level", "made"):
            break  # fewer blocks would only hide that the course bends
    if course_shape is None:
        return Slopes("unsure", workers=len(lasting))
    total = table.sum(axis=0)
    kept = np.isin(x, course_shape.x)
    grown = course_shape.slope.value * float(course_shape.x[-1] - course_shape.x[0])
    by_process = {
        process.subject: line
        for process, row in zip(lasting, table, strict=True)
        if (line := slope(x[kept], row[kept])) is not None
    }
    return Slopes(
        word=_word(course_shape, matters, grown, float(total[0])),
        a_request=course_shape.slope,
        an_hour=slope(t[kept] / 3600, course_shape.y),
        late=_late(x, total),
        follows=_follows(x[kept], t[kept], course_shape.y),
        level=float(total[-1]),
        grown=grown,
        by_process=by_process,
        shape=course_shape,
        workers=float(len(lasting)),
    )


def _late(x: Floats, y: Floats) -> Slope | None:
    """Return the slope of the last half."""
    late = x >= (x[0] + x[-1]) / 2
    return slope(x[late], y[late])


def _blocks(
    lasting: Sequence[Readings], served: Served, from_s: float, to_s: float, count: int
) -> tuple[Floats, Floats, Floats]:
    """Return blocks of equally many requests: middles in requests and in seconds, least of each process."""
    ends = served.at([from_s, to_s])
    x_edges = np.linspace(ends[0], ends[1], count + 1)
    t_edges = np.interp(x_edges, served.requests, served.t_s)
    t_edges[0], t_edges[-1] = from_s, np.nextafter(to_s, np.inf)
    table = np.array([least_of_blocks(process.t_s, process.level, t_edges) for process in lasting])
    good = np.isfinite(table).all(axis=0)
    return (x_edges[:-1] + x_edges[1:])[good] / 2, (t_edges[:-1] + t_edges[1:])[good] / 2, table[:, good]


def _word(course_shape: Shape, matters: Matters, grown: float, first: float) -> Word:
    if course_shape.word != "endless":
        return course_shape.word
    return "leaks" if matters.holds(grown, first, course_shape.slope.value) else "little"


def _lives_slopes(ended: Sequence[Readings], served: Served, matters: Matters) -> Slopes:
    """Return how a level of restarted processes grew: each serves a share of the requests that all count."""
    laid = lives.laid([(process.t_s, process.level, process.born_s) for process in ended], served)
    if laid is None:
        return Slopes("unsure", lives=len(ended))
    workers = laid.workers
    grown = laid.slope.value * laid.length
    # Restarts hide most of the growth: the sum over all lives must matter.
    total = laid.slope.value * workers * float(served.requests[-1] - served.requests[0])
    is_much = (
        matters.holds(total, laid.birth, laid.slope.value * workers) and grown >= OF_LIFE * matters.least
    )
    word: Word = "level"
    if laid.shape is not None:
        word = laid.shape.word if laid.shape.word != "endless" else "leaks" if is_much else "little"
    rate = served.a_second
    return Slopes(
        word=word,
        a_request=laid.slope.times(workers),
        an_hour=laid.slope.times(workers * rate * 3600) if rate > 0 else None,
        level=laid.last * workers,
        grown=grown,
        shape=laid.shape,
        lives=laid.count,
        workers=workers,
    )


def _follows(x: Floats, t: Floats, y: Floats) -> str:
    """Return whether a level follows requests or time; empty where the load varied too little to tell."""
    rates = np.diff(x) / np.diff(t)
    if rates.size < FEWEST_BLOCKS_OF_SHAPE or np.std(rates) < VARIED * np.mean(rates):
        return ""
    rests = []
    for at in (x, t):
        u, v = at - at.mean(), y - y.mean()
        rest = v - float(u @ v) / float(u @ u) * u
        rests.append(float(rest @ rest) + 1e-300)
    better = y.size * float(np.log(rests[1] / rests[0]))
    return "requests" if better >= BETTER_SLOPE else "time" if better <= -BETTER_SLOPE else ""
