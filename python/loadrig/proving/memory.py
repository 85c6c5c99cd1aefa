"""Growth of a server's memory in one trial, in MB a minute."""

import numpy as np

from loadrig.base.component import SERVER
from loadrig.proving.outcome import LEAST, NS
from loadrig.recording.reader import Recording

MB = 1e6
OF_A_MEDIAN, TEETH = 1.25, 2.0
"""OF_A_MEDIAN: error of a median over that of a mean. TEETH: factor by which readings that depend on each
other make the error larger."""
FEWEST_MEMORY_READINGS = 6
"""Least number of readings: with fewer, a third of them is one or two."""


def growth(recording: Recording) -> tuple[float, float] | None:
    """Return the growth of the server's memory in MB a minute, and its standard deviation.

    It is the growth between the first and the last third of the measured part. Memory that replaced processes
    gave back counts as not grown, as a bound on memory is what is wanted. The standard deviation comes from
    the scatter of the readings; collections of garbage make teeth, whose readings depend on each other. None
    where memory was not seen.
    """
    window = recording.measured
    series_by_key = recording.series(probe="process", metric="rss_bytes", component=SERVER)
    tree = next((series for key, series in series_by_key.items() if key.subject == "tree"), None)
    if tree is None:
        return None
    inside = (tree.t_ns >= window.from_ns) & (tree.t_ns <= window.to_ns)
    values = tree.value[inside]
    if values.size < FEWEST_MEMORY_READINGS:
        return None
    third = values.size // 3
    grown = float(np.median(values[-third:]) - np.median(values[:third]))
    # The middles of the first and the last third are two thirds of the time apart.
    minutes = float(tree.t_ns[inside][-1] - tree.t_ns[inside][0]) / NS * 2 / 3 / 60
    seconds = (tree.t_ns[inside] - tree.t_ns[inside][0]) / NS
    scatter = float(np.std(values - np.polyval(np.polyfit(seconds, values, 1), seconds)))
    off = OF_A_MEDIAN * TEETH * np.sqrt(2 / third) * scatter
    return max(grown / MB / minutes, LEAST["growth"]), float(off / MB / minutes)
