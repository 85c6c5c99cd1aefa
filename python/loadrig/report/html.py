"""The report as a page: one file, no network, legible on paper and without scripts.

What is written here is text, tables and the data of the figures; assets/*.js draw the figures.
Everything that comes from a run is escaped, in text and in the data alike.
"""

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any, assert_never

from loadrig.language.choice import language, texts_of
from loadrig.language.en.report.page import ReportHtmlTexts
from loadrig.language.en.report.scripts import ReportScriptsTexts
from loadrig.language.labels import label
from loadrig.recording import page_seal
from loadrig.report import html_card, html_policy, words
from loadrig.report.model import (
    Badge,
    Block,
    Card,
    Cell,
    Code,
    Facts,
    Figure,
    Numbers,
    Paragraph,
    PerView,
    Report,
    Section,
    Table,
    View,
)

TEXTS = texts_of(ReportHtmlTexts)
WORDS = texts_of(ReportScriptsTexts).words

_ASSETS = files("loadrig.report") / "assets"


def render(report: Report) -> str:
    """Return the whole page with its digest, under 3 MB for a run of any length, as timelines are merged."""
    style, script = _style(), _scripts()
    data = {
        "words": WORDS,
        "views": {view.id: dict(view.axis) for view in report.views},
        "figures": _figures(report),
    }
    several = len(report.views) > 1
    page = "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{language()}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{html_policy.policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(report.title)} · loadrig</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f'<a class="skip" href="#verdict">{escape(TEXTS.to_verdict)}</a>',
            _top(report),
            '<div class="frame">',
            _contents(report, several),
            "<main>",
            f'<header class="title"><p class="kicker">{escape(report.kicker)}</p>'
            f"<h1>{escape(report.title)}</h1></header>",
            *(_section(section, report) for section in report.sections),
            _foot(report),
            "</main>",
            "</div>",
            f'<script type="application/json" id="data">{_script_json(data)}</script>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )
    return page_seal.sealed(page)


# --- the frame of the page ----------------------------------------------------------------------


def _top(report: Report) -> str:
    return (
        '<header class="top"><span class="mark">loadrig</span>'
        f'<span class="what">{escape(report.title)}</span>'
        f'<button type="button" class="theme" id="theme" aria-label="{escape(TEXTS.theme)}">'
        f'<span aria-hidden="true">◐</span> <span id="theme-word">{WORDS["system"]}</span></button></header>'
    )


def _contents(report: Report, several: bool) -> str:
    links = "".join(
        f'<li><a href="#{escape(section.id)}">{escape(section.title)}</a></li>' for section in report.sections
    )
    choice = _choice(report.views) if several else ""
    return f'<nav class="contents" aria-label="{escape(TEXTS.sections)}">{choice}<ol>{links}</ol></nav>'


def _choice(views: tuple[View, ...]) -> str:
    """Return the menu that chooses the trial whose charts are shown."""
    groups: dict[str, list[View]] = {}
    for view in views:
        groups.setdefault(view.group, []).append(view)
    options = "".join(
        f'<optgroup label="{escape(TEXTS.setting(group))}">'
        + "".join(f'<option value="{escape(view.id)}">{escape(view.label)}</option>' for view in inside)
        + "</optgroup>"
        for group, inside in groups.items()
    )
    head = f"<span>{escape(TEXTS.charts_of)}</span>"
    return f'<label class="choice">{head}<select id="view">{options}</select></label>'


def _section(section: Section, report: Report) -> str:
    head = f'<h2 id="{escape(section.id)}-title">{escape(section.title)}</h2>'
    lead = f'<p class="section-lead">{escape(section.lead)}</p>' if section.lead else ""
    blocks = "\n".join(_block(block, report) for block in section.blocks)
    name = escape(section.id)
    return f'<section id="{name}" aria-labelledby="{name}-title">{head}{lead}\n{blocks}\n</section>'


def _foot(report: Report) -> str:
    parts = [f"{escape(name)}: {escape(value)}" for name, value in report.facts.items()]
    palette = TEXTS.colours_after_okabe
    return f"<footer><p>{' · '.join(parts)}</p><p>{palette}</p></footer>"


# --- blocks -------------------------------------------------------------------------------------


def _block(block: Block, report: Report) -> str:
    match block:
        case Paragraph():
            return f'<p class="{block.size} tone-{block.tone}">{_prose(block.text)}</p>'
        case Badge():
            return _badge(block)
        case Numbers():
            return _numbers(block)
        case Table():
            return _folded(_table(block), block.caption) if block.folded else _table(block)
        case Facts():
            return _facts(block)
        case Code():
            return _code(block)
        case Figure():
            return _figure(block)
        case Card():
            return html_card.card(block, "".join(_figure(figure) for figure in block.figures))
        case PerView():
            return _per_view(block, report)
        case _:
            assert_never(block)


def _prose(text: str) -> str:
    """Return a sentence in which no line ends between a number and its sign, or within an interval."""
    return escape(text.replace(" %", "\u00a0%").replace(" … ", "\u00a0…\u00a0"))


def _badge(badge: Badge) -> str:
    symbol, word, tone = words.VALIDITY[badge.verdict]
    sentences = (*badge.reasons, *badge.notes)
    reasons = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    listed = f'<ul class="reasons">{reasons}</ul>' if reasons else ""
    if listed and badge.verdict != "void":
        listed = _folded(listed, words.counted_remarks(len(badge.reasons), len(badge.notes)))
    return (
        f'<div class="validity"><p><span class="badge tone-{tone}">'
        f'<span aria-hidden="true">{symbol}</span> {word}</span>'
        f' <span class="badge-detail">{escape(badge.detail)}</span></p>{listed}</div>'
    )


def _numbers(block: Numbers) -> str:
    items = "".join(
        f'<div class="number"><dt>{escape(item.label)}</dt>'
        f'<dd class="value tone-{item.tone}">{escape(item.value)}</dd>'
        f'<dd class="detail">{escape(item.detail)}</dd></div>'
        for item in block.items
    )
    return f'<dl class="numbers">{items}</dl>'


def _table(table: Table) -> str:
    heads = "".join(
        f'<th scope="col" class="{column.align}"{_title(column.doc)}>{escape(column.title)}</th>'
        for column in table.columns
    )
    marked = ' class="marked"'
    rows = "".join(
        f"<tr{marked if number in table.marked else ''}>"
        + "".join(_cell(cell, table.columns[i].align, first=i == 0) for i, cell in enumerate(row))
        + "</tr>"
        for number, row in enumerate(table.rows)
    )
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    name = escape(table.caption or label("table"))
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{name}">'
        f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{notes}"
    )


def _cell(cell: Cell, align: str, *, first: bool) -> str:
    note = f'<span class="cell-note">{escape(cell.note)}</span>' if cell.note else ""
    name, scope = ("th", ' scope="row"') if first else ("td", "")
    return f'<{name}{scope} class="{align} tone-{cell.tone}">{escape(cell.text)}{note}</{name}>'


def _facts(block: Facts) -> str:
    pairs = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in block.pairs
    )
    title = f"<h3>{escape(block.title)}</h3>" if block.title else ""
    return f'{title}<dl class="facts">{pairs}</dl>' if pairs else ""


def _code(block: Code) -> str:
    code = f'<pre tabindex="0"><code>{escape(block.text)}</code></pre>'
    caption = f"<figcaption>{escape(block.caption)}</figcaption>" if block.caption else ""
    figure = f'<figure class="code">{caption}{code}</figure>'
    return _folded(figure, block.caption) if block.folded else figure


def _figure(figure: Figure) -> str:
    name = escape(figure.id)
    table = _folded(_table(figure.table), TEXTS.same_table) if figure.table else ""
    return (
        f'<figure class="figure {escape(figure.kind)}" id="{name}" aria-labelledby="{name}-title">'
        f'<figcaption><h3 id="{name}-title">{escape(figure.title)}</h3>'
        f"<p>{_prose(figure.about)}</p></figcaption>"
        f'<div class="plot" data-figure="{name}" role="group"'
        f' aria-label="{escape(TEXTS.chart_of(figure.title))}"></div>'
        f"{table}</figure>"
    )


def _per_view(block: PerView, report: Report) -> str:
    divs = []
    for number, view in enumerate(report.views):
        inner = "\n".join(_block(child, report) for child in block.blocks.get(view.id, ()))
        hidden = "" if number == 0 else " hidden"
        heading = f'<p class="view-name">{escape(view.label)}</p>' if len(report.views) > 1 else ""
        divs.append(f'<div class="view" data-view="{escape(view.id)}"{hidden}>{heading}{inner}</div>')
    return "\n".join(divs)


def _folded(inner: str, summary: str) -> str:
    return f"<details><summary>{escape(summary or 'More')}</summary>{inner}</details>"


def _title(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""


# --- data and scripts ---------------------------------------------------------------------------


def _figures(report: Report) -> dict[str, Mapping[str, Any]]:
    """Return all figures by id, with their kind and the view that they belong to."""
    by_id: dict[str, Mapping[str, Any]] = {}

    def walk(blocks: tuple[Block, ...], view: str) -> None:
        for block in blocks:
            if isinstance(block, Figure):
                by_id[block.id] = {"kind": block.kind, "view": view or block.view, "data": block.data}
            elif isinstance(block, Card):
                walk(block.figures, view)
            elif isinstance(block, PerView):
                for name, inner in block.blocks.items():
                    walk(inner, name)

    for section in report.sections:
        walk(section.blocks, "")
    return by_id


def _script_json(data: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _style() -> str:
    return f"\n{_read('vendor', 'uPlot.min.css')}\n{_read('page.css')}\n"


def _scripts() -> str:
    """Return uPlot, then our scripts: shared parts, a file a kind of figure, and page.js, which starts all.

    uPlot reads the pixel ratio as a global. At least 2, so that charts are sharp on paper too.
    """
    uplot = _read("vendor", "uPlot.iife.min.js")
    ratio = "Math.max(2, window.devicePixelRatio || 1)"
    vendored = f"(function (devicePixelRatio) {{\n{uplot}\nwindow.uPlot = uPlot;\n}})({ratio});"
    kinds = sorted(item.name for item in (_ASSETS / "kinds").iterdir() if item.name.endswith(".js"))
    drawn = [_ASSETS.joinpath("kinds", name).read_text(encoding="utf-8") for name in kinds]
    before, after = ("format.js", "chart.js"), ("picture.js", "save.js", "page.js")
    ours = [*map(_read, before), *drawn, *map(_read, after)]
    return "\n" + vendored + '\n(function () {\n"use strict";\n' + "\n".join(ours) + "\n})();\n"


def _read(*path: str) -> str:
    return _ASSETS.joinpath(*path).read_text(encoding="utf-8").strip()
