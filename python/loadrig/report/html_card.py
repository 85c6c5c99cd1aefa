"""A finding on the page: its evidence with the course of each series drawn small beside it."""

from collections.abc import Sequence
from html import escape

from loadrig.language.choice import texts_of
from loadrig.language.en.report.page import ReportHtmlCardTexts
from loadrig.language.labels import label
from loadrig.report import words
from loadrig.report.model import Card, Point

TEXTS = texts_of(ReportHtmlCardTexts)

_WIDE, _HIGH = 132, 26
"""Size of a small chart, in CSS pixels: as high as a line and a half of text."""


def card(block: Card, figures: str) -> str:
    """Return the card. figures: the HTML of its charts."""
    symbol, _, tone = words.STANDS[block.standing]
    means = words.sure_means(block)
    tone = "good" if block.is_good else tone
    name = escape(f"{block.cause}-{block.component}")
    return (
        f'<article class="card stands-{tone}" id="finding-{name}">'
        f'<header><p><span class="badge tone-{tone}" title="{escape(means)}">'
        f'<span aria-hidden="true">{symbol}</span> {escape(words.sure(block))}</span>'
        f" <code>{escape(block.cause)}</code></p>"
        f"<h3>{escape(block.title)} <span>{escape(block.component)}</span></h3></header>"
        f'<p class="effect">{escape(block.effect)}</p>'
        f"{_points(label('Why'), block.points, 'for')}"
        f"{_points(TEXTS.against, block.against, 'con')}"
        f"{_sentences(TEXTS.not_seen, block.missing)}"
        f"{_rivals(block.rivals)}"
        f"{_sentences(TEXTS.what_explains, block.symptoms)}"
        f'<p class="mend"><b>{escape(TEXTS.what_to_do)}</b> {escape(block.mend)}</p>'
        f"{_decides(block)}{figures}</article>"
    )


def _points(title: str, points: Sequence[Point], kind: str) -> str:
    if not points:
        return ""
    rows = "".join(
        f"<li><div><p>{escape(point.text)}</p>"
        + (f'<p class="rests">{escape(point.rests_on)}</p>' if point.rests_on else "")
        + f"</div>{spark(point.course)}</li>"
        for point in points
    )
    return f'<h4>{title}</h4><ul class="points {kind}">{rows}</ul>'


def _rivals(rivals: Sequence[Point]) -> str:
    if not rivals:
        return ""
    rows = "".join(
        f"<div><dt>{escape(rival.rests_on)}</dt><dd>{escape(rival.text)}</dd></div>" for rival in rivals
    )
    return f'<h4>{escape(TEXTS.why_nothing_else)}</h4><dl class="rivals">{rows}</dl>'


def _sentences(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return f"<h4>{title}</h4><ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


def _decides(block: Card) -> str:
    if block.standing == "named" or not block.decides:
        return ""
    return f'<p class="decides"><b>{escape(TEXTS.what_would_decide)}</b> {escape(block.decides)}</p>'


def spark(values: Sequence[float | None]) -> str:
    """Return a small chart from zero to the greatest value; "" where fewer than two values were read."""
    present = [value for value in values if value is not None]
    if len(present) < 2:
        return ""
    top = max(present) or 1.0
    step = _WIDE / max(1, len(values) - 1)
    paths: list[list[str]] = [[]]
    for place, value in enumerate(values):
        if value is None:
            paths.append([])
            continue
        y = _HIGH - 2 - (_HIGH - 4) * max(0.0, value) / top
        paths[-1].append(f"{place * step:.1f},{y:.1f}")
    drawn = "".join(f'<polyline points="{" ".join(path)}"/>' for path in paths if len(path) > 1)
    return (
        f'<svg class="course" viewBox="0 0 {_WIDE} {_HIGH}" width="{_WIDE}" height="{_HIGH}"'
        f' aria-hidden="true"><line x1="0" x2="{_WIDE}" y1="{_HIGH - 1.5}" y2="{_HIGH - 1.5}"/>{drawn}</svg>'
    )
