"""Requests due and requests answered, a second: a gap between them shows that the server fell behind."""

from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline


def draw(view: str, time: Timeline, model: str, *, is_told: bool = True) -> Figure:
    """Return due and answered requests a second, and failed and unsent ones where there are any.

    model: the load's arrival model; of an open one the planned rate is drawn too. is_told: it is known what
    was due; another tool's results do not say it.
    """
    lines = [
        _time.band_line("answered", "1/s", time.rates["answered"], "blue", time.merged, fill=0.12, width=2),
    ]
    if is_told:
        lines.append(_time.band_line("due", "1/s", time.rates["due"], "orange", 1, dash=(6, 4)))
    if model in ("rate", "replay"):
        lines.append(_time.line("planned", "1/s", time.rates["planned"].mean, "grey", dash=(2, 3)))
    for name, colour in (("failed", "red"), ("unsent", "purple")):
        if any(time.rates[name].mean):
            lines.append(
                _time.band_line(name, "1/s", time.rates[name], colour, time.merged, dash=(3, 2))  # type: ignore[arg-type]
            )
    return _time.figure(
        "rate",
        view,
        time,
        "Offered and achieved rate" if is_told else "Achieved rate",
        "Requests due and requests answered, a second. Where the dashed line lies above the solid one"
        " the server fell behind."
        if is_told
        else "Requests answered, a second; what was asked for is not known.",
        [_time.panel(lines, height=240)],
        "Requests a second in the measured part",
        (_time.spark("answered", "1/s", time, time.rates["answered"].mean),),
    )
