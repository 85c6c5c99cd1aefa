"""The generator's own testimony: was it late, was it busy, did it run out of anything."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.generator_health import GeneratorHealthTexts
from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline

TEXTS = texts_of(GeneratorHealthTexts)


def draw(view: str, time: Timeline) -> Figure:
    """Return the lag of sending (p50, p99, max) and the used shares of the generator's resources."""
    lag = time.times.lag
    lags = [
        _time.ChartLine(TEXTS.lag_p50, "s", lag.p50, "blue", width=2),
        _time.ChartLine(TEXTS.lag_p99, "s", lag.p99, "blue", dash=(5, 2)),
        _time.ChartLine(TEXTS.lag_max, "s", lag.greatest, "grey", width=1),
    ]
    shares = [
        _time.band_line(
            TEXTS.busiest_thread, "1", time.shares.busiest_thread, "orange", time.merged, width=2
        ),
        _time.band_line(TEXTS.local_ports, "1", time.shares.ports, "purple", time.merged, dash=(6, 4)),
        _time.band_line(TEXTS.descriptors, "1", time.shares.descriptors, "green", time.merged, dash=(2, 3)),
    ]
    return _time.figure(
        "health",
        view,
        time,
        TEXTS.title,
        TEXTS.about,
        [
            _time.panel((line for line in lags if line.has_values), log=True, height=150),
            _time.panel(shares, height=150, top=1.0, limits=[[0.5, TEXTS.disturbed], [0.8, TEXTS.gravely]]),
        ],
        TEXTS.caption,
    )
