"""Growth of a level, by request and by time, of all its processes together, with restarts cut out.

Each process is looked at by itself: what it had least in each of some forty blocks of the run, so that what
is freed soon is left out, however the processes take turns. Those that lived throughout are added up; those
that were restarted are laid on each other by their age (see lives). What each leaves behind with every
request of all is then added up over those that worked at a time: the whole server's growth with a request.
Source: issue 7 and methods of leaks; the tests of shape are stats.growth's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from loadrig.soaking import lives
from loadrig.soaking.served import Served
from loadrig.soaking.shape import BLOCKS, FEWEST_BLOCKS, Shape, least_of_blocks, shape
from loadrig.stats.arrays import Floats
from loadrig.stats.slope import Slope, slope

Word = Literal["leaks", "fills", "made", "level", "little", "unsure"]
"""leaks: grows without end. fills: bends. made: in a few rises. level: no growth. little: endless, but by
less than matters. unsure: too few readings."""

EDGES_S = 4.0
"""A process is first read some seconds after the load has begun, and every second or two."""

LASTED = 0.9
"""Share of the time that a process must have lived, not to be one of several lives."""

FEWER = (20, 12)
"""Blocks, where with more of them the growth is not seen."""

COUNT_BLOCKS = 15
"""Of whole numbers, which stand still for a while and then rise."""

VARIED = 0.03
"""Spread of the requests a second over the blocks, from which on requests can be told from time."""

BETTER = 6.0
"""BIC by which one of both must fit better, to say which it follows (Raftery 1995)."""


@dataclass(frozen=True, eq=False)
class Readings:
    """One level of one process. subject: "pid:12". t_s, level: float64[n], in the order of time, known ones.

    born_s: when it began, where that was seen.
    """

    subject: str
    t_s: Floats
    level: Floats
    born_s: float | None = None


@dataclass(frozen=True, slots=True)
class Matters:
    """From how much growth on it is worth a word.

    least: in all; of_level: share of what was there; a_request: with each request; in_use: how much of it
    requests in flight may hold.
    """

    least: float = 0.0
    of_level: float = 0.0
    a_request: float = 0.0
    in_use: float = 0.0

    def holds(self, grown: float, first: float, a_request: float) -> bool:
        """Whether a growth matters."""
        return grown - self.in_use >= max(self.least, self.of_level * first) and a_request >= self.a_request


OF_MEMORY = Matters(least=4e6, of_level=0.02, a_request=20.0)
"""Pools, buffers and code that are made once in a worker are of a few megabytes. A leak of 20 bytes a request
is 1 GB in six days at 100 requests a second."""

OF_LIFE = 0.25
"""Of that, in one life: what is made once in each is of less than a megabyte."""

OF_COUNTS = Matters(least=40, of_level=0.3)
"""Pools of descriptors, threads and connections grow by less after the warm-up."""


@dataclass(frozen=True, eq=False)
class Slopes:
    """How one level of a program grew.

    a_request: of all its processes with a request of all; an_hour: with an hour at the load there was; None
    with too few readings. late: with a request of the last half, which bounds any leak beneath what fills.
    follows: "requests" or "time", empty where the load varied too little to tell. level: at the end, of all
    that worked then. grown: in the run; of lives in a whole one. by_process: of those that lasted, growth a
    request by subject. shape: of the course that it was judged by. lives: that were laid on each other; 0
    for processes that lasted. workers: at a time.
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
        """Growth with a request that there may be at most; what filled something by half time is past."""
        ends = [one.high for one in (self.a_request, self.late) if one is not None]
        return min(ends, default=math.inf)

    @property
    def is_leak(self) -> bool:
        """Whether it grows without end."""
        return self.word == "leaks"


def slopes(
    readings: Sequence[Readings], served: Served, matters: Matters = OF_MEMORY, blocks: int = BLOCKS
) -> Slopes:
    """How a level grew that these processes have parts of.

    blocks: COUNT_BLOCKS for whole numbers. Of processes that lasted and others that were restarted those
    count that leak; where neither does, those that lasted.
    """
    known = [one for one in readings if one.t_s.size]
    if not known:
        return Slopes("unsure")
    from_s, to_s = served.t_s[0], served.t_s[-1]
    lasting = [one for one in known if one.t_s[-1] - one.t_s[0] >= LASTED * (to_s - from_s) - EDGES_S]
    ended = [one for one in known if one not in lasting]
    of_lasting = _of_lasting(lasting, served, matters, blocks) if lasting else Slopes("unsure")
    of_lives = _of_lives(ended, served, matters) if len(ended) >= lives.FEWEST else Slopes("unsure")
    if of_lives.is_leak and not of_lasting.is_leak:
        return of_lives
    return of_lasting if of_lasting.word != "unsure" else of_lives


def _of_lasting(lasting: Sequence[Readings], served: Served, matters: Matters, blocks: int) -> Slopes:
    from_s = max(float(one.t_s[0]) for one in lasting)
    to_s = min(float(one.t_s[-1]) for one in lasting)
    fewest = min(int(((one.t_s >= from_s) & (one.t_s <= to_s)).sum()) for one in lasting)
    count = min(blocks, fewest)
    if count < FEWEST_BLOCKS:
        return Slopes("unsure", workers=len(lasting))
    found, x, t, table = None, *_blocks(lasting, served, from_s, to_s, count)
    for fewer in (count, *(some for some in FEWER if some < count)):
        # What is freed seldom hides growth in short blocks, and not in long ones.
        row = _blocks(lasting, served, from_s, to_s, fewer)
        one = shape(row[0], row[2].sum(axis=0))
        if one is not None and (found is None or one.word == "endless"):
            found, (x, t, table) = one, row
        if found is not None and found.word not in ("level", "made"):
            break  # where it bends, fewer blocks would only hide that
    if found is None:
        return Slopes("unsure", workers=len(lasting))
    total = table.sum(axis=0)
    kept = np.isin(x, found.x)
    grown = found.slope.value * float(found.x[-1] - found.x[0])
    each = {
        one.subject: line
        for one, row in zip(lasting, table, strict=True)
        if (line := slope(x[kept], row[kept])) is not None
    }
    return Slopes(
        word=_word(found, matters, grown, float(total[0])),
        a_request=found.slope,
        an_hour=slope(t[kept] / 3600, found.y),
        late=_late(x, total),
        follows=_follows(x[kept], t[kept], found.y),
        level=float(total[-1]),
        grown=grown,
        by_process=each,
        shape=found,
        workers=float(len(lasting)),
    )


def _late(x: Floats, y: Floats) -> Slope | None:
    """The slope of the last half."""
    late = x >= (x[0] + x[-1]) / 2
    return slope(x[late], y[late])


def _blocks(
    lasting: Sequence[Readings], served: Served, from_s: float, to_s: float, count: int
) -> tuple[Floats, Floats, Floats]:
    """Blocks of as many requests each: middles in requests and in seconds, and the least of each process."""
    ends = served.at([from_s, to_s])
    x_edges = np.linspace(ends[0], ends[1], count + 1)
    t_edges = np.interp(x_edges, served.requests, served.t_s)
    t_edges[0], t_edges[-1] = from_s, np.nextafter(to_s, np.inf)
    table = np.array([least_of_blocks(one.t_s, one.level, t_edges) for one in lasting])
    good = np.isfinite(table).all(axis=0)
    return (x_edges[:-1] + x_edges[1:])[good] / 2, (t_edges[:-1] + t_edges[1:])[good] / 2, table[:, good]


def _word(found: Shape, matters: Matters, grown: float, first: float) -> Word:
    if found.word != "endless":
        return found.word
    return "leaks" if matters.holds(grown, first, found.slope.value) else "little"


def _of_lives(ended: Sequence[Readings], served: Served, matters: Matters) -> Slopes:
    """Processes that were restarted: each serves a share of the requests that all count."""
    found = lives.laid([(one.t_s, one.level, one.born_s) for one in ended], served)
    if found is None:
        return Slopes("unsure", lives=len(ended))
    workers = found.workers
    grown = found.slope.value * found.length
    # Restarts hide most of it: what matters is what all lives together have left behind.
    left = found.slope.value * workers * float(served.requests[-1] - served.requests[0])
    is_much = (
        matters.holds(left, found.birth, found.slope.value * workers) and grown >= OF_LIFE * matters.least
    )
    word: Word = "level"
    if found.shape is not None:
        word = found.shape.word if found.shape.word != "endless" else "leaks" if is_much else "little"
    rate = served.a_second
    return Slopes(
        word=word,
        a_request=found.slope.times(workers),
        an_hour=found.slope.times(workers * rate * 3600) if rate > 0 else None,
        level=found.last * workers,
        grown=grown,
        shape=found.shape,
        lives=found.count,
        workers=workers,
    )


def _follows(x: Floats, t: Floats, y: Floats) -> str:
    """Which of requests and time a level follows, as far as the load varied enough to tell."""
    rates = np.diff(x) / np.diff(t)
    if rates.size < FEWEST_BLOCKS or np.std(rates) < VARIED * np.mean(rates):
        return ""
    rests = []
    for at in (x, t):
        u, v = at - at.mean(), y - y.mean()
        rest = v - float(u @ v) / float(u @ u) * u
        rests.append(float(rest @ rest) + 1e-300)
    better = y.size * float(np.log(rests[1] / rests[0]))
    return "requests" if better >= BETTER else "time" if better <= -BETTER else ""
