"""Latency quantiles over time, as the user felt it (response) and as the server gave it (service)."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.latency_bands import LatencyBandTexts
from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline

TEXTS = texts_of(LatencyBandTexts)


def draw(view: str, time: Timeline) -> Figure:
    """Return p50, p90, p99, p99.9 and maximum of the response time; p50 and p99 of the service time."""
    response, service = time.times.response, time.times.service
    has_response = response.has_values
    # Another tool counts from the send: all of its service times are shown.
    shown, p50, p99 = (
        (response, TEXTS.response_p50, "p99")
        if has_response
        else (service, TEXTS.service_p50, TEXTS.service_p99)
    )
    colour: _time.Colour = "blue" if has_response else "orange"
    lines = [
        _time.ChartLine(p50, "s", shown.p50, colour, width=2),
        _time.ChartLine("p90", "s", shown.p90, colour, width=1),
        _time.ChartLine(p99, "s", shown.p99, colour, width=1.5, dash=(5, 2)),
        _time.ChartLine("p99.9", "s", shown.p999, colour, width=1, dash=(1, 3)),
        _time.ChartLine(TEXTS.most, "s", shown.greatest, "grey", width=1),
    ]
    if has_response:
        lines += [
            _time.ChartLine(TEXTS.service_p50, "s", service.p50, "orange", width=2, dash=(6, 4)),
            _time.ChartLine(TEXTS.service_p99, "s", service.p99, "orange", width=1.25, dash=(2, 3)),
        ]
    lines = [line for line in lines if line.has_values]
    named = {line.label: i for i, line in enumerate(lines)}
    pairs = ((TEXTS.response_p50, "p90", 0.22), ("p90", "p99", 0.12))
    between = [[named[a], named[b], alpha] for a, b, alpha in pairs if a in named and b in named]
    return _time.figure(
        "latency",
        view,
        time,
        TEXTS.title,
        f"{TEXTS.both if has_response else TEXTS.service_only} {TEXTS.good_answers_only}",
        [_time.panel(lines, log=True, between=between, height=280)],
        TEXTS.caption,
        (_time.spark("p50", "s", time, shown.p50), _time.spark("p99", "s", time, shown.p99)),
    )
