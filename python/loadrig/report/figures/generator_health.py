"""The generator's own testimony: was it late, was it busy, did it run out of anything."""

from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline


def draw(view: str, time: Timeline) -> Figure:
    """Return the lag of sending (p50, p99, max) and the used shares of the generator's resources."""
    lag = time.quantiles["lag"]
    lags = [
        _time.line("lag p50", "s", lag["p50"], "blue", width=2),
        _time.line("lag p99", "s", lag["p99"], "blue", dash=(5, 2)),
        _time.line("lag max", "s", lag["max"], "grey", width=1),
    ]
    shares = [
        _time.band_line("busiest thread", "1", time.shares["busiest_thread"], "orange", time.merged, width=2),
        _time.band_line("local ports", "1", time.shares["ports"], "purple", time.merged, dash=(6, 4)),
        _time.band_line("descriptors", "1", time.shares["descriptors"], "green", time.merged, dash=(2, 3)),
    ]
    return _time.figure(
        "health",
        view,
        time,
        "The generator's health",
        "How late requests were taken up (our fault, not the server's), and how much of a thread, of"
        " the local ports and of the file descriptors was used. A thread above 50 % makes a trial"
        " disturbed, above 80 % gravely.",
        [
            _time.panel(filter(_time.has_values, lags), log=True, height=150),
            _time.panel(shares, height=150, top=1.0, limits=[[0.5, "disturbed"], [0.8, "gravely"]]),
        ],
        "The generator in the measured part",
    )
