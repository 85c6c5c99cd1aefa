"""Requests due and requests answered, a second: a gap between them shows that the server fell behind."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.offered_achieved import OfferedAchievedTexts
from loadrig.report.figures import _time
from loadrig.report.model import Figure
from loadrig.report.timeline import Timeline

TEXTS = texts_of(OfferedAchievedTexts)


def draw(view: str, time: Timeline, model: str, *, is_own: bool = True) -> Figure:
    """Return due and answered requests a second, and failed and unsent ones where there are any.

    model: the load's arrival model; of an open one the planned rate is drawn too. is_own: it is known what
    was due; another tool's results do not say it.
    """
    lines = [
        _time.band_line(TEXTS.answered, "1/s", time.rates.answered, "blue", time.merged, fill=0.12, width=2),
    ]
    if is_own:
        lines.append(_time.band_line(TEXTS.due, "1/s", time.rates.due, "orange", 1, dash=(6, 4)))
    if model in ("rate", "replay"):
        lines.append(_time.ChartLine(TEXTS.planned, "1/s", time.rates.planned.mean, "grey", dash=(2, 3)))
    for band, label, colour in (
        (time.rates.failed, TEXTS.failed, "red"), (time.rates.unsent, TEXTS.unsent, "purple"),
    ):  # fmt: skip
        if any(band.mean):
            lines.append(
                _time.band_line(label, "1/s", band, colour, time.merged, dash=(3, 2))  # type: ignore[arg-type]
            )
    return _time.figure(
        "rate",
        view,
        time,
        TEXTS.title if is_own else TEXTS.achieved,
        TEXTS.about if is_own else TEXTS.about_achieved,
        [_time.panel(lines, height=240)],
        TEXTS.caption,
        (_time.spark(TEXTS.answered, "1/s", time, time.rates.answered.mean),),
    )
