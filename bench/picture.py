"""The picture of the stalling server, from the results of `honest`: an SVG for light and dark pages.

Above: how long each share of the requests waited, by simulation, as our generator counts it from
the due time, and as the same runs look when it is counted from the sending. Below: the p95 that
each tool tells. Written by `python -m bench.tables`.
"""

from collections.abc import Sequence
from html import escape
from statistics import median
from typing import Any

from bench.figures import digits, key, of_tool, tools
from bench.modes.honest import truth
from bench.ours import CURVE
from bench.truth import quantile, quantiles_ms

CONNECTIONS = 16
WIDTH, LEFT, RIGHT = 760, 64, 24
CURVES_TOP, CURVES_HEIGHT = 92, 250
ROW_HEIGHT, NAMES = 25, 190
EDGE = 24
NEAR_SHARE = 0.1
"""A p95 within a tenth of the truth is drawn as told right."""
MOST_MS = 210.0
STYLE = """
  svg { --card: #ffffff; --ink: #1a1f24; --soft: #59626b; --rule: #e3e4de; --axis: #c6c9c4; --blue: #0072b2;
    --orange: #b84a00; --band: #cdd3d8;
    font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
  @media (prefers-color-scheme: dark) {
    svg { --card: #171c22; --ink: #e7eaed; --soft: #a3adb6; --rule: #2a3139; --axis: #434c56; --blue: #5ab4ea;
      --orange: #ff9a5c; --band: #4a545e; } }
  .card { fill: var(--card); } text { fill: var(--ink); } .soft { fill: var(--soft); }
  .title { font-size: 16px; font-weight: 650; } .small { font-size: 12px; } .end { text-anchor: end; }
  .middle { text-anchor: middle; } .strong { font-weight: 650; }
  .rule { stroke: var(--rule); } .axis { stroke: var(--axis); }
  path { fill: none; stroke-linejoin: round; stroke-linecap: round; }
  .truth { stroke: var(--band); stroke-width: 9; } .due { stroke: var(--blue); stroke-width: 2.2; }
  .sent { stroke: var(--orange); stroke-width: 2.2; stroke-dasharray: 6 4; }
  .gap { fill: var(--orange); opacity: 0.10; stroke: none; }
  .blue { fill: var(--blue); } .orange { fill: var(--orange); }
  .true { stroke: var(--ink); stroke-width: 1.4; stroke-dasharray: 2 3; }
  .stem { stroke-width: 2; opacity: 0.45; }
  .stem.near { stroke: var(--blue); } .stem.far { stroke: var(--orange); }
"""


def draw(section: dict[str, Any]) -> str:
    """Return the SVG as text. section: the results of `honest`."""
    rows = [row for row in section["rows"] if row["connections"] == CONNECTIONS and "failed" not in row]
    latencies = truth(section, rows)
    shown_tools = [name for name in tools(rows) if of_tool(rows, name, key("latency_ms", "p95"))]
    bottom = CURVES_TOP + CURVES_HEIGHT
    below = bottom + 106
    height = below + ROW_HEIGHT * len(shown_tools) + 40
    rate, seconds = section["rate"], section["seconds"]
    load = f"{rate:,} requests/s over {CONNECTIONS} connections for {seconds:g} s"
    server = "the server answers in 1 ms and stands still for 200 ms in every 2 s"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" role="img" aria-labelledby="name what">',
        '<title id="name">A stall of the server, counted from the due time and from the sending</title>',
        f'<desc id="what">{load}; {server}.</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="card" width="{WIDTH}" height="{height}" rx="8"/>',
        _text(EDGE, 34, "One request in ten waits. Counted from the sending, almost none does.", "title"),
        _text(EDGE, 55, f"{load}; {server}", "soft small"),
        *_curves(rows, latencies),
        _text(EDGE, below - 36, "The p95 that each tool tells", "title"),
        *_dots(rows, shown_tools, quantiles_ms(latencies)["p95"][0], below),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'


def _line(kind: str, x: tuple[float, float], y: tuple[float, float]) -> str:
    return f'<line class="{kind}" x1="{x[0]:.1f}" x2="{x[1]:.1f}" y1="{y[0]:.1f}" y2="{y[1]:.1f}"/>'


def _x(share: float) -> float:
    return LEFT + (share - CURVE[0]) / (1 - CURVE[0]) * (WIDTH - LEFT - RIGHT)


def _y(ms: float) -> float:
    return CURVES_TOP + CURVES_HEIGHT * (1 - ms / MOST_MS)


def _curves(rows: Sequence[dict[str, Any]], latencies: Sequence[float]) -> list[str]:
    """Latency over the share of requests that waited no longer."""
    ordered = sorted(latencies)
    ours = [row for row in rows if row["tool"] == "loadrig"]
    due, sent = (
        [median(row[curve][n] for row in ours) for n in range(len(CURVE))] if ours else []
        for curve in ("response_curve_ms", "service_curve_ms")
    )
    parts = [_text(LEFT - 8, CURVES_TOP - 14, "ms", "soft small end")]
    for ms in (0, 50, 100, 150, 200):
        parts.append(_line("rule" if ms else "axis", (LEFT, WIDTH - RIGHT), (_y(ms), _y(ms))))
        parts.append(_text(LEFT - 8, _y(ms) + 4, str(ms), "soft small end"))
    for share in (0.80, 0.85, 0.90, 0.95, 1.0):
        words = "slowest" if share == 1 else f"{share:.0%}"
        side = "end" if share == 1 else "middle"
        parts.append(_text(_x(share), _y(0) + 20, words, f"soft small {side}"))
    axis = "share of requests that waited no longer than this"
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, _y(0) + 40, axis, "soft small middle"))
    parts.append(_path("truth", [quantile(ordered, share) for share in CURVE]))
    if ours:
        around = [*zip(CURVE, due, strict=True), *reversed(list(zip(CURVE, sent, strict=True)))]
        edge = " ".join(f"{_x(share):.1f},{_y(ms):.1f}" for share, ms in around)
        parts.append(f'<polygon class="gap" points="{edge}"/>')
        parts += [_path("sent", sent), _path("due", due)]
    beside, under = _x(0.935), _y(118)
    parts += [
        _text(beside, under, "counted from when each request was due:", "blue strong end"),
        _text(beside, under + 17, "loadrig, on the simulated truth (grey)", "blue end"),
        _text(_x(0.882), _y(19), "the same runs, counted from the sending", "orange strong end"),
    ]
    return parts


def _path(kind: str, values: Sequence[float]) -> str:
    points = " L".join(f"{_x(share):.1f} {_y(ms):.1f}" for share, ms in zip(CURVE, values, strict=True))
    return f'<path class="{kind}" d="M{points}"/>'


def _dots(
    rows: Sequence[dict[str, Any]], shown_tools: Sequence[str], true_ms: float, top: float
) -> list[str]:
    """Return a row for each tool: what it tells, and how far that is from the truth."""
    left, right = NAMES + 30, WIDTH - RIGHT - 60
    bottom = top + ROW_HEIGHT * len(shown_tools)

    def x(ms: float) -> float:
        return left + (right - left) * min(ms, MOST_MS) / 150.0

    medians = {
        name: median(row["latency_ms"]["p95"] for row in rows if row["tool"] == name) for name in shown_tools
    }
    parts = [
        _line("true", (x(true_ms), x(true_ms)), (top - 10, bottom)),
        _text(x(true_ms), top - 16, f"truth {digits(true_ms)} ms", "small middle strong"),
        _line("axis", (left, right), (bottom, bottom)),
    ]
    parts += [
        _text(x(ms), bottom + 18, f"{ms} ms" if ms == 150 else str(ms), "soft small middle")
        for ms in (0, 50, 100, 150)
    ]
    for n, name in enumerate(sorted(medians, key=lambda name: abs(medians[name] - true_ms))):
        ms, y = medians[name], top + ROW_HEIGHT * (n + 0.5)
        is_near = abs(ms - true_ms) <= NEAR_SHARE * true_ms
        colour, strong = "blue" if is_near else "orange", " strong" if name == "loadrig" else ""
        # Near the truth the figure stands to the right of its line, else above the stem.
        label = (max(ms, true_ms), 4.0) if is_near or ms > true_ms else (ms, -4.0)
        parts += [
            _text(left - 14, y + 4.5, name, f"end{strong}"),
            _line(f"stem {'near' if is_near else 'far'}", (x(min(ms, true_ms)), x(max(ms, true_ms))), (y, y)),
            f'<circle class="{colour}" cx="{x(ms):.1f}" cy="{y:.1f}" r="5"/>',
            _text(x(label[0]) + 10, y + label[1], digits(ms), f"small {colour}{strong}"),
        ]
    return parts
